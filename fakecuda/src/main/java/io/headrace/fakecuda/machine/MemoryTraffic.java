package io.headrace.fakecuda.machine;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts the sectors of global memory, 32 bytes each, that launches read and write by loads and
 * stores: those that the instructions of warps ask for, and those that move if a block reads each
 * from memory once, which is what its multiprocessor's cache is for. Used by one thread.
 */
public final class MemoryTraffic {
  /** The bytes of a sector. */
  public static final int SECTOR_BYTES = 32;

  /** The n-th time that a warp executes an instruction. */
  private record Request(int operation, int block, int warp, int instruction, int time) {}

  private record Block(int operation, int number, boolean isStore) {}

  private final Map<Request, Set<Long>> requested = new HashMap<>();
  private final Map<Block, Set<Long>> moved = new HashMap<>();

  /** Counts an access of a thread, by the instruction that it executes. */
  void add(GpuThread thread, long address, int bytes, boolean isStore) {
    Accessor accessor = thread.accessor;
    int block = accessor.thread / accessor.blockSize;
    Request request =
        new Request(
            accessor.operation,
            block,
            thread.index / GpuBlock.WARP,
            thread.pc,
            thread.timesAt(thread.pc));
    Set<Long> ofRequest = requested.computeIfAbsent(request, _ -> new HashSet<>());
    Set<Long> ofBlock =
        moved.computeIfAbsent(new Block(accessor.operation, block, isStore), _ -> new HashSet<>());
    for (long sector = address / SECTOR_BYTES;
        sector <= (address + bytes - 1) / SECTOR_BYTES;
        sector++) {
      ofRequest.add(sector);
      ofBlock.add(sector);
    }
  }

  /** The sectors that the instructions of warps ask for, each instruction for itself. */
  public long requested() {
    return sum(requested);
  }

  /** The sectors that move, if a block reads each once and writes each once. */
  public long moved() {
    return sum(moved);
  }

  private static <K> long sum(Map<K, Set<Long>> sectors) {
    return sectors.values().stream().mapToLong(Set::size).sum();
  }
}
