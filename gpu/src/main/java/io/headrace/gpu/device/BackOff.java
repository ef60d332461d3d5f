package io.headrace.gpu.device;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/**
 * How long a lost device is left alone: 100 ms, and twice as long after each loss or failure that
 * comes within a minute of the one before, up to 30 seconds. Thread-safe.
 */
final class BackOff {
  private static final long FIRST_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long CALM_NANOS = Duration.ofMinutes(1).toNanos();

  private final Ticker ticker;
  private boolean hasFailed;
  private long failedAtNanos;
  private long delayNanos;

  BackOff(Ticker ticker) {
    this.ticker = ticker;
  }

  /** The device was lost, or could not be opened. */
  synchronized void fail() {
    long now = ticker.nanoTime();
    boolean isCalm = !hasFailed || now - failedAtNanos > CALM_NANOS;
    delayNanos = isCalm ? FIRST_NANOS : Math.min(2 * delayNanos, LONGEST_NANOS);
    failedAtNanos = now;
    hasFailed = true;
  }

  /** How long it is still left alone; 0 or less if it may be tried. */
  synchronized long remainingNanos() {
    return hasFailed ? delayNanos - (ticker.nanoTime() - failedAtNanos) : 0;
  }
}
