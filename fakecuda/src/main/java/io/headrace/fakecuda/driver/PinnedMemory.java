package io.headrace.fakecuda.driver;

import java.lang.foreign.Arena;
import java.util.Map;
import java.util.TreeMap;

/** The pinned host memory that is allocated. Used under the driver's lock. */
final class PinnedMemory {
  private static final long ALIGNMENT = 4096;

  private final TreeMap<Long, Block> blocks = new TreeMap<>();

  /** A block and the arena by which it is freed. */
  private record Block(Arena arena, long bytes) {}

  long allocate(long bytes) {
    Arena arena = Arena.ofShared();
    long address = arena.allocate(bytes, ALIGNMENT).address();
    blocks.put(address, new Block(arena, bytes));
    return address;
  }

  void free(long address) {
    Block block = blocks.remove(address);
    if (block == null) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    block.arena().close();
  }

  /** Whether all these bytes are in one block. */
  boolean contains(long address, long bytes) {
    Map.Entry<Long, Block> below = blocks.floorEntry(address);
    return below != null && address - below.getKey() <= below.getValue().bytes() - bytes;
  }

  int blocks() {
    return blocks.size();
  }

  void freeAll() {
    blocks.values().forEach(block -> block.arena().close());
    blocks.clear();
  }
}
