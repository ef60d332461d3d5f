package io.headrace.gpu.device;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long the host waits for a device at one place: until {@code timeout} is over, or {@code
 * cancellation} is cancelled. Immutable.
 */
public record HostWait(Duration timeout, Cancellation cancellation) {
  /** A bound that no healthy device comes near. */
  private static final Duration LONG = Duration.ofMinutes(10);

  /** A wait that nothing cancels, of at most ten minutes. */
  public static HostWait uncancelled() {
    return new HostWait(LONG, new Cancellation());
  }

  /** A wait of at most ten minutes. */
  public static HostWait until(Cancellation cancellation) {
    return new HostWait(LONG, cancellation);
  }

  /**
   * Waits for {@code work}, which goes on where the wait ends early.
   *
   * @param subject names the work in an error
   * @throws StatusException DEADLINE_EXCEEDED, CANCELLED, or the work's own failure
   */
  public <T> T await(CompletableFuture<T> work, String subject) {
    if (cancellation.isCancelled()) {
      throw cancelled(subject);
    }
    CompletableFuture<T> result = work.copy();
    try (var _ = cancellation.onCancel(() -> result.completeExceptionally(cancelled(subject)))) {
      return result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new StatusException(
          StatusCode.DEADLINE_EXCEEDED, subject + " was not done in " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(
          StatusCode.CANCELLED, "the thread that waited for " + subject + " was interrupted", e);
    } catch (ExecutionException e) {
      throw unwrap(e, subject);
    }
  }

  private static StatusException cancelled(String subject) {
    return new StatusException(StatusCode.CANCELLED, "the wait for " + subject + " was cancelled");
  }

  /** The failure behind {@code e}, with the stack of the thread that waited. */
  private static StatusException unwrap(Throwable e, String subject) {
    Throwable cause = e;
    while (!(cause instanceof StatusException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof StatusException known
        ? new StatusException(known.code(), known.message(), known)
        : new StatusException(StatusCode.INTERNAL, subject + " failed: " + cause, cause);
  }
}
