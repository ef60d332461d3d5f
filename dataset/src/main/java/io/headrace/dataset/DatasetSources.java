package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * The sources of datasets: programs call them as static methods of {@link Dataset}. Those with an
 * {@link Output} belong into lambdas, such as a flat map's.
 */
public abstract sealed class DatasetSources permits Dataset {
  DatasetSources() {}

  /** The int64 scalars 0, 1, ... {@code stop - 1}; none if {@code stop} is not positive. */
  public static Dataset range(long stop) {
    return range(0, stop, 1);
  }

  /**
   * The int64 scalars {@code start}, {@code start + step}, ..., excluding {@code stop}; none if
   * {@code step} leads away from {@code stop}, as in TensorFlow. With a {@code step} of 0, reading
   * it is INVALID_ARGUMENT.
   */
  public static Dataset range(long start, long stop, long step) {
    return MemorySources.range(start, stop, step);
  }

  /**
   * The int64 scalars {@code start}, {@code start + step}, and so on, as far as int64 reaches.
   *
   * <pre>{@code
   * Dataset.counter(5, 2).take(3) // 5, 7, 9
   * }</pre>
   */
  public static Dataset counter(long start, long step) {
    return MemorySources.counter(start, step);
  }

  /** Random int64 scalars from 0 to 2^32 - 1, without end; different ones in each dataset. */
  public static Dataset random() {
    return RandomSource.unseeded(false);
  }

  /**
   * TensorFlow's random int64 scalars for {@code seed}, from 0 to 2^32 - 1, without end.
   *
   * @param rerandomizeEachIteration whether each pass, as {@code repeat} makes them, has numbers of
   *     its own; otherwise all have the same
   */
  public static Dataset random(long seed, boolean rerandomizeEachIteration) {
    return RandomSource.of(seed, rerandomizeEachIteration);
  }

  /** One element with the given components. */
  public static Dataset tensors(Tensor... components) {
    requireNonNull(components, "components is null");
    return MemorySources.tensors(List.of(components));
  }

  /** One element for each slice of {@code components} along the first dimension. */
  public static Dataset tensorSlices(Tensor... components) {
    requireNonNull(components, "components is null");
    return MemorySources.slices(List.of(components));
  }

  /** One element for each slice of a traced function's outputs along the first dimension. */
  public static Dataset tensorSlices(Output... components) {
    requireNonNull(components, "components is null");
    return MemorySources.slicesOf(List.of(components));
  }

  /**
   * The int64 scalars from 0 up to, excluding, {@code stop}: a scalar int64 output of a traced
   * function.
   */
  public static Dataset range(Output stop) {
    requireNonNull(stop, "stop is null");
    return MemorySources.rangeTo(stop);
  }

  /**
   * The names of the files that match the glob {@code pattern}, in the order of their names; the
   * same as {@link #listFiles(String, Shuffle)} otherwise.
   */
  public static Dataset listFiles(String pattern) {
    requireNonNull(pattern, "pattern is null");
    return FileSources.names(pattern, true);
  }

  /**
   * The names of the files that match the glob {@code pattern} ({@code *}, {@code ?}, {@code
   * [...]}), as scalar strings. They are listed where the dataset runs, at the beginning of each
   * pass. Reading is NOT_FOUND, naming the pattern, if there is none (TensorFlow's own workers read
   * no elements then).
   */
  public static Dataset listFiles(String pattern, Shuffle shuffle) {
    requireNonNull(pattern, "pattern is null");
    requireNonNull(shuffle, "shuffle is null");
    return FileSources.names(pattern, true).shuffle(FileSources.ALL_NAMES, shuffle);
  }

  /** Like {@link #listFiles}, but empty if no file matches {@code pattern}. */
  public static Dataset listFilesOrEmpty(String pattern, Shuffle shuffle) {
    requireNonNull(pattern, "pattern is null");
    requireNonNull(shuffle, "shuffle is null");
    return FileSources.names(pattern, false).shuffle(FileSources.ALL_NAMES, shuffle);
  }

  /** The records of TFRecord files, file after file, as scalar strings. */
  public static Dataset tfRecord(String... files) {
    requireNonNull(files, "files is null");
    return tfRecord(Compression.NONE, files);
  }

  /** The records of compressed TFRecord files, file after file, as scalar strings. */
  public static Dataset tfRecord(Compression compression, String... files) {
    requireNonNull(compression, "compression is null");
    requireNonNull(files, "files is null");
    Tensor names = Tensor.vector(files);
    return FileSources.tfRecords(compression, op -> op.input(names));
  }

