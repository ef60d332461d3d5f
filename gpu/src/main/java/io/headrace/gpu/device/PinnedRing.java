package io.headrace.gpu.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.runtime.device.Cleanup;
import io.headrace.runtime.status.StatusException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of slots of pinned host memory, through which copies of one direction pass. A
 * slot is allocated when it is first needed, and given back when its copy is done. The first to
 * wait gets the next slot. Thread-safe.
 */
final class PinnedRing {
  private final ContextState state;
  private final int maxSlots;
  private final long slotBytes;

  @GuardedBy("this")
  private final List<MemorySegment> slots = new ArrayList<>();

  @GuardedBy("this")
  private final ArrayDeque<MemorySegment> idle = new ArrayDeque<>();

  @GuardedBy("this")
  private final ArrayDeque<CompletableFuture<MemorySegment>> waiters = new ArrayDeque<>();

  PinnedRing(ContextState state, int maxSlots, long slotBytes) {
    this.state = state;
    this.maxSlots = maxSlots;
    this.slotBytes = slotBytes;
    state.onEnd(this::failWaiters);
  }

  /** The size of a slot. */
  long slotBytes() {
    return slotBytes;
  }

  /** A slot, waited for if all are in use; to be {@linkplain #give given back}. */
  MemorySegment take(HostWait wait) {
    CompletableFuture<MemorySegment> waiter = new CompletableFuture<>();
    CudaDriver driver = state.enter();
    synchronized (this) {
      MemorySegment slot = takeIdle(driver);
      if (slot != null) {
        return slot;
      }
      waiters.add(waiter);
    }
    if (state.end() != null) {
      failWaiters();
    }
    try {
      return wait.await(waiter, "a pinned buffer of " + state.device());
    } catch (StatusException e) {
      if (!waiter.completeExceptionally(e) && !waiter.isCompletedExceptionally()) {
        give(waiter.join());
      }
      throw e;
    }
  }

  /** A slot, or null if all are in use. */
  @Nullable MemorySegment tryTake() {
    CudaDriver driver = state.enter();
    synchronized (this) {
      return takeIdle(driver);
    }
  }

  @GuardedBy("this")
  private @Nullable MemorySegment takeIdle(CudaDriver driver) {
    MemorySegment slot = idle.poll();
    if (slot != null || slots.size() == maxSlots) {
      return slot;
    }
    try {
      slot = driver.memHostAlloc(slotBytes);
    } catch (CudaException e) {
      throw state.failure(e);
    }
    slots.add(slot);
    return slot;
  }

  /** Gives a slot back: its copy is done. */
  synchronized void give(MemorySegment slot) {
    CompletableFuture<MemorySegment> waiter = waiters.poll();
    while (waiter != null) {
      if (waiter.complete(slot)) {
        return;
      }
      waiter = waiters.poll();
    }
    idle.add(slot);
  }

  /** How many slots are not in use, of those that are allocated. */
  synchronized int idle() {
    return idle.size();
  }

  private void failWaiters() {
    List<CompletableFuture<MemorySegment>> left;
    synchronized (this) {
      left = List.copyOf(waiters);
      waiters.clear();
    }
    StatusException reason = state.end();
    if (reason != null) {
      left.forEach(waiter -> waiter.completeExceptionally(reason));
    }
  }

  /** Frees all slots, of which none is in use. */
  synchronized void destroy(CudaDriver driver) {
    List<MemorySegment> all = List.copyOf(slots);
    slots.clear();
    idle.clear();
    Cleanup.forEach(all, driver::memFreeHost);
  }
}
