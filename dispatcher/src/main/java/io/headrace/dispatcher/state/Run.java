package io.headrace.dispatcher.state;

/**
 * Consecutive splits, the first and the one behind the last; both are the same if there are none.
 */
public record Run(long from, long to) {
  public boolean isEmpty() {
    return from >= to;
  }

  public long length() {
    return to - from;
  }

  /**
   * The first run from {@code from} on.
   *
   * @param ranges pairs, as of {@link io.headrace.runtime.origin.LongSet#ranges}
   */
  static Run next(long[] ranges, long from) {
    int low = 0;
    int high = ranges.length / 2;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges[2 * middle + 1] > from) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return 2 * low < ranges.length
        ? new Run(Math.max(from, ranges[2 * low]), ranges[2 * low + 1])
        : new Run(from, from);
  }
}
