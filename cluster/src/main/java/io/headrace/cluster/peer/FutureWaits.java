package io.headrace.cluster.peer;

import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocking waits for futures, and the status of a failed one. */
public final class FutureWaits {
  private FutureWaits() {}

  /** The value of {@code future}; throws the StatusException that it failed with. */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException | CancellationException e) {
      throw status(e);
    }
  }

  /** Waits for all of {@code futures}; throws the first failure, if any failed. */
  public static void awaitAll(Collection<? extends CompletableFuture<?>> futures) {
    CompletableFuture<?>[] all = futures.toArray(CompletableFuture[]::new);
    await(CompletableFuture.allOf(all));
  }

  /**
   * Waits until {@code future} completes or fails, for {@code atMost} at most; an interrupt ends
   * the waiting.
   *
   * @return whether it is done
   */
  public static boolean awaitEnd(CompletableFuture<?> future, Duration atMost) {
    try {
      var _ = future.handle((_, _) -> null).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      // The outcome does not matter.
    }
    return future.isDone();
  }

  /**
   * The status of {@code failure}: its own, CANCELLED for a cancelled future, INTERNAL for a bug.
   */
  public static StatusException status(Throwable failure) {
    Throwable cause = UnaryCalls.cause(failure);
    return switch (cause) {
      case StatusException e -> e;
      case CancellationException e ->
          new StatusException(StatusCode.CANCELLED, "the operation was cancelled", e);
      default -> new StatusException(StatusCode.INTERNAL, "internal error: " + cause, cause);
    };
  }
}
