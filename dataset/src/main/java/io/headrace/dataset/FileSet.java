package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The files that match a pattern, and how they are read together, as {@link Dataset#files} makes
 * it: by default in the order of their names, four of them in turn, opened ahead in parallel. Each
 * file is a split that a worker can read. Immutable.
 *
 * <pre>{@code
 * Dataset.files("/data/*.tfrecord").records()
 * Dataset.files("/logs/*.gz").compressed(Compression.GZIP).shuffled(Shuffle.seed(1)).lines()
 * }</pre>
 */
public final class FileSet {
  /** Reads blocks of records, so that little time goes into changing the file. */
  private static final Interleave IN_TURN =
      Interleave.cycle(4).block(16).parallel(Dataset.AUTOTUNE);

  private final String pattern;
  private final boolean mustMatch;
  private final Optional<Shuffle> shuffle;
  private final Compression compression;
  private final Interleave interleave;

  private FileSet(
      String pattern,
      boolean mustMatch,
      Optional<Shuffle> shuffle,
      Compression compression,
      Interleave interleave) {
    this.pattern = pattern;
    this.mustMatch = mustMatch;
    this.shuffle = shuffle;
    this.compression = compression;
    this.interleave = interleave;
  }

  static FileSet of(String pattern) {
    if (pattern.isEmpty()) {
      throw StatusException.invalidArgument(
          "files takes the pattern of file names, such as /data/*.csv, and was given an empty one");
    }
    return new FileSet(pattern, true, Optional.empty(), Compression.NONE, IN_TURN);
  }

  /** Reads no elements, instead of failing with NOT_FOUND, if no file matches. */
  public FileSet orEmpty() {
    return new FileSet(pattern, false, shuffle, compression, interleave);
  }

  /** Reads the files in another order. */
  public FileSet shuffled(Shuffle how) {
    requireNonNull(how, "how is null");
    return new FileSet(pattern, mustMatch, Optional.of(how), compression, interleave);
  }

  /** Reads compressed files. */
  public FileSet compressed(Compression newCompression) {
    requireNonNull(newCompression, "newCompression is null");
    return new FileSet(pattern, mustMatch, shuffle, newCompression, interleave);
  }

  /** Reads the files in turn, or in parallel, as {@code how} states. */
  public FileSet interleaved(Interleave how) {
    requireNonNull(how, "how is null");
    return new FileSet(pattern, mustMatch, shuffle, compression, how);
  }

  /** The names of the files, as scalar strings. */
  public Dataset names() {
    Dataset names = FileSources.names(pattern, mustMatch);
    return shuffle.map(how -> names.shuffle(FileSources.ALL_NAMES, how)).orElse(names);
  }

  /** The records of the files, TFRecord files, as scalar strings. */
  public Dataset records() {
    return read(file -> Dataset.tfRecord(compression, file));
  }

  /** The lines of the files, text files, as scalar strings. */
  public Dataset lines() {
    return read(file -> Dataset.textLines(compression, file));
  }

  /** Records of {@code recordBytes} bytes, as scalar strings. */
  public Dataset fixedLength(long recordBytes) {
    return fixedLength(recordBytes, 0, 0);
  }

  /** Records of {@code recordBytes} bytes between each file's header and footer. */
  public Dataset fixedLength(long recordBytes, long headerBytes, long footerBytes) {
    return read(file ->
        Dataset.fixedLengthRecords(recordBytes, headerBytes, footerBytes, compression, file));
  }

  /**
   * The records of the files, as {@link Dataset#csv(Csv, String...)} reads them; the compression is
   * the format's, unless this one has another.
   */
  public Dataset csv(Csv format) {
    requireNonNull(format, "format is null");
    Csv read = compression == Compression.NONE ? format : format.compressed(compression);
    return read(file -> Dataset.csv(read, file));
  }

  /** The JSON objects of the files, as {@link Dataset#jsonLines(List, String...)} reads them. */
  public Dataset jsonLines(Field... fields) {
    requireNonNull(fields, "fields is null");
    return FieldSources.jsonLines(List.of(fields), lines());
  }

  /** The elements that {@code open} reads of each file. */
  public Dataset read(Function<Output, Dataset> open) {
    requireNonNull(open, "open is null");
    return names().interleave(open::apply, interleave);
  }
}
