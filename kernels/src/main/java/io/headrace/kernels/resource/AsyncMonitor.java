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
 * A monitor whose callers wait without a thread: a call that cannot be done yet stands in a line
 * until a change of the state, or its cancellation, ends it. Calls of one line are done in order.
 * Thread-safe.
 */
final class AsyncMonitor {
  /** How far an attempt has come. */
  enum Progress {
    /** The state has to change first. */
    NONE,
    /** It changed the state, and is not done. */
    SOME,
    /** It is done. */
    DONE
  }

  /** A call that may wait. It proceeds and is withdrawn while nobody else is in the monitor. */
  interface Attempt {
    /** Does what can be done now; what it throws ends the call. */
    Progress proceed();

    /** Whether those behind it in its line are looked at while it waits. */
    default boolean letsOthersPass() {
      return false;
    }

    /** What the call gives, asked for once when it is done, and outside of the monitor. */
    default List<Tensor> outputs() {
      return List.of();
    }

    /** The call is cancelled: what it took is given back. */
    default void withdraw() {}
  }

  /** An attempt in its line. */
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
  private final List<Deque<Waiter>> lines = new ArrayList<>();

  /** With {@code count} lines, of which the first is looked at first. */
  AsyncMonitor(int count) {
    for (int i = 0; i < count; i++) {
      lines.add(new ArrayDeque<>());
    }
  }

  private static StatusException cancellation(String name) {
    return new StatusException(StatusCode.CANCELLED, name + " operation was cancelled");
  }

  /**
   * Begins {@code attempt} in a line. The result fails with what the attempt throws, or CANCELLED.
   *
   * @param name what the call is called in messages
   */
  CompletableFuture<List<Tensor>> begin(
      int line, String name, Attempt attempt, Cancellation cancellation) {
    if (cancellation.isCancelled()) {
      return CompletableFuture.failedFuture(cancellation(name));
    }
    Waiter waiter = new Waiter(attempt, name);
    synchronized (this) {
      lines.get(line).add(waiter);
    }
    serve();
    if (!waiter.result.isDone()) {
      Cancellation.Registration registration = cancellation.onCancel(() -> withdraw(line, waiter));
      var _ = waiter.result.whenComplete((_, _) -> registration.close());
    }
    return waiter.result;
  }

  private void withdraw(int line, Waiter waiter) {
    synchronized (this) {
      if (!lines.get(line).remove(waiter)) {
        return;
      }
      waiter.attempt.withdraw();
    }
    waiter.cancel();
    serve();
  }

  /** What {@code look} sees of the state. */
  synchronized <T> T look(Supplier<T> look) {
    return look.get();
  }

  /** Changes the state, and goes on with those who waited for it. */
  void change(Runnable change) {
    synchronized (this) {
      change.run();
    }
    serve();
  }

  /** Changes the state while cancelling all calls of a line, then goes on with the others. */
  void changeAndCancel(int line, Runnable change) {
    List<Waiter> cancelled;
    synchronized (this) {
      change.run();
      cancelled = List.copyOf(lines.get(line));
      lines.get(line).clear();
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
        for (Deque<Waiter> line : lines) {
          changed |= advance(line, ended);
        }
      }
    }
    ended.forEach(Runnable::run);
  }

  private static boolean advance(Deque<Waiter> line, List<Runnable> ended) {
    boolean changed = false;
    for (Iterator<Waiter> waiters = line.iterator(); waiters.hasNext(); ) {
      Waiter waiter = waiters.next();
      Progress progress = proceed(waiter, ended);
      changed |= progress != Progress.NONE;
      if (progress == Progress.DONE) {
        waiters.remove();
      } else if (!waiter.attempt.letsOthersPass()) {
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
