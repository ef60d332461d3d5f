package io.headrace.dataset.execute.pass;

import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * The splits of one source. A split is a part of the source that one worker reads: number {@code n}
 * has the value {@code first + n * step}, or is the {@code n}th of a sequence of random numbers.
 * Values are TensorFlow's: for a range, its elements; for slices, their indices; a single element
 * has the split 0.
 *
 * @param kind what the values are
 * @param first the first value; 0 for random numbers
 * @param step the difference of consecutive values; 0 for random numbers
 * @param count the number of splits
 * @param grouped whether a flat map makes records of each split, so that origins name them with the
 *     split as their group; otherwise the splits are the records
 * @param fingerprint a hash of the splits' contents or file names. The same in every process and
 *     version: the dispatcher journals it with the source
 * @param files the file name of each split, if the splits are files; otherwise empty
 */
public record SplitSource(
    Kind kind,
    long first,
    long step,
    long count,
    boolean grouped,
    long fingerprint,
    List<String> files) {
  /** The sequence of the values. */
  public enum Kind {
    /** {@code first + n * step}. */
    PROGRESSION,
    /** Random numbers from 0 to 2^32 - 1, drawn by the provider of the splits. */
    RANDOM,
    /** The names of the files; our own peers count them as a progression from 0. */
    NAMES
  }

  /** Fails with INVALID_ARGUMENT for a negative count. */
  public SplitSource {
    files = List.copyOf(files);
    if (count < 0) {
      throw StatusException.invalidArgument("a source of %d splits", count);
    }
  }

  /** A source whose splits are {@code count} numbers from {@code first} by {@code step}. */
  public static SplitSource ofNumbers(long first, long step, long count) {
    long fingerprint = new Fingerprint().add(first).add(step).add(count).value();
    return new SplitSource(Kind.PROGRESSION, first, step, count, false, fingerprint, List.of());
  }

  /** A source whose splits are the indices of its {@code count} rows. */
  public static SplitSource ofRows(long count, long fingerprint) {
    return new SplitSource(Kind.PROGRESSION, 0, 1, count, false, fingerprint, List.of());
  }

  /** A source whose splits are the files {@code files}. */
  public static SplitSource ofFiles(List<String> files, long fingerprint) {
    return new SplitSource(Kind.PROGRESSION, 0, 1, files.size(), false, fingerprint, files);
  }

  /**
   * The {@link #fingerprint} of a source of files, extended by the files' state: it changes when a
   * file changes.
   *
   * @param found the states of {@link #files}
   */
  public long fingerprint(List<SourceFile> found) {
    Fingerprint hash = new Fingerprint().add(fingerprint);
    found.forEach(file -> hash.add(file.size()).add(file.modifiedMillis()));
    return hash.value();
  }

  /** An infinite source of random numbers. */
  public static SplitSource random() {
    return new SplitSource(Kind.RANDOM, 0, 0, Long.MAX_VALUE, false, 0, List.of());
  }

  /** This source of files, whose values are their names, not their indices. */
  public SplitSource asNames() {
    return new SplitSource(Kind.NAMES, first, step, count, grouped, fingerprint, files);
  }

  /** This source, read by a flat map that makes records of each split. */
  public SplitSource asGrouped() {
    return new SplitSource(kind, first, step, count, true, fingerprint, files);
  }
}
