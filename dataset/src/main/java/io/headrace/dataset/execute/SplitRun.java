package io.headrace.dataset.execute;

/**
 * Consecutive splits of one source, by their values.
 *
 * @param first the value of the first split
 * @param step from each value to the next
 * @param count how many splits, at least 1
 * @param number the number of the first split among those of the source, from 0; the others'
 *     numbers follow it. Means nothing where {@link SplitProvider#source} is negative
 */
public record SplitRun(long first, long step, long count, long number) {
  /** The value of the {@code index}th. */
  public long value(long index) {
    return first + index * step;
  }

  /** The value of the last split. */
  public long last() {
    return value(count - 1);
  }

  /** The splits {@code from} up to {@code to} of this run, at least one. */
  public SplitRun slice(long from, long to) {
    return new SplitRun(value(from), step, to - from, number + from);
  }
}