  /** The records of the TFRecord files named by an output of a traced function. */
  public static Dataset tfRecord(Output files) {
    requireNonNull(files, "files is null");
    return tfRecord(Compression.NONE, files);
  }

  /** The records of compressed TFRecord files named by an output of a traced function. */
  public static Dataset tfRecord(Compression compression, Output files) {
    requireNonNull(compression, "compression is null");
    requireNonNull(files, "files is null");
    return FileSources.tfRecords(compression, op -> op.input(files));
  }

  /** The lines of text files, without their line ends, as scalar strings. */
  public static Dataset textLines(String... files) {
    requireNonNull(files, "files is null");
    return textLines(Compression.NONE, files);
  }

  /** The lines of compressed text files, without their line ends, as scalar strings. */
  public static Dataset textLines(Compression compression, String... files) {
    requireNonNull(compression, "compression is null");
    requireNonNull(files, "files is null");
    Tensor names = Tensor.vector(files);
    return FileSources.lines(compression, op -> op.input(names));
  }

  /** The lines of the text files named by an output of a traced function. */
  public static Dataset textLines(Output files) {
    requireNonNull(files, "files is null");
    return textLines(Compression.NONE, files);
  }

  /** The lines of the compressed text files named by an output of a traced function. */
  public static Dataset textLines(Compression compression, Output files) {
    requireNonNull(compression, "compression is null");
    requireNonNull(files, "files is null");
    return FileSources.lines(compression, op -> op.input(files));
  }

  /**
   * Records of {@code recordBytes} bytes between each file's header and footer, as scalar strings.
   */
  public static Dataset fixedLengthRecords(
      long recordBytes,
      long headerBytes,
      long footerBytes,
      Compression compression,
      String... files) {
    requireNonNull(compression, "compression is null");
    requireNonNull(files, "files is null");
    Tensor names = Tensor.vector(files);
    return FileSources.fixedLengthRecords(
        recordBytes, headerBytes, footerBytes, compression, op -> op.input(names));
  }

  /** The same records of the files named by an output of a traced function. */
  public static Dataset fixedLengthRecords(
      long recordBytes, long headerBytes, long footerBytes, Compression compression, Output files) {
    requireNonNull(compression, "compression is null");
    requireNonNull(files, "files is null");
    return FileSources.fixedLengthRecords(
        recordBytes, headerBytes, footerBytes, compression, op -> op.input(files));
  }

  /**
   * The records of CSV files, file after file: maps of scalars by the names of the fields. A field
   * that is missing without a default, or no number, fails its record with INVALID_ARGUMENT.
   *
   * <pre>{@code
   * Csv format = Csv.of(Field.int64("id"), Field.float32("price").orElse(0f)).withHeader();
   * Dataset.csv(format, "prices.csv").map(...)
   * }</pre>
   */
  public static Dataset csv(Csv format, String... files) {
    requireNonNull(format, "format is null");
    requireNonNull(files, "files is null");
    Tensor names = Tensor.vector(files);
    return FieldSources.csv(format, op -> op.input(names));
  }

  /** The records of the CSV files named by an output of a traced function. */
  public static Dataset csv(Csv format, Output files) {
    requireNonNull(format, "format is null");
    requireNonNull(files, "files is null");
    return FieldSources.csv(format, op -> op.input(files));
  }

  /**
   * The rows of a query of an SQLite database, in the query's order: maps of scalars by the names
   * of the fields, one field for each column. SQLite converts the values: NULL is 0 or empty, and
   * text that is no number is 0. Each pass runs the query anew. Workers can't share the rows: reads
   * with dynamic sharding are refused, and others get all rows from each worker.
   *
   * <pre>{@code
   * Dataset.sqlite(
   *     "shop.sqlite",
   *     "SELECT id, price FROM items ORDER BY id",
   *     Field.int64("id"),
   *     Field.float64("price"))
   * }</pre>
   *
   * @param database the file name, or a URI of SQLite's, such as {@code file:shop.sqlite?mode=ro}
   * @param query the query, an SQL statement
   * @param fields int32, int64, float64, bool or string, without defaults and paths
   * @throws StatusException INVALID_ARGUMENT for other fields. A pass fails with INVALID_ARGUMENT
   *     if there is no such file, it is no database, or the query has other columns than fields;
   *     with UNKNOWN if the query is wrong; with UNIMPLEMENTED where {@code headrace-natives},
   *     which has the driver, is not on the class path
   */
  public static Dataset sqlite(String database, String query, Field... fields) {
    requireNonNull(database, "database is null");
    requireNonNull(query, "query is null");
    requireNonNull(fields, "fields is null");
    return FieldSources.sqlite(database, query, List.of(fields));
  }

