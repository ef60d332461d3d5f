package io.headrace.dispatcher;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/**
 * A clock that stands still while the dispatcher does: a step between two readings counts for at
 * most {@link #LONGEST_STEP}, so a suspended process or a journal outage expires no lease. The
 * workers' checks read it every second. Used on the {@link CommitLoop} only.
 */
final class AwakeTicker implements Ticker {
  static final Duration LONGEST_STEP = WorkerMonitor.PERIOD.multipliedBy(2);

  private final Ticker ticker;
  private long lastNanos;
  private long wakingNanos;

  AwakeTicker(Ticker ticker) {
    this.ticker = ticker;
    lastNanos = ticker.nanoTime();
  }

  @Override
  public long nanoTime() {
    long nowNanos = ticker.nanoTime();
    wakingNanos += Math.min(nowNanos - lastNanos, LONGEST_STEP.toNanos());
    lastNanos = nowNanos;
    return wakingNanos;
  }
}
