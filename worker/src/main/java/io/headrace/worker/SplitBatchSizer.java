package io.headrace.worker;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/**
 * Adapts the number of splits to request at a time: as many as keep the task busy for a target
 * time, at the rate at which it used up the last ones. The target is 6 s if splits that this worker
 * takes and does not deliver are produced again elsewhere, and 0.1 s if they are lost. Not
 * thread-safe.
 */
final class SplitBatchSizer {
  private static final Duration TARGET_IF_LOST = Duration.ofMillis(100);

  /** Half of it is longer than a dispatcher's restart takes. */
  private static final Duration TARGET_IF_REMADE = Duration.ofSeconds(6);

  private static final int MAX_GROWTH = 8;

  private final Ticker ticker;
  private final boolean remade;
  private long wanted = 1;

  /** The last reply: its splits, the remaining ones, and when the first was started. */
  private long given;

  private long left;
  private long begunNanos;

  /**
   * Starts with one split.
   *
   * @param remade whether undelivered splits are produced again elsewhere
   */
  SplitBatchSizer(Ticker ticker, boolean remade) {
    this.ticker = ticker;
    this.remade = remade;
  }

  /** Records a reply of {@code splits} splits, started now; replaces the previous reply. */
  void got(long splits) {
    given = splits;
    left = splits;
    begunNanos = ticker.nanoTime();
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
      Duration work = remade ? TARGET_IF_REMADE : TARGET_IF_LOST;
      wanted = (long) Math.clamp(perNano * work.toNanos(), 1, (double) given * MAX_GROWTH);
    }
    return wanted;
  }
}
