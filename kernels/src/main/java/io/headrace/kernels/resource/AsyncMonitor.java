package io.headrace.kernels.resource;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A monitor whose callers wait without blocking a thread. An attempt that cannot proceed is queued
 * until a change of the state lets it complete, or its cancellation ends it. Attempts of one queue
 * complete in order. Thread-safe.
 */
final class AsyncMonitor {
  /** The progress of an attempt. */
  enum Progress {
    /** Nothing could be done in the present state. */
    NONE,
    /** The attempt changed the state, and has more to do. */
    SOME,
    /** The attempt is complete. */
    DONE
  }

  /**
   * A call that may wait. The monitor's lock is held during {@link #proceed} and {@link #withdraw}.
   */
  interface Attempt {
    /** Makes what progress the state allows; an exception completes the call exceptionally. */
    Progress proceed();

    /** Whether attempts queued behind this one may proceed while it waits. */
    default boolean allowsOvertaking() {
      return false;
    }

    /** The outputs of the call; called once, after completion, outside of the monitor. */
    default List<Tensor> outputs() {
      return List.of();
    }

    /** Undoes partial progress: the call was cancelled. */
    default void withdraw() {}
  }

  /** A queued attempt. */
  private static final class Waiter {
    final Attempt attempt;
    final String name;
    final CompletableFuture<List<Tensor>> result = new CompletableFuture<>();

    Waiter(Attempt attempt, String name) {
      this.attempt = attempt;
      this.name = name;
    }

    void succeed() {
      try {
        result.complete(attempt.outputs());
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    }

    void cancel() {
      result.completeExceptionally(cancellation(name));
    }
  }

  @GuardedBy("this")
  private final List<Deque<Waiter>> queues = new ArrayList<>();

  /** A monitor with {@code count} queues; a lower queue proceeds first. */
  AsyncMonitor(int count) {
    for (int i = 0; i < count; i++) {
      queues.add(new ArrayDeque<>());
    }
  }

  private static StatusException cancellation(String name) {
    return new StatusException(StatusCode.CANCELLED, name + " operation was cancelled");
  }

  /**
   * Appends {@code attempt} to {@code queue}. The result fails with the attempt's exception, or
   * with CANCELLED.
   *
   * @param name the name of the operation in messages
   */
  CompletableFuture<List<Tensor>> begin(
      int queue, String name, Attempt attempt, Cancellation cancellation) {
    if (cancellation.isCancelled()) {
      return CompletableFuture.failedFuture(cancellation(name));
    }
    Waiter waiter = new Waiter(attempt, name);
    synchronized (this) {
      queues.get(queue).add(waiter);
    }
    serve();
    if (!waiter.result.isDone()) {
      Cancellation.Registration registration = cancellation.onCancel(() -> withdraw(queue, waiter));
      var _ = waiter.result.whenComplete((_, _) -> registration.close());
    }
    return waiter.result;
  }

  private void withdraw(int queue, Waiter waiter) {
    synchronized (this) {
      if (!queues.get(queue).remove(waiter)) {
        return;
      }
      waiter.attempt.withdraw();
    }
    waiter.cancel();
    serve();
  }

  /** Reads the state within the monitor. */
  synchronized <T> T read(Supplier<T> reader) {
    return reader.get();
  }

  /** Changes the state, then lets queued attempts proceed. */
  void change(Runnable change) {
    synchronized (this) {
      change.run();
    }
    serve();
  }

  /** Changes the state and cancels all attempts of {@code queue}, then lets the others proceed. */
  void changeAndCancel(int queue, Runnable change) {
    List<Waiter> cancelled;
    synchronized (this) {
      change.run();
      cancelled = List.copyOf(queues.get(queue));
      queues.get(queue).clear();
      cancelled.forEach(waiter -> waiter.attempt.withdraw());
    }
    cancelled.forEach(Waiter::cancel);
    serve();
  }

  private void serve() {
    List<Runnable> ended = new ArrayList<>();
    synchronized (this) {
      boolean changed = true;
      while (changed) {
        changed = false;
        for (Deque<Waiter> queue : queues) {
          changed |= advance(queue, ended);
        }
      }
    }
    ended.forEach(Runnable::run);
  }

  private static boolean advance(Deque<Waiter> queue, List<Runnable> ended) {
    boolean changed = false;
    for (Iterator<Waiter> waiters = queue.iterator(); waiters.hasNext(); ) {
      Waiter waiter = waiters.next();
      Progress progress = proceed(waiter, ended);
      changed |= progress != Progress.NONE;
      if (progress == Progress.DONE) {
        waiters.remove();
      } else if (!waiter.attempt.allowsOvertaking()) {
        break;
      }
    }
    return changed;
  }

  private static Progress proceed(Waiter waiter, List<Runnable> ended) {
    try {
      Progress progress = waiter.attempt.proceed();
      if (progress == Progress.DONE) {
        ended.add(waiter::succeed);
      }
      return progress;
    } catch (RuntimeException e) {
      ended.add(() -> waiter.result.completeExceptionally(e));
      return Progress.DONE;
    }
  }
}
