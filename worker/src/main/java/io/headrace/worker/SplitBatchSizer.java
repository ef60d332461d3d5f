package io.headrace.worker;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/**
 * Adapts the number of splits to request at a time: as many as keep the task busy for a target
 * time, at the rate at which it used up the last ones. The target is 6 s if splits that this worker
 * takes and does not deliver are produced again elsewhere; if they are lost, it is much shorter. It
 * is three times as long as the dispatcher takes to answer at the least. Not thread-safe.
 */
final class SplitBatchSizer {
  private static final Duration TARGET_IF_LOST = Duration.ofMillis(100);

  /** Half of it is longer than a dispatcher's restart takes. */
  private static final Duration TARGET_IF_REMADE = Duration.ofSeconds(6);

  private static final int MAX_GROWTH = 8;
  private static final int MIN_LATENCIES = 3;

  private final Ticker ticker;
  private final boolean remade;
  private final Duration target;
  private long wanted = 1;

  /** The last reply: its splits, the remaining ones, and when the first was started. */
  private long given;

  private long left;
  private long begunNanos;
  private boolean asked;
  private long askedNanos;
  private long latencyNanos;

  private SplitBatchSizer(Ticker ticker, boolean remade, Duration target) {
    this.ticker = ticker;
    this.remade = remade;
    this.target = target;
  }

  /** Starts with one split of a task whose undelivered splits are produced again elsewhere. */
  static SplitBatchSizer ifRemade(Ticker ticker) {
    return new SplitBatchSizer(ticker, true, TARGET_IF_REMADE);
  }

  /**
   * Starts with one split of a task whose undelivered splits are lost.
   *
   * @param ticker measures the rate
   * @param maxAhead the target time; zero for the default
   */
  static SplitBatchSizer ifLost(Ticker ticker, Duration maxAhead) {
    return new SplitBatchSizer(ticker, false, maxAhead.isZero() ? TARGET_IF_LOST : maxAhead);
  }

  /** Records a reply of {@code splits} splits, started now; replaces the previous reply. */
  void got(long splits) {
    given = splits;
    left = splits;
    begunNanos = ticker.nanoTime();
    latencyNanos = asked && !remade ? begunNanos - askedNanos : 0;
    asked = false;
  }

  /** Records that {@code splits} splits are used up. */
  void used(long splits) {
    left -= splits;
  }

  /** Whether to request the next splits now, while some remain. */
  boolean asksAhead() {
    return remade && left < given && left <= given / 2;
  }

  /** The number of splits to request now. */
  long wanted() {
    if (given > left) {
      double used = given - left;
      double perNano = used / Math.max(1, ticker.nanoTime() - begunNanos);
      long nanos = Math.max(target.toNanos(), latencyNanos * MIN_LATENCIES);
      wanted = (long) Math.clamp(perNano * nanos, 1, (double) given * MAX_GROWTH);
    }
    asked = true;
    askedNanos = ticker.nanoTime();
    return wanted;
  }
}
