package io.headrace.journal;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Retries transient failures with exponential backoff and jitter, for a limited time. Thread-safe.
 */
final class GcsRetry {
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 2_000;

  private final Ticker ticker;
  private final Duration patience;

  /** Retries until a failure comes later than {@code patience} after the first attempt. */
  GcsRetry(Ticker ticker, Duration patience) {
    this.ticker = ticker;
    this.patience = patience;
  }

  /** A request to retry. */
  @FunctionalInterface
  interface Request<T> {
    T send() throws GcsFailure;
  }

  /** Sends a request until it succeeds, fails for good, or the time is over. */
  <T> T call(Request<T> request) throws GcsFailure {
    Attempts attempts = begin();
    while (true) {
      try {
        return request.send();
      } catch (GcsFailure e) {
        attempts.failed(e);
      }
    }
  }

  Attempts begin() {
    return new Attempts();
  }

  /** The attempts of one request. Not thread-safe. */
  final class Attempts {
    private final long startNanos = ticker.nanoTime();
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    /** Pauses before the next attempt, or throws {@code failure} if there is to be none. */
    void failed(GcsFailure failure) throws GcsFailure {
      if (!failure.isTransient() || ticker.nanoTime() - startNanos >= patience.toNanos()) {
        throw failure;
      }
      try {
        // Random jitter keeps processes that failed together from retrying together.
        Thread.sleep(pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failure.addSuppressed(e);
        throw failure;
      }
      pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
    }
  }
}
