package io.headrace.gpu.device;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.cuda.CudaResult;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Pinned memory of the host that the device copies results into, and that tensors then refer to. A
 * block is lent as a segment, and comes back when the collector finds that neither the segment nor
 * a slice of it is reachable; then it serves again, so that pages are touched and pinned once. A
 * context has its own blocks: none of them serves in another one, whose device could still be
 * writing to it for the one before. Thread-safe.
 */
final class PinnedBlocks {
  /*
   * The memory is the process's own and is registered with the driver. When a context is lost, the
   * driver forgets that, and the memory stays: tensors can be read as before.
   *
   * A block is in one of three states: idle, lent, or freed. Only an idle one is freed, and only
   * when the driver has said that the memory is registered no longer.
   */
  private static final Logger LOGGER = System.getLogger(PinnedBlocks.class.getName());

  private static final long LEAST_BYTES = 64 << 10;

  /** How long a block is idle before it may make room for one of another size. */
  private static final long STALE_NANOS = Duration.ofSeconds(10).toNanos();

  private final ContextState state;
  private final PinnedBudget budget;

  /** Held while a block is made or freed, which takes the driver a while; taken before this. */
  private final Object growth = new Object();

  @GuardedBy("this")
  private final List<Block> blocks = new ArrayList<>();

  /** The idle blocks by their size; of a size, the one that was used last is the last. */
  @GuardedBy("this")
  private final TreeMap<Long, ArrayDeque<Block>> idle = new TreeMap<>();

  /** The driver or the system has refused a block: there are no more than there are. */
  @GuardedBy("growth")
  private boolean isRefused;

  /** A block; guarded by the pool. */
  private static final class Block {
    private final MemorySegment memory;
    private long idleSince;

    /** Whether the driver may still take the memory for pinned. */
    private boolean isRegistered = true;

    Block(MemorySegment memory) {
      this.memory = memory;
    }

    long bytes() {
      return memory.byteSize();
    }
  }

  PinnedBlocks(ContextState state, PinnedBudget budget) {
    this.state = state;
    this.budget = budget;
  }

  /**
   * Memory of exactly {@code bytes} bytes with undefined content; nothing if the limit is reached.
   * It is the caller's while the segment is reachable: one that gives its address to the driver
   * keeps it so until the driver no longer uses that.
   *
   * @throws StatusException if the context has ended
   */
  Optional<MemorySegment> tryTake(long bytes) {
    CudaDriver driver = state.enter();
    long size = blockBytes(bytes);
    Block block = takeIdle(size);
    if (block == null) {
      block = grow(driver, size);
    }
    Optional<MemorySegment> lent =
        block == null ? Optional.empty() : Optional.of(lend(block, bytes));
    budget.hasten();
    return lent;
  }

  /** The size of a block for {@code bytes} bytes: a power of two, or an eighth between two. */
  static long blockBytes(long bytes) {
    long step = Math.max(LEAST_BYTES, Long.highestOneBit(bytes) / 8);
    return (bytes + step - 1) / step * step;
  }

  @SuppressWarnings("restricted") // the block has that many bytes, and is not freed meanwhile
  private MemorySegment lend(Block block, long bytes) {
    // Slices and buffers of the segment hold the arena as well, and so does each access.
    return block.memory.reinterpret(bytes, Arena.ofAuto(), _ -> takeBack(block));
  }

  /** The smallest idle block that is large enough, unless more than half of it were wasted. */
  private synchronized @Nullable Block takeIdle(long size) {
    Map.Entry<Long, ArrayDeque<Block>> found = idle.ceilingEntry(size);
    if (found == null || found.getKey() > 2 * size) {
      return null;
    }
    Block block = found.getValue().removeLast();
    if (found.getValue().isEmpty()) {
      idle.remove(found.getKey());
    }
    budget.lend(block.bytes());
    return block;
  }

  private void takeBack(Block block) {
    synchronized (this) {
      budget.takeBack(block.bytes());
      if (block.isRegistered) {
        block.idleSince = budget.nanoTime();
        idle.computeIfAbsent(block.bytes(), _ -> new ArrayDeque<>()).addLast(block);
        return;
      }
    }
    free(block);
  }

