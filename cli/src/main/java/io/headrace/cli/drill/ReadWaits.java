package io.headrace.cli.drill;

import java.util.Arrays;

/**
 * The times at which a reader requested and received elements, in nanoseconds of one ticker.
 * Thread-safe.
 */
final class ReadWaits {
  /** The shortest wait that counts: schedulers alone may cause shorter ones. */
  private static final long NOTABLE_NANOS = 100_000_000;

  private long[] asked = new long[1024];
  private long[] answered = new long[1024];
  private int count;

  /** Adds a request, and the time at which it was answered by an element or the end. */
  synchronized void add(long askedNanos, long answeredNanos) {
    if (count == asked.length) {
      asked = Arrays.copyOf(asked, 2 * count);
      answered = Arrays.copyOf(answered, 2 * count);
    }
    asked[count] = askedNanos;
    answered[count] = answeredNanos;
    count++;
  }

  /** The longest wait, except the first, which is the start of the read. */
  synchronized long longestNanos() {
    long longest = 0;
    for (int i = 1; i < count; i++) {
      longest = Math.max(longest, answered[i] - asked[i]);
    }
    return longest;
  }

  /**
   * The time from a fault until the reader was supplied again: to the end of the longest notable
   * wait between the fault and the next one, or to the next element if there was no such wait. 0 if
   * no element followed.
   *
   * @param faultNanos the time of the fault
   * @param untilNanos the time of the next fault, or of the end of the read
   */
  synchronized long recoveryNanos(long faultNanos, long untilNanos) {
    long next = 0;
    long longest = NOTABLE_NANOS;
    long end = 0;
    for (int i = 0; i < count; i++) {
      if (answered[i] - faultNanos <= 0 || asked[i] - untilNanos >= 0) {
        continue;
      }
      if (next == 0) {
        next = answered[i] - faultNanos;
      }
      if (answered[i] - asked[i] >= longest) {
        longest = answered[i] - asked[i];
        end = answered[i] - faultNanos;
      }
    }
    return end == 0 ? next : end;
  }
}
