package io.headrace.worker;

import java.time.Duration;

/**
 * Adapts how many rows a queue holds, so that these are what its readers take in a given time, one
 * at least: as many as they took in the last such time, and up to twice as many at a time while
 * they find the queue empty. Guarded by the queue's lock.
 */
final class ReadAheadLimit {
  /** The most rows held for each one that was taken of late; bounds growth by starving readers. */
  private static final int MAX_GROWTH = 4;

  private static final int MAX_ROWS = 1 << 16;

  private final Duration window;
  private long begunNanos;
  private long taken;
  private long takenBefore;
  private long takenSinceGrowth;
  private boolean starved;
  private long limit = 1;

  ReadAheadLimit(Duration window, long nowNanos) {
    this.window = window;
    begunNanos = nowNanos;
  }

  /** The most rows to hold now. */
  int rows() {
    return (int) limit;
  }

  /** Readers took {@code rows} rows. */
  void taken(int rows, long nowNanos) {
    taken += rows;
    takenSinceGrowth += rows;
    if (nowNanos - begunNanos >= window.toNanos()) {
      double inWindow = (double) taken * window.toNanos() / (nowNanos - begunNanos);
      if (!starved) {
        limit = (long) Math.clamp(inWindow, 1, MAX_ROWS);
      }
      takenBefore = (long) inWindow;
      taken = 0;
      starved = false;
      begunNanos = nowNanos;
    }
  }

  /** A reader found no row. */
  void starve() {
    starved = true;
    if (takenSinceGrowth >= limit) {
      takenSinceGrowth = 0;
      long most = Math.clamp(MAX_GROWTH * (taken + takenBefore), 1, MAX_ROWS);
      limit = Math.max(1, Math.min(2 * limit, most));
    }
  }
}