  /** A new block, or one that has become idle meanwhile; null if there can be none. */
  private @Nullable Block grow(CudaDriver driver, long size) {
    synchronized (growth) {
      Block block = takeIdle(size);
      if (block != null || isRefused || !makeRoom(driver, size)) {
        return block;
      }
      MemorySegment memory = register(driver, size);
      if (memory == null) {
        budget.give(size);
        isRefused = true;
        return null;
      }
      Block made = new Block(memory);
      synchronized (this) {
        blocks.add(made);
      }
      budget.lend(size);
      return made;
    }
  }

  private @Nullable MemorySegment register(CudaDriver driver, long size) {
    MemorySegment memory = HostPages.allocate(size).orElse(null);
    if (memory == null) {
      LOGGER.log(Level.WARNING, "the host has no {0} bytes for results of a GPU", size);
      return null;
    }
    try {
      driver.memHostRegister(memory);
      return memory;
    } catch (CudaException e) {
      HostPages.free(memory);
      StatusException failure = state.failure(e);
      if (failure.code() != StatusCode.UNAVAILABLE) {
        LOGGER.log(
            Level.WARNING, "results are copied to the Java heap, slowly: {0}", failure.message());
      }
      return null;
    }
  }

  /** Takes {@code size} bytes of the budget; where it is used up, that of stale blocks. */
  @GuardedBy("growth")
  private boolean makeRoom(CudaDriver driver, long size) {
    while (!budget.take(size)) {
      Block stale = takeStale();
      if (stale == null) {
        return false;
      }
      unregister(driver, stale);
      boolean isFreeable;
      synchronized (this) {
        isFreeable = !stale.isRegistered;
        if (isFreeable) {
          blocks.remove(stale);
        }
      }
      if (isFreeable) {
        free(stale);
      }
    }
    return true;
  }

  /** The block that has been idle longest, if that is a while; no longer idle. */
  private synchronized @Nullable Block takeStale() {
    Block oldest = null;
    for (ArrayDeque<Block> ofSize : idle.values()) {
      Block first = ofSize.getFirst();
      if (oldest == null || first.idleSince - oldest.idleSince < 0) {
        oldest = first;
      }
    }
    if (oldest == null || budget.nanoTime() - oldest.idleSince < STALE_NANOS) {
      return null;
    }
    ArrayDeque<Block> ofSize = requireNonNull(idle.get(oldest.bytes()));
    ofSize.removeFirst();
    if (ofSize.isEmpty()) {
      idle.remove(oldest.bytes());
    }
    return oldest;
  }

  /** Lets the driver forget a block that no copy uses; if it does not, the block stays for ever. */
  private void unregister(CudaDriver driver, Block block) {
    try {
      driver.memHostUnregister(block.memory);
    } catch (CudaException e) {
      // A context that was destroyed has forgotten its memory.
      if (e.result() != CudaResult.HOST_MEMORY_NOT_REGISTERED) {
        LOGGER.log(Level.DEBUG, () -> state.device() + " keeps memory: " + e.getMessage());
        return;
      }
    }
    synchronized (this) {
      block.isRegistered = false;
    }
  }

  private void free(Block block) {
    HostPages.free(block.memory);
    budget.give(block.bytes());
  }

  /**
   * Frees all blocks, those in use when they come back. The context is closed or destroyed, its
   * copies are over, and a context that works is current.
   */
  void destroy(CudaDriver driver) {
    List<Block> all;
    List<Block> freed = new ArrayList<>();
    synchronized (growth) {
      isRefused = true;
      synchronized (this) {
        all = List.copyOf(blocks);
        blocks.clear();
      }
      all.forEach(block -> unregister(driver, block));
      synchronized (this) {
        idle.values().forEach(freed::addAll);
        idle.clear();
      }
    }
    freed.stream().filter(block -> !block.isRegistered).forEach(this::free);
  }
}
