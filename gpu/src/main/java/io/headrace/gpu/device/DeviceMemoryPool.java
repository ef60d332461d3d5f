package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.cuda.CudaResult;
import io.headrace.runtime.device.Cleanup;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The memory of a context: buffers are cut from regions that the driver gave. Thread-safe. */
final class DeviceMemoryPool {
  /*
   * A region is a list of blocks; free blocks that adjoin are one. A free block knows the work that
   * used it. The next buffer there is written behind that work, because the buffer's first writer
   * waits for it on the device: so freeing and allocating call the driver for nothing, and memory
   * is free as soon as the host has closed its buffer.
   *
   * To get memory: the smallest block behind whose work the user's stream is anyway; else a new
   * region, if the limit allows; else the smallest block; else a new region instead of those that
   * are free as a whole, once the work on them is over.
   */
  private static final long GRANULE = 256;
  private static final long FIRST_REGION_BYTES = 2 << 20;

  /** While less was taken from the driver, it is cheaper to take more than to look for garbage. */
  private static final long LEAST_HASTENED_BYTES = 64 << 20;

  /** How many free blocks are looked at for one that needs no wait. */
  private static final int MAX_CANDIDATES = 32;

  /** How often an allocation waits for memory before it fails. */
  private static final int MAX_WAITS = 3;

  private static final Comparator<MemoryBlock> BY_SIZE =
      Comparator.comparingLong(MemoryBlock::bytes).thenComparingLong(MemoryBlock::address);

  private final ContextState state;
  private final CompletionPoller poller;
  private final long limit;
  private final boolean grows;
  private final BackgroundCollector collector;

  private final List<MemoryRegion> regions = new ArrayList<>();

  private final TreeSet<MemoryBlock> free = new TreeSet<>(BY_SIZE);

  private long nextRegionBytes = FIRST_REGION_BYTES;

  /** The driver has had no memory: it is asked again only where nothing else helps. */
  private boolean isDriverOut;

  private long inUse;

  private long peak;

  private long reserved;

  private long driverAllocations;

  /**
   * An empty pool.
   *
   * @param limit the most bytes that it takes from the driver
   * @param grows whether it takes them as they are needed; else {@link #reserveAll} takes them
   * @param collector finds the memory of tensors that nobody refers to
   */
  DeviceMemoryPool(
      ContextState state,
      CompletionPoller poller,
      long limit,
      boolean grows,
      BackgroundCollector collector) {
    this.state = state;
    this.collector = collector;
    this.poller = poller;
    this.limit = limit / GRANULE * GRANULE;
    this.grows = grows;
  }

