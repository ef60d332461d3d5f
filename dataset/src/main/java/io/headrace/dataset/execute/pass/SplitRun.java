package io.headrace.dataset.execute.pass;

import java.util.List;

/**
 * Consecutive splits of one source, by value.
 *
 * @param first the value of the first split
 * @param step the difference of consecutive values
 * @param count the number of splits, at least 1
 * @param number the number of the first split within its source, from 0; the others follow
 *     consecutively. Undefined where {@link SplitProvider#source} is negative
 * @param files the file of each split, if the provider names them; otherwise empty, and the values
 *     identify the splits
 */
public record SplitRun(long first, long step, long count, long number, List<SourceFile> files) {
  /**
   * Fails with IllegalArgumentException if {@code files} is neither empty nor of length {@code
   * count}.
   */
  public SplitRun {
    files = List.copyOf(files);
    if (!files.isEmpty() && files.size() != count) {
      throw new IllegalArgumentException(files.size() + " files for " + count + " splits");
    }
  }

  /** Splits identified by their values. */
  public SplitRun(long first, long step, long count, long number) {
    this(first, step, count, number, List.of());
  }

  /** The value of the split at {@code index}. */
  public long value(long index) {
    return first + index * step;
  }

  /** The value of the last split. */
  public long last() {
    return value(count - 1);
  }

  /** The splits {@code from} up to, excluding, {@code to} of this run; at least one. */
  public SplitRun slice(long from, long to) {
    List<SourceFile> part = files.isEmpty() ? files : files.subList((int) from, (int) to);
    return new SplitRun(value(from), step, to - from, number + from, part);
  }
}
