package io.headrace.cli.drill;

import io.headrace.runtime.time.Ticker;

/** Lets something happen so often and no oftener; after a delay it does not catch up. */
final class Pace {
  /** How far ahead of its time it may be: sleeping for less costs more than it brings. */
  private static final long SLACK_NANOS = 5_000_000;

  private final Ticker ticker;
  private final double intervalNanos;
  private double aheadNanos;
  private long lastNanos;

  Pace(Ticker ticker, double intervalNanos) {
    this.ticker = ticker;
    this.intervalNanos = intervalNanos;
    this.lastNanos = ticker.nanoTime();
  }

  /** One more; returns when it is time for the next. */
  void await() throws InterruptedException {
    long now = ticker.nanoTime();
    aheadNanos = Math.max(0, aheadNanos - (now - lastNanos)) + intervalNanos;
    lastNanos = now;
    if (aheadNanos > SLACK_NANOS) {
      Thread.sleep((long) aheadNanos / 1_000_000, (int) ((long) aheadNanos % 1_000_000));
    }
  }
}
