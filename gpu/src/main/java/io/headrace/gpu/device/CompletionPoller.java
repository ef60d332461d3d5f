package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures when work of a context's streams is done, on a thread of its own. The thread
 * asks the driver, and sleeps between; without anything to wait for it sleeps until there is. When
 * the context ends, it fails what is left, and ends. Thread-safe.
 */
final class CompletionPoller {
  /*
   * A sleep is a ninth of the time that was waited so far: no work seems longer by more than that,
   * and the thread needs little of a processor while long work is on its way.
   */
  private static final long SHORTEST_SLEEP_NANOS = 10_000;
  private static final long LONGEST_SLEEP_NANOS = 1_000_000;

  private final ContextState state;
  private final List<GpuStream> streams = new ArrayList<>();

  private final List<Waiter> waiters = new ArrayList<>();

  /** Whether a waiter has come since the thread last asked. */
  private volatile boolean hasNew;

  private volatile @Nullable Thread thread;

  /** A future that waits for work {@code position} of a stream. */
  record Waiter(GpuStream stream, long position, CompletableFuture<Void> done) {}

  CompletionPoller(ContextState state) {
    this.state = state;
    state.onEnd(this::wake);
  }

  /** Adds a stream, before the poller is used. */
  void addStream(GpuStream stream) {
    streams.add(stream);
  }

  /** The streams of the context. */
  List<GpuStream> streams() {
    return streams;
  }

  /** Completes a future when its work is done. */
  void add(Waiter waiter) {
    synchronized (state.lock) {
      state.check();
      waiters.add(waiter);
      hasNew = true;
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name(state.device() + "-poller").start(this::run);
      }
    }
    wake();
  }

  private void wake() {
    LockSupport.unpark(thread);
  }

  private void run() {
    long sleep = SHORTEST_SLEEP_NANOS;
    while (state.end() == null) {
      boolean isFresh = hasNew;
      hasNew = false;
      List<Waiter> done = takeDone();
      done.forEach(waiter -> waiter.done().complete(null));
      if (isFresh || !done.isEmpty()) {
        sleep = SHORTEST_SLEEP_NANOS;
      }
      if (!done.isEmpty()) {
        continue;
      }
      if (isIdle()) {
        LockSupport.park(this);
        sleep = SHORTEST_SLEEP_NANOS;
      } else {
        LockSupport.parkNanos(this, sleep);
        sleep = Math.min(sleep + sleep / 8, LONGEST_SLEEP_NANOS);
      }
    }
    failAll();
  }

  private boolean isIdle() {
    synchronized (state.lock) {
      return waiters.isEmpty() && state.end() == null;
    }
  }

  /** Removes the waiters whose work is done; none if the context has ended. */
  private List<Waiter> takeDone() {
    List<Waiter> done = new ArrayList<>();
    synchronized (state.lock) {
      if (waiters.isEmpty() || !reap()) {
        return done;
      }
      for (Iterator<Waiter> all = waiters.iterator(); all.hasNext(); ) {
        Waiter waiter = all.next();
        if (waiter.stream().isFinished(waiter.position())) {
          all.remove();
          done.add(waiter);
        }
      }
    }
    return done;
  }

  /** Asks for each stream how far it is; false if the context has ended. */
  boolean reap() {
    try {
      CudaDriver driver = state.enter();
      for (GpuStream stream : streams) {
        stream.reap(driver);
      }
      return true;
    } catch (CudaException e) {
      var _ = state.failure(e);
    } catch (StatusException _) {
      // The context has ended on another thread.
    }
    return state.end() == null;
  }

  private void failAll() {
    List<Waiter> left;
    StatusException reason = state.end();
    synchronized (state.lock) {
      left = List.copyOf(waiters);
      waiters.clear();
    }
    if (reason != null) {
      left.forEach(waiter -> waiter.done().completeExceptionally(reason));
    }
  }
}
