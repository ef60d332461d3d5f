package io.headrace.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.FileOutput;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Writes a CSV file of the same {@link Csv} format that reads it: {@link Dataset#csv} of the format
 * gives the written values. Numbers are written so that the nearest value is the written one; a
 * field is quoted where it has to be. The file is complete once the writer is closed.
 *
 * <pre>{@code
 * Csv format = Csv.of(Field.int64("id"), Field.float32("price")).withHeader();
 * try (CsvWriter writer = CsvWriter.create("prices.csv", format)) {
 *   for (Element e : prices) {
 *     writer.write(e);
 *   }
 * }
 * }</pre>
 *
 * <p>Used by one thread. Failures to write have the code that TensorFlow gives them, as with {@link
 * TfRecordWriter}.
 */
public final class CsvWriter implements AutoCloseable {
  private final Csv format;
  private final FileOutput out;

  private CsvWriter(Csv format, FileOutput out) {
    this.format = format;
    this.out = out;
  }

  /**
   * Opens {@code file}, empty, and writes the header if {@code format} has one; the folder must
   * exist.
   *
   * @throws StatusException INVALID_ARGUMENT if the fields leave columns out
   */
  public static CsvWriter create(String file, Csv format) {
    requireNonNull(format, "format is null");
    requireNonNull(file, "file is null");
    List<Field> fields = format.fields();
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).column().orElse(i) != i) {
        throw StatusException.invalidArgument(
            "a CSV file is written with all its columns, and the fields have none for column %d",
            i);
      }
    }
    CsvWriter writer =
        new CsvWriter(
            format,
            FileOutput.replace(file, FileCompression.ofName(format.compression().tfName())));
    if (format.header() != Csv.Header.NONE) {
      writer.writeHeader();
    }
    return writer;
  }

  private void writeHeader() {
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    for (Field field : format.fields()) {
      append(record, quoted(field, field.name().getBytes(UTF_8)));
    }
    end(record);
  }

  /**
   * Writes an element, a map with a scalar for each field, by name.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the field, if it is missing, of another dtype,
   *     or a string that the format would read as another value; nothing is written then
   */
  public void write(Element element) {
    requireNonNull(element, "element is null");
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    for (Field field : format.fields()) {
      append(record, text(field, element.get(field.name()).tensor()));
    }
    end(record);
  }

  /**
   * Writes the components of {@code row}, by their names.
   *
   * @throws StatusException INVALID_ARGUMENT, as of an element
   */
  public <R extends Record> void write(R row) {
    requireNonNull(row, "row is null");
    @SuppressWarnings("unchecked") // the class of an R
    RowType<R> type = RowType.of((Class<R>) row.getClass());
    write(new Element(type.structure(), type.write(row)));
  }

  private void append(ByteArrayOutputStream record, byte[] text) {
    record.writeBytes(text);
    record.write(format.delimiter());
  }

  /** Writes the record, with a line end in the place of its last delimiter. */
  private void end(ByteArrayOutputStream record) {
    byte[] bytes = record.toByteArray();
    bytes[bytes.length - 1] = '\n';
    out.write(bytes);
  }

  private byte[] text(Field field, Tensor value) {
    if (value.dtype() != field.dtype() || value.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "field %s is a scalar %s, and the value is %s",
          field.name(), field.dtype().tfName(), value.typeAndShape());
    }
    byte[] text =
        field.dtype() == DataType.STRING ? value.string(0) : number(value).getBytes(UTF_8);
    boolean isMissing = text.length == 0 || Arrays.equals(text, format.missing().getBytes(UTF_8));
    if (isMissing && !isDefault(field.ifMissing(), text)) {
      throw StatusException.invalidArgument(
          "field %s is \"%s\", which would be read as missing: make it the field's default with"
              + " orElse, or choose another mark for missing fields",
          field.name(), new String(text, UTF_8));
    }
    return quoted(field, text);
  }

  private static boolean isDefault(Optional<Tensor> ifMissing, byte[] text) {
    return ifMissing
        .filter(value -> value.dtype() == DataType.STRING)
        .filter(value -> Arrays.equals(value.string(0), text))
        .isPresent();
  }

  /** The shortest decimal that is read as this number, as TensorFlow spells it. */
  private static String number(Tensor value) {
    return switch (value.dtype()) {
      case FLOAT32 -> spelled(Float.toString(value.floats()[0]));
      case FLOAT64 -> spelled(Double.toString(value.doubles()[0]));
      default -> Long.toString(value.integer(0));
    };
  }

  private static String spelled(String number) {
    return switch (number) {
      case "NaN" -> "nan";
      case "Infinity" -> "inf";
      case "-Infinity" -> "-inf";
      default -> number;
    };
  }

  /** The text, between quotation marks if it would be taken for something else without them. */
  private byte[] quoted(Field field, byte[] text) {
    boolean needed = false;
    for (byte b : text) {
      boolean separates = b == '\n' || b == '\r' || b == (byte) format.delimiter();
      if (separates && !format.quotes()) {
        throw StatusException.invalidArgument(
            "field %s holds a delimiter or a line end, and the format has no quotes", field.name());
      }
      needed |= separates || (b == '"' && format.quotes());
    }
    if (!needed) {
      return text;
    }
    ByteArrayOutputStream result = new ByteArrayOutputStream(text.length + 2);
    result.write('"');
    for (byte b : text) {
      if (b == '"') {
        result.write('"');
      }
      result.write(b);
    }
    result.write('"');
    return result.toByteArray();
  }

  /**
   * Completes and closes the file; does nothing if it is closed.
   *
   * @throws StatusException if what is buffered can't be written
   */
  @Override
  public void close() {
    out.close();
  }
}
