package io.headrace.worker;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/**
 * How many splits to take at a time: as many as keep a task busy for some time, at the rate at
 * which it used the last ones up. That time is seconds where others make what this worker takes and
 * does not deliver, and a tenth of a second where that is lost. Used by one thread at a time.
 */
final class SplitPace {
  private static final Duration WORK_THAT_IS_LOST = Duration.ofMillis(100);

  /** Half of it is more than a dispatcher's start takes. */
  private static final Duration WORK_THAT_IS_REMADE = Duration.ofSeconds(6);

  private static final int MOST_GROWTH = 8;

  private final Ticker ticker;
  private final boolean remade;
  private long wanted = 1;

  /** Of the last answer: how many it gave, how many of them are left, and when it was begun. */
  private long given;

  private long left;
  private long begunNanos;

  /** Where what is left behind is {@code remade}, or is not. */
  SplitPace(Ticker ticker, boolean remade) {
    this.ticker = ticker;
    this.remade = remade;
  }

  /** So many were given, and are begun now; what was left of those before is left out. */
  void got(long splits) {
    given = splits;
    left = splits;
    begunNanos = ticker.nanoTime();
  }

  /** So many of them are used up. */
  void used(long splits) {
    left -= splits;
  }

  /** Whether it is time to ask for the next ones, while there are some left. */
  boolean asksAhead() {
    return remade && left < given && left <= given / 2;
  }

  /** How many to ask for now. */
  long wanted() {
    if (given > left) {
      double used = given - left;
      double perNano = used / Math.max(1, ticker.nanoTime() - begunNanos);
      Duration work = remade ? WORK_THAT_IS_REMADE : WORK_THAT_IS_LOST;
      wanted = (long) Math.clamp(perNano * work.toNanos(), 1, (double) given * MOST_GROWTH);
    }
    return wanted;
  }
}
