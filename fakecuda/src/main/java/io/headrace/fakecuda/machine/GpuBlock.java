package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One block of threads while it runs. Used by one thread. */
final class GpuBlock {
  /** The threads of a warp. */
  static final int WARP = 32;

  /** The address of the first byte of shared memory: not 0, so that nothing relies on that. */
  static final long SHARED_BASE = 1024;

  final KernelLaunch launch;
  final Dimensions size;
  final int x;
  final int y;
  final int z;
  final @Nullable MemoryTraffic traffic;
  private final byte[] shared;
  private final AccessHistory sharedHistory;
  private final List<GpuThread> threads = new ArrayList<>();

  /** The threads that neither wait nor have exited, in no order. */
  private final List<GpuThread> runnable = new ArrayList<>();

  private int exited;
  private int now;

  GpuBlock(KernelLaunch launch, KernelCode code, int number, @Nullable MemoryTraffic traffic) {
    this.launch = launch;
    this.traffic = traffic;
    this.size = launch.block();
    Dimensions grid = launch.grid();
    x = number % grid.x();
    y = number / grid.x() % grid.y();
    z = number / grid.x() / grid.y();
    shared = new byte[code.sharedBytes() + launch.dynamicSharedBytes()];
    sharedHistory = new AccessHistory(shared.length, AccessOrder.SEQUENTIAL, new ReadSets());
    int count = size.count();
    for (int i = 0; i < count; i++) {
      Accessor accessor = new Accessor(launch.operation(), number * count + i, count);
      threads.add(new GpuThread(code, this, i, accessor));
    }
    runnable.addAll(threads);
  }

  boolean isDone() {
    return exited == threads.size();
  }

  List<GpuThread> runnable() {
    return runnable;
  }

  /** Takes a thread that waits or has exited from those that run, and lets others go on by it. */
  void onStop(GpuThread thread) {
    runnable.remove(thread);
    if (thread.hasExited) {
      exited++;
    }
    if (thread.waitsAt instanceof WarpOperation operation) {
      completeIfAllWait(thread, operation);
    } else {
      releaseIfAllWait();
    }
    if (runnable.isEmpty() && !isDone()) {
      throw new GpuFault(Kind.SYNCHRONIZATION, "all threads wait: " + describeWaiting());
    }
  }

  private String describeWaiting() {
    GpuThread first =
        threads.stream().filter(thread -> !thread.hasExited).findFirst().orElseThrow();
    return "%d have exited, thread %d is before %s"
        .formatted(exited, first.index, first.code.places().get(first.pc));
  }

  private void releaseIfAllWait() {
    if (!runnable.isEmpty() || isDone()) {
      return;
    }
    List<GpuThread> waiting = threads.stream().filter(thread -> !thread.hasExited).toList();
    if (!waiting.stream().allMatch(thread -> thread.waitsAt instanceof BlockBarrier)) {
      return;
    }
    if (exited > 0) {
      throw new GpuFault(
          Kind.SYNCHRONIZATION,
          "%d threads wait at a barrier that %d exited without".formatted(waiting.size(), exited));
    }
    checkIsOneBarrier(waiting);
    now++;
    for (GpuThread thread : waiting) {
      thread.accessor.now = now;
      thread.accessor.blockBarrier = now;
      thread.accessor.warpBarrier = now;
      resume(thread);
    }
  }

  /** Fails unless all wait at one barrier, and those of a warp at one instruction. */
  private static void checkIsOneBarrier(List<GpuThread> waiting) {
    BlockBarrier first = (BlockBarrier) Objects.requireNonNull(waiting.getFirst().waitsAt);
    for (GpuThread thread : waiting) {
      BlockBarrier barrier = (BlockBarrier) Objects.requireNonNull(thread.waitsAt);
      GpuThread leader = waiting.get(thread.index / WARP * WARP);
      if (barrier.number() != first.number() || !barrier.equals(leader.waitsAt)) {
        throw new GpuFault(
            Kind.SYNCHRONIZATION,
            "threads wait at different barriers: thread %d at %d, thread %d at %d"
                .formatted(leader.index, first.number(), thread.index, barrier.number()));
      }
    }
  }

  private void completeIfAllWait(GpuThread thread, WarpOperation operation) {
    int mask = thread.mask;
    if (((mask >>> thread.lane()) & 1) == 0) {
      throw new GpuFault(Kind.SYNCHRONIZATION, "a lane is not in its own mask");
    }
    int first = thread.index / WARP * WARP;
    List<GpuThread> lanes = new ArrayList<>();
    List<GpuThread> warp = threads.subList(first, Math.min(first + WARP, threads.size()));
    boolean isWholeWarp = true;
    int present = 0;
    for (GpuThread lane : warp) {
      if (((mask >>> lane.lane()) & 1) == 0) {
        isWholeWarp &= lane.hasExited;
        continue;
      }
      if (lane.hasExited) {
        throw new GpuFault(
            Kind.SYNCHRONIZATION, "lane %d of the mask has exited".formatted(lane.lane()));
      }
      if (!operation.equals(lane.waitsAt)) {
        return;
      }
      if (lane.mask != mask) {
        throw new GpuFault(
            Kind.SYNCHRONIZATION,
            "lanes %d and %d wait for different masks".formatted(thread.lane(), lane.lane()));
      }
      present |= 1 << lane.lane();
      lanes.add(lane);
    }
    operation.complete(lanes, present);
    if (operation.ordersMemory() && isWholeWarp) {
      now++;
    }
    for (GpuThread lane : lanes) {
      if (operation.ordersMemory() && isWholeWarp) {
        lane.accessor.warpBarrier = now;
      }
      resume(lane);
    }
  }

  private void resume(GpuThread thread) {
    thread.waitsAt = null;
    thread.accessor.now = now;
    runnable.add(thread);
  }

  /** The bits at an address of shared memory. */
  long loadShared(GpuThread by, long address, int bytes) {
    int at = sharedOffset(address, bytes, "load");
    sharedHistory.read(by.accessor, at, bytes);
    return LittleEndian.get(shared, at, bytes);
  }

  /** Sets the bits at an address of shared memory. */
  void storeShared(GpuThread by, long address, int bytes, long value) {
    int at = sharedOffset(address, bytes, "store");
    sharedHistory.write(by.accessor, at, bytes);
    LittleEndian.set(shared, at, bytes, value);
  }

  /** The bits at an address of shared memory, which the caller sets atomically. */
  long beginSharedUpdate(GpuThread by, long address, int bytes) {
    int at = sharedOffset(address, bytes, "update");
    sharedHistory.update(by.accessor, at, bytes);
    return LittleEndian.get(shared, at, bytes);
  }

  /** Ends an atomic update. */
  void endSharedUpdate(long address, int bytes, long value) {
    LittleEndian.set(shared, sharedOffset(address, bytes, "update"), bytes, value);
  }

  private int sharedOffset(long address, int bytes, String access) {
    long at = address - SHARED_BASE;
    if (at < 0 || at > shared.length - bytes) {
      throw new GpuFault(
          Kind.ILLEGAL_ADDRESS,
          "%s of %d bytes at %d of %d bytes of shared memory"
              .formatted(access, bytes, at, shared.length));
    }
    return (int) at;
  }
}