  /** Takes all memory up to the limit as one region; less where the driver has not as much. */
  void reserveAll() {
    synchronized (state.lock) {
      if (!addRegion(state.enter(), limit, GRANULE)) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED, "%s has no free memory", state.device());
      }
    }
  }

  /**
   * Memory for a buffer, with undefined content.
   *
   * @param owner names the node or op in the table of who holds what
   * @param user the stream that probably uses it first
   * @param wait bounds a wait for work that uses the last free memory
   * @throws StatusException RESOURCE_EXHAUSTED, with that table, if there is not enough
   */
  DeviceBuffer allocate(long bytes, String owner, GpuStream user, HostWait wait) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a buffer of " + bytes + " bytes for " + owner);
    }
    if (bytes == 0) {
      state.check();
      return new DeviceBuffer(state, this, null, 0, owner);
    }
    long need = bytes > limit ? bytes : (bytes + GRANULE - 1) / GRANULE * GRANULE;
    for (int waits = 0; ; waits++) {
      List<CompletableFuture<Void>> pending;
      synchronized (state.lock) {
        MemoryBlock found = find(need, user);
        if (found == null) {
          pending = trim(need);
          found = grow(need, true) ? find(need, user) : null;
          if (found == null && (pending.isEmpty() || waits == MAX_WAITS)) {
            throw exhausted(bytes, owner);
          }
        } else {
          pending = List.of();
        }
        if (found != null) {
          DeviceBuffer taken = take(found, need, bytes, owner);
          if (isShort()) {
            collector.ask(this::isShort);
          }
          return taken;
        }
      }
      pending.forEach(work -> wait.await(work, "work that uses memory of " + state.device()));
    }
  }

  /**
   * Whether more than half of what was taken from the driver is in use, perhaps by tensors that
   * nobody refers to any more: a pool that grows would take all of a GPU that others use, too.
   */
  private boolean isShort() {
    synchronized (state.lock) {
      return reserved >= LEAST_HASTENED_BYTES && inUse > reserved / 2;
    }
  }

  private @Nullable MemoryBlock find(long need, GpuStream user) {
    state.check();
    MemoryBlock key = new MemoryBlock(new MemoryRegion(0, 0), 0, need);
    MemoryBlock ready = findReady(key, user);
    if (ready == null && free.ceiling(key) != null && poller.reap()) {
      ready = findReady(key, user);
    }
    if (ready != null || !grow(need, false)) {
      return ready == null ? free.ceiling(key) : ready;
    }
    return findReady(key, user);
  }

  /** The smallest free block that the user's stream may write without a wait. */
  private @Nullable MemoryBlock findReady(MemoryBlock key, GpuStream user) {
    int candidates = 0;
    for (MemoryBlock block : free.tailSet(key)) {
      if (user.isBehind(block.uses)) {
        return block;
      }
      if (++candidates == MAX_CANDIDATES) {
        return null;
      }
    }
    return null;
  }

  private DeviceBuffer take(MemoryBlock block, long need, long bytes, String owner) {
    free.remove(block);
    if (block.bytes() > need) {
      free.add(block.split(need));
    }
    block.setOwner(owner);
    inUse += need;
    peak = Math.max(peak, inUse);
    DeviceBuffer buffer = new DeviceBuffer(state, this, block, bytes, owner);
    buffer.uses().add(block.uses);
    return buffer;
  }

  /** Takes a block back, of which work may still be on its way. */
  void free(MemoryBlock block, StreamUses uses) {
    inUse -= block.bytes();
    block.setOwner(null);
    block.uses.clear();
    block.uses.add(uses);
    for (GpuStream stream : poller.streams()) {
      stream.wantEventAt(uses.of(stream.role()));
    }
    MemoryBlock behind = block.behind;
    if (behind != null && behind.owner() == null) {
      free.remove(behind);
      block.merge(behind);
    }
    MemoryBlock before = block.before;
    if (before != null && before.owner() == null) {
      free.remove(before);
      before.merge(block);
      free.add(before);
    } else {
      free.add(block);
    }
  }

  /**
   * Adds a region with room for {@code need} bytes, if the limit and the driver allow.
   *
   * @param insists whether to ask a driver again that had no memory
   */
  private boolean grow(long need, boolean insists) {
    long room = limit - reserved;
    if (!grows || need > room || (isDriverOut && !insists)) {
      return false;
    }
    long wanted = Math.min(Math.max(nextRegionBytes, need), room);
    if (!addRegion(state.enter(), wanted, need)) {
      isDriverOut = true;
      return false;
    }
    nextRegionBytes = Math.min(2 * nextRegionBytes, limit);
    return true;
  }

  /** Takes {@code wanted} bytes from the driver, or what it has of them, at least {@code least}. */
  private boolean addRegion(CudaDriver driver, long wanted, long least) {
    long bytes = wanted;
    while (true) {
      try {
        driverAllocations++;
        MemoryRegion region = new MemoryRegion(driver.memAlloc(bytes), bytes);
        regions.add(region);
        free.add(region.first());
        reserved += bytes;
        return true;
      } catch (CudaException e) {
        if (e.result() != CudaResult.OUT_OF_MEMORY) {
          throw state.failure(e);
        }
      }
      if (bytes <= least) {
        return false;
      }
      // As TensorFlow's allocator does: a tenth less each time.
      bytes = Math.max(least, bytes / 10 * 9 / GRANULE * GRANULE);
    }
  }

  /**
   * Gives free regions back to the driver, if that makes room for one of {@code need} bytes.
   *
   * @return the work that is still on free regions; when it is done, they can go
   */
  private List<CompletableFuture<Void>> trim(long need) {
    List<MemoryRegion> idle = regions.stream().filter(MemoryRegion::isFree).toList();
    long idleBytes = idle.stream().mapToLong(MemoryRegion::bytes).sum();
    if (!grows || idle.isEmpty() || need > limit - reserved + idleBytes) {
      return List.of();
    }
    List<CompletableFuture<Void>> pending = new ArrayList<>();
    for (GpuStream stream : poller.streams()) {
      if (idle.stream().anyMatch(region -> isOn(stream, region))) {
        pending.add(stream.completion());
      }
    }
    for (MemoryRegion region : idle) {
      if (poller.streams().stream().noneMatch(stream -> isOn(stream, region))) {
        release(region);
      }
    }
    return pending;
  }

  /** Whether work on the stream may still use a free region. */
  private static boolean isOn(GpuStream stream, MemoryRegion region) {
    return !stream.isFinished(region.first().uses.of(stream.role()));
  }

  private void release(MemoryRegion region) {
    try {
      state.enter().memFree(region.address());
    } catch (CudaException e) {
      throw state.failure(e);
    }
    regions.remove(region);
    free.remove(region.first());
    reserved -= region.bytes();
    isDriverOut = false;
  }

  private StatusException exhausted(long bytes, String owner) {
    long largest = free.isEmpty() ? 0 : free.last().bytes();
    return StatusException.of(
        StatusCode.RESOURCE_EXHAUSTED,
        "%s has no %s for %s: of %s, %s are in use, and the largest free piece has %s%s",
        state.device(),
        MemoryTable.size(bytes),
        owner,
        MemoryTable.size(grows ? limit : reserved),
        MemoryTable.size(inUse),
        MemoryTable.size(largest),
        MemoryTable.of(regions));
  }

  /** The pool's figures. */
  DeviceMemoryStatistics statistics() {
    synchronized (state.lock) {
      return new DeviceMemoryStatistics(inUse, peak, reserved, limit, driverAllocations);
    }
  }

  /** The regions, to check what must hold for their blocks. */
  List<MemoryRegion> regions() {
    return regions;
  }

  /** Gives all regions back; the work on them is over. */
  void destroy(CudaDriver driver) {
    List<MemoryRegion> all = List.copyOf(regions);
    regions.clear();
    Cleanup.forEach(all, region -> driver.memFree(region.address()));
  }
}
