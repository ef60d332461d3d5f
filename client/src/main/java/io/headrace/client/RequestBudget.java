package io.headrace.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The elements that a reader may ask for ahead, over all its tasks. A request takes one, and gives
 * it back when its element is taken, or when it has none. Those that must wait get their turn in
 * the order in which they asked. Thread-safe.
 */
final class RequestBudget {
  /**
   * The value of the input {@code max_outstanding_requests} that leaves the bound to the reader.
   */
  static final long AUTOTUNE = -1;

  @GuardedBy("this")
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private long free;

  /** A budget of {@code most} elements, at least one. */
  RequestBudget(long most) {
    free = most;
  }

  /**
   * INVALID_ARGUMENT unless {@code most} is a bound, which {@code transfer} can keep: the rows of a
   * stream are bounded by their bytes.
   */
  static void check(long most, Transfer transfer) {
    if (most < 1) {
      throw StatusException.invalidArgument(
          "max_outstanding_requests must be positive or %d: %d", AUTOTUNE, most);
    }
    if (transfer == Transfer.STREAM) {
      throw StatusException.invalidArgument(
          "max_outstanding_requests bounds requests for single elements, which the transfer %s"
              + " does not make: use %s or %s",
          Transfer.STREAM, Transfer.GRPC, Transfer.AUTO);
    }
  }

  /** Takes an element; returns false if none is left, and calls {@code onFree} once one may be. */
  synchronized boolean take(Runnable onFree) {
    if (free > 0) {
      free--;
      return true;
    }
    if (!waiting.contains(onFree)) {
      waiting.addLast(onFree);
    }
    return false;
  }

  /** Gives {@code elements} back. The caller holds no lock of those that may be waiting. */
  void give(int elements) {
    add(elements);
    for (Runnable next = nextWaiting(); next != null; next = nextWaiting()) {
      next.run();
    }
  }

  private synchronized void add(int elements) {
    free += elements;
  }

  private synchronized @Nullable Runnable nextWaiting() {
    return free > 0 ? waiting.poll() : null;
  }
}
