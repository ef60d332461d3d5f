package io.headrace.dataset.execute.pass;

import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * What the splits of one source are, a split being the part of a source that one worker reads:
 * number {@code n} has the value {@code first + n * step}, or is the {@code n}th of a sequence of
 * random numbers. Values are TensorFlow's: a range's are its elements, those of slices are their
 * numbers, a single element has the one split 0.
 *
 * @param kind whether the values are in arithmetic progression
 * @param first the first value; 0 for random numbers
 * @param step from each value to the next; 0 for random numbers
 * @param count how many splits there are
 * @param grouped whether a flat map makes records of each split, so that origins name them by the
 *     split as their group; otherwise the splits are the records
 * @param fingerprint a hash of what the splits stand for: other contents, other names of files have
 *     another one, but by chance. The same in every process and version. A dispatcher journals it
 *     with the source
 * @param files where the splits are files, their names, one a split; otherwise empty
 */
public record SplitSource(
    Kind kind,
    long first,
    long step,
    long count,
    boolean grouped,
    long fingerprint,
    List<String> files) {
  /** How values follow from numbers. */
  public enum Kind {
    /** {@code first + n * step}. */
    PROGRESSION,
    /** Random numbers from 0 to 2^32 - 1, as whoever hands the splits out draws them. */
    RANDOM
  }

  /** Fails with INVALID_ARGUMENT for less than no splits. */
  public SplitSource {
    files = List.copyOf(files);
    if (count < 0) {
      throw StatusException.invalidArgument("a source of %d splits", count);
    }
  }

  /** A source whose splits are the numbers from {@code first} by {@code step}. */
  public static SplitSource ofNumbers(long first, long step, long count) {
    long fingerprint = new Fingerprint().add(first).add(step).add(count).value();
    return new SplitSource(Kind.PROGRESSION, first, step, count, false, fingerprint, List.of());
  }

  /** A source whose splits are the numbers of its {@code count} rows. */
  public static SplitSource ofRows(long count, long fingerprint) {
    return new SplitSource(Kind.PROGRESSION, 0, 1, count, false, fingerprint, List.of());
  }

  /** A source whose splits are the files named {@code files}. */
  public static SplitSource ofFiles(List<String> files, long fingerprint) {
    return new SplitSource(Kind.PROGRESSION, 0, 1, files.size(), false, fingerprint, files);
  }

  /**
   * {@link #fingerprint} of a source whose splits are files, together with how they were found: it
   * changes when one of them does.
   *
   * @param found what was found of {@link #files}
   */
  public long fingerprint(List<SourceFile> found) {
    Fingerprint hash = new Fingerprint().add(fingerprint);
    found.forEach(file -> hash.add(file.size()).add(file.modifiedMillis()));
    return hash.value();
  }

  /** A source of random numbers without end. */
  public static SplitSource random() {
    return new SplitSource(Kind.RANDOM, 0, 0, Long.MAX_VALUE, false, 0, List.of());
  }

  /** The same source, of whose splits a flat map makes records. */
  public SplitSource asGrouped() {
    return new SplitSource(kind, first, step, count, true, fingerprint, files);
  }
}
