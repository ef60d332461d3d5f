package io.headrace.dispatcher;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/**
 * Time as far as this dispatcher was awake in it: while it decides nothing, because its process or
 * its journal stands still, time stands still, too, and counts against nobody. It is asked again
 * and again, because the workers are looked after every second. Used on the {@link CommitLoop}
 * only.
 */
final class WakingTime implements Ticker {
  static final Duration LONGEST_STEP = WorkerMonitor.PERIOD.multipliedBy(2);

  private final Ticker ticker;
  private long lastNanos;
  private long wakingNanos;

  WakingTime(Ticker ticker) {
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
