package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Set;

/**
 * The format of CSV files and the fields to read, as TensorFlow's {@code CsvDataset} reads them
 * (RFC 4180: quoted fields may hold delimiters, line ends and doubled quotes).
 *
 * <pre>{@code
 * Csv.of(Field.int64("id"), Field.float32("price").orElse(0f), Field.string("name")).withHeader()
 * }</pre>
 *
 * @param fields the fields, in the order of the columns; all columns, unless each has an index
 * @param header the meaning of the first record of each file
 * @param delimiter the character between fields
 * @param quotes whether quotation marks enclose fields; otherwise they are characters like others
 * @param missing what marks a missing field, besides the empty one
 * @param compression the compression of the files
 */
public record Csv(
    List<Field> fields,
    Header header,
    char delimiter,
    boolean quotes,
    String missing,
    Compression compression) {
  /** The meaning of the first record of a file. */
  public enum Header {
    /** A record like any other. */
    NONE,
    /** A header that is skipped, whatever it says. */
    SKIPPED,
    /** A header that must have the names of the fields. */
    CHECKED
  }

  private static final Set<DataType> DTYPES =
      Set.of(DataType.INT32, DataType.INT64, DataType.FLOAT32, DataType.FLOAT64, DataType.STRING);

  /**
   * Copies the fields.
   *
   * @throws StatusException INVALID_ARGUMENT for bools, lists and JSON paths, two fields of the
   *     same name, and indices that do not increase or that some fields lack
   */
  public Csv {
    requireNonNull(fields, "fields is null");
    requireNonNull(header, "header is null");
    requireNonNull(missing, "missing is null");
    requireNonNull(compression, "compression is null");
    fields = List.copyOf(fields);
    Field.checkNames(fields);
    for (Field field : fields) {
      if (field.path().isPresent()) {
        throw StatusException.invalidArgument(
            "a CSV field is found by its place among the fields, or by the index of its column,"
                + " Field.at(int), and field %s is at the path \"%s\", which JSON records have;"
                + " withHeader compares names",
            field.name(), field.path().get());
      }
      if (!DTYPES.contains(field.dtype()) || field.vector()) {
        throw StatusException.invalidArgument(
            "a CSV field is an int32, int64, float32, float64 or string, and field %s is %s%s; read"
                + " another type as a string, and convert it in mapElement",
            field.name(), field.vector() ? "a list of " : "", field.dtype().tfName());
      }
    }
    long indexed = fields.stream().filter(field -> field.column().isPresent()).count();
    if (indexed != 0 && indexed != fields.size()) {
      throw StatusException.invalidArgument(
          "either all CSV fields have a column or none, and %d of %d have", indexed, fields.size());
    }
    for (int i = 1; i < indexed; i++) {
      if (fields.get(i - 1).column().getAsInt() >= fields.get(i).column().getAsInt()) {
        throw StatusException.invalidArgument(
            "CSV fields must be in the order of their columns, and %s is not",
            fields.get(i).name());
      }
    }
    if (delimiter > 0x7f) {
      throw StatusException.invalidArgument("the delimiter must be an ASCII character");
    }
  }

  /** Comma-separated, quoted where needed, without a header, uncompressed. */
  public static Csv of(Field... fields) {
    requireNonNull(fields, "fields is null");
    for (int i = 0; i < fields.length; i++) {
      requireNonNull(fields[i], "field " + i + " of fields is null");
    }
    return new Csv(List.of(fields), Header.NONE, ',', true, "", Compression.NONE);
  }

  /**
   * Takes the first record of each file as its header, which must have the names of the fields, in
   * their columns: reading a file with other names is INVALID_ARGUMENT, naming both, and gives none
   * of its records. TensorFlow's own workers skip the header unread.
   */
  public Csv withHeader() {
    return new Csv(fields, Header.CHECKED, delimiter, quotes, missing, compression);
  }

  /** Skips the first record of each file, whatever names it has. */
  public Csv skippingHeader() {
    return new Csv(fields, Header.SKIPPED, delimiter, quotes, missing, compression);
  }

  /** Separates fields at {@code newDelimiter}, an ASCII character. */
  public Csv delimitedBy(char newDelimiter) {
    return new Csv(fields, header, newDelimiter, quotes, missing, compression);
  }

  /** Takes quotation marks as characters like others. */
  public Csv withoutQuotes() {
    return new Csv(fields, header, delimiter, false, missing, compression);
  }

  /** Takes fields that are {@code mark} as missing, such as {@code NA}. */
  public Csv missing(String mark) {
    requireNonNull(mark, "mark is null");
    return new Csv(fields, header, delimiter, quotes, mark, compression);
  }

  /** Reads compressed files. */
  public Csv compressed(Compression newCompression) {
    requireNonNull(newCompression, "newCompression is null");
    return new Csv(fields, header, delimiter, quotes, missing, newCompression);
  }
}
