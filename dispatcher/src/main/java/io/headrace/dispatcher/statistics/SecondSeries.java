package io.headrace.dispatcher.statistics;

import java.util.Arrays;

/**
 * A quantity for each of the last {@link #SECONDS} seconds. An amount that was measured over some
 * time is spread evenly over the seconds of that time. Seconds are those of the dispatcher's
 * ticker. Not thread-safe.
 */
final class SecondSeries {
  static final int SECONDS = 600;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final float[] ring = new float[SECONDS];

  /** The last second that the ring has; the least value before the first amount. */
  private long last = Long.MIN_VALUE;

  /** The same amounts; what is added to one is not in the other. */
  SecondSeries copy() {
    SecondSeries copy = new SecondSeries();
    System.arraycopy(ring, 0, copy.ring, 0, SECONDS);
    copy.last = last;
    return copy;
  }

  /** The second of a time. */
  static long second(long nanos) {
    return Math.floorDiv(nanos, NANOS_PER_SECOND);
  }

  /**
   * Adds {@code amount}, which was measured between two times; nothing if there is none between.
   */
  void add(long fromNanos, long toNanos, double amount) {
    if (toNanos - fromNanos <= 0) {
      return;
    }
    long end = second(toNanos);
    moveTo(end);
    double perNano = amount / (toNanos - fromNanos);
    long begin = Math.max(second(fromNanos), last - SECONDS + 1);
    for (long second = begin; second <= end; second++) {
      long from = Math.max(fromNanos, second * NANOS_PER_SECOND);
      long to = Math.min(toNanos, (second + 1) * NANOS_PER_SECOND);
      ring[index(second)] += (float) (perNano * Math.max(0, to - from));
    }
  }

  /** The sum of the amounts of {@code second}; 0 for one that it does not have. */
  double at(long second) {
    return last != Long.MIN_VALUE && second <= last && second > last - SECONDS
        ? ring[index(second)]
        : 0;
  }

  /** The last second with an amount; the least value before the first. */
  long last() {
    return last;
  }

  private void moveTo(long second) {
    if (last == Long.MIN_VALUE || second - last >= SECONDS) {
      Arrays.fill(ring, 0);
      last = second;
    }
    while (last < second) {
      last++;
      ring[index(last)] = 0;
    }
  }

  private static int index(long second) {
    return Math.floorMod(second, SECONDS);
  }
}
