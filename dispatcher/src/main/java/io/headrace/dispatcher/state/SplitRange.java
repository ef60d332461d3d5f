package io.headrace.dispatcher.state;

/** A half-open range of consecutive splits; both ends are equal for an empty one. */
public record SplitRange(long from, long to) {
  public boolean isEmpty() {
    return from >= to;
  }

  public long length() {
    return to - from;
  }

  /**
   * The first range at or after {@code from}.
   *
   * @param ranges pairs, as of {@link io.headrace.runtime.origin.LongSet#ranges}
   * @param from the first split wanted
   */
  static SplitRange next(long[] ranges, long from) {
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
        ? new SplitRange(Math.max(from, ranges[2 * low]), ranges[2 * low + 1])
        : new SplitRange(from, from);
  }
}
