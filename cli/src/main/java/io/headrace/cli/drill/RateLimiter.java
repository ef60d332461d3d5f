package io.headrace.cli.drill;

import io.headrace.runtime.time.Ticker;

/** Limits the rate of an action; does not catch up after a delay. */
final class RateLimiter {
  /** The tolerated lead: shorter sleeps cost more than they gain. */
  private static final long SLACK_NANOS = 5_000_000;

  private final Ticker ticker;
  private final double intervalNanos;
  private double aheadNanos;
  private long lastNanos;

  RateLimiter(Ticker ticker, double intervalNanos) {
    this.ticker = ticker;
    this.intervalNanos = intervalNanos;
    this.lastNanos = ticker.nanoTime();
  }

  /** Counts one action; returns when the next is due. */
  void await() throws InterruptedException {
    long now = ticker.nanoTime();
    aheadNanos = Math.max(0, aheadNanos - (now - lastNanos)) + intervalNanos;
    lastNanos = now;
    if (aheadNanos > SLACK_NANOS) {
      Thread.sleep((long) aheadNanos / 1_000_000, (int) ((long) aheadNanos % 1_000_000));
    }
  }
}
