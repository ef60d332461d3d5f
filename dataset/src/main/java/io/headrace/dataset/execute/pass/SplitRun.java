package io.headrace.dataset.execute.pass;

import java.util.List;

/**
 * Consecutive splits of one source, by their values.
 *
 * @param first the value of the first split
 * @param step from each value to the next
 * @param count how many splits, at least 1
 * @param number the number of the first split among those of the source, from 0; the others'
 *     numbers follow it. Means nothing where {@link SplitProvider#source} is negative
 * @param files the files that the splits are, one each, if whoever hands them out says which;
 *     otherwise empty, and the values tell
 */
public record SplitRun(long first, long step, long count, long number, List<SourceFile> files) {
  /** Fails with IllegalArgumentException for another number of files than of splits. */
  public SplitRun {
    files = List.copyOf(files);
    if (!files.isEmpty() && files.size() != count) {
      throw new IllegalArgumentException(files.size() + " files for " + count + " splits");
    }
  }

  /** Splits of which the values tell what they are. */
  public SplitRun(long first, long step, long count, long number) {
    this(first, step, count, number, List.of());
  }

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
    List<SourceFile> part = files.isEmpty() ? files : files.subList((int) from, (int) to);
    return new SplitRun(value(from), step, to - from, number + from, part);
  }
}