  /**
   * The JSON objects in text files, one a line, file after file: maps of the named fields. A JSON
   * number becomes an integer, if it is whole and in range, or a floating-point number; true and
   * false a bool; a string a string; an array of such, of a {@link Field#list}, a vector. Anything
   * else fails its record with INVALID_ARGUMENT, naming the field, as does a field that is missing
   * or null without a default. Other fields are passed over.
   *
   * <pre>{@code
   * // {"id": 7, "user": {"name": "a"}, "scores": [0.5, 1]}
   * Dataset.jsonLines(
   *     List.of(
   *         Field.int64("id"),
   *         Field.string("name").at("user.name"),
   *         Field.float32("scores").list().orElse(Tensor.vector(new float[0]))),
   *     "events.jsonl")
   * }</pre>
   *
   * <p>Workers decode the lines with an op of Headrace's own; TensorFlow's workers, and a
   * dispatcher of TensorFlow's with dynamic sharding, refuse such a dataset.
   */
  public static Dataset jsonLines(List<Field> fields, String... files) {
    requireNonNull(fields, "fields is null");
    requireNonNull(files, "files is null");
    return FieldSources.jsonLines(fields, textLines(files));
  }

  /** The JSON objects in the text files named by an output of a traced function, one a line. */
  public static Dataset jsonLines(List<Field> fields, Output files) {
    requireNonNull(fields, "fields is null");
    requireNonNull(files, "files is null");
    return FieldSources.jsonLines(fields, textLines(files));
  }

  /**
   * The files that match the glob {@code pattern}, to be read together.
   *
   * <pre>{@code
   * Dataset.files("/data/*.tfrecord").shuffled(Shuffle.RANDOM).records()
   * }</pre>
   *
   * <p>It is one pattern. Several are read by {@link Dataset#concatenate}, and files that are known
   * by name by {@code Dataset.csv(format, "a.csv", "b.csv")} and the like.
   */
  public static FileSet files(String pattern) {
    requireNonNull(pattern, "pattern is null");
    return FileSet.of(pattern);
  }

  /**
   * The images in the folders of {@code folder}, one folder a class: maps of {@code image}, {@code
   * label} (int64, the index of the class) and {@code path}. The classes are the folders' names,
   * sorted, as they are in this process now.
   *
   * <pre>{@code
   * ImageFolder flowers = ImageFolder.of("/data/flowers").resized(180, 180);
   * Dataset.images(flowers.shuffled(Shuffle.RANDOM)).batch(32)
   * }</pre>
   */
  public static Dataset images(ImageFolder folder) {
    requireNonNull(folder, "folder is null");
    return ImageSources.of(folder);
  }

  /**
   * The elements that {@code elements} yields, each the tensors of its components, of {@code
   * structure}. They are asked for as the dataset is read, by one thread at a time, once a pass. An
   * element of another structure, or an exception of the iterator, fails the pass at that place.
   *
   * <p>The dataset is read in this process only: distributing it is INVALID_ARGUMENT, as workers
   * can't reach its objects.
   */
  public static Dataset fromIterable(Structure structure, Iterable<List<Tensor>> elements) {
    requireNonNull(structure, "structure is null");
    requireNonNull(elements, "elements is null");
    return IterableSource.of(structure, elements);
  }

  /**
   * The records that {@code rows} yields, as maps by the names of their components: numbers,
   * booleans and Strings as scalars, arrays of them as vectors, {@code byte[]} as a string. In this
   * process only, as {@link #fromIterable(Structure, Iterable)}.
   *
   * <pre>{@code
   * record Reading(long id, float[] values) {}
   *
   * Dataset.fromIterable(Reading.class, readings).batch(32)
   * }</pre>
   */
  public static <R extends Record> Dataset fromIterable(Class<R> type, Iterable<R> rows) {
    requireNonNull(type, "type is null");
    requireNonNull(rows, "rows is null");
    return IterableSource.ofRecords(type, rows);
  }
}
