package io.headrace.cli.drill;

import java.util.Arrays;

/**
 * When a reader asked for an element and when it had it, in nanoseconds of one ticker. Thread-safe.
 */
final class ReadWaits {
  /** A wait under a tenth of a second is none: a scheduler alone takes that long at times. */
  private static final long NOTABLE_NANOS = 100_000_000;

  private long[] asked = new long[1024];
  private long[] had = new long[1024];
  private int count;

  /** The reader asked at one moment, and had an element, or the end, at another. */
  synchronized void add(long askedNanos, long hadNanos) {
    if (count == asked.length) {
      asked = Arrays.copyOf(asked, 2 * count);
      had = Arrays.copyOf(had, 2 * count);
    }
    asked[count] = askedNanos;
    had[count] = hadNanos;
    count++;
  }

  /**
   * The longest wait; that for the first element, which is a start and no fault, does not count.
   */
  synchronized long longestNanos() {
    long longest = 0;
    for (int i = 1; i < count; i++) {
      longest = Math.max(longest, had[i] - asked[i]);
    }
    return longest;
  }

  /**
   * How long it took from a fault until the reader was supplied again: to the end of the longest
   * wait between the fault and the next one, or, if there was none worth the name, to the next
   * element. 0 if none came.
   *
   * @param faultNanos when the fault was
   * @param untilNanos when the next one was, or the end of the read
   */
  synchronized long recoveryNanos(long faultNanos, long untilNanos) {
    long next = 0;
    long longest = NOTABLE_NANOS;
    long end = 0;
    for (int i = 0; i < count; i++) {
      if (had[i] - faultNanos <= 0 || asked[i] - untilNanos >= 0) {
        continue;
      }
      if (next == 0) {
        next = had[i] - faultNanos;
      }
      if (had[i] - asked[i] >= longest) {
        longest = had[i] - asked[i];
        end = had[i] - faultNanos;
      }
    }
    return end == 0 ? next : end;
  }
}
