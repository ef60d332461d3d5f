package io.headrace.journal;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Tries again, within a bound and ever less often, what may go by. Thread-safe. */
final class GcsRetry {
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 2_000;

  private final Ticker ticker;
  private final Duration patience;

  /** Gives up when a failure comes later than {@code patience} after the first try. */
  GcsRetry(Ticker ticker, Duration patience) {
    this.ticker = ticker;
    this.patience = patience;
  }

  /** What is tried. */
  @FunctionalInterface
  interface Request<T> {
    T send() throws GcsFailure;
  }

  /** Sends until that works, or until there is no more sense in it. */
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

  /** The tries of one request. Not thread-safe. */
  final class Attempts {
    private final long startNanos = ticker.nanoTime();
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    /** Waits before the next try, or throws {@code failure} if there should be none. */
    void failed(GcsFailure failure) throws GcsFailure {
      if (!failure.isTransient() || ticker.nanoTime() - startNanos >= patience.toNanos()) {
        throw failure;
      }
      try {
        // Half of it at random, so that those who failed together do not come back together.
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
