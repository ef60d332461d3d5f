package io.headrace.dataset.execute.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.file.CsvRecords;
import io.headrace.dataset.file.FileCompression;
import io.headrace.kernels.text.FieldNumbers;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.origin.RecordPlaces;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The records of CSV files: one scalar component for each selected field.
 *
 * @param files the file names
 * @param compression the compression of the files
 * @param header whether the first record of each file is a header
 * @param names the names that the selected fields must have in a header; empty if it is not checked
 * @param fields the names of the selected fields, for messages; empty if they have none
 * @param format delimiter, quoting and selected fields
 * @param naValue the string that marks a missing field, besides the empty one
 * @param defaults the value of a missing field, for each component; empty if the field is required
 * @param spec dtypes and shapes of the components
 */
public record CsvDataset(
    List<String> files,
    FileCompression compression,
    boolean header,
    List<String> names,
    List<String> fields,
    CsvRecords.Format format,
    ByteString naValue,
    List<Tensor> defaults,
    ElementSpec spec)
    implements DatasetValue {
  /** The attr with the names that a header must have; TensorFlow skips headers unread. */
  public static final String HEADER = "_header";

  /** The attr with the names of the fields, which messages have. */
  public static final String FIELDS = "_fields";

  private static final Pattern NAME = Pattern.compile("\\p{L}[\\p{L}\\p{N} ._-]*");
  private static final String INPUTS =
      "(filenames: string, compression_type: string, buffer_size: int64, header: bool,"
          + " field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64,"
          + " record_defaults: [output_types]";
  private static final String[] ATTRS = {
    "output_types: list({float, double, int32, int64, string})", "output_shapes: list(shape)"
  };

  public static final List<Op> OPS =
      List.of(
          DatasetOp.define("CSVDataset" + INPUTS + ")")
              .attrs(ATTRS)
              .touches(Touch.READS_FILES)
              .kernel(DatasetKernel.making(in -> of(in, List.of()))),
          DatasetOp.define("CSVDatasetV2" + INPUTS + ", exclude_cols: int64)")
              .attrs(ATTRS)
              .touches(Touch.READS_FILES)
              .kernel(DatasetKernel.making(in -> of(in, columns(in, "exclude_cols")))));

  private static DatasetValue of(OpArguments in, List<Long> excluded) {
    ElementSpec spec = in.spec();
    List<Long> selected = columns(in, "select_cols");
    if (!selected.isEmpty() && selected.size() != spec.types().size()) {
      throw in.invalid("select_cols should match output size");
    }
    if (!selected.isEmpty() && !excluded.isEmpty()) {
      throw in.invalid("Either select_cols or exclude_cols should be empty");
    }
    byte[] delimiter = in.string("field_delim").getBytes(UTF_8);
    if (delimiter.length != 1) {
      throw in.invalid("field_delim should be only 1 char");
    }
    in.positive("buffer_size");
    CsvRecords.Format format =
        new CsvRecords.Format(
            delimiter[0],
            in.bool("use_quote_delim"),
            Set.copyOf(selected),
            new LinkedHashSet<>(excluded));
    return new CsvDataset(
        in.strings("filenames"),
        FileCompression.ofName(in.string("compression_type")),
        in.bool("header"),
        in.attrs().has(HEADER) ? in.attrs().strings(HEADER) : List.of(),
        in.attrs().has(FIELDS) ? in.attrs().strings(FIELDS) : List.of(),
        format,
        ByteString.copyFromUtf8(in.string("na_value")),
        defaults(in),
        spec);
  }

  private static List<Tensor> defaults(OpArguments in) {
    List<Tensor> defaults = in.tensors("record_defaults");
    for (int i = 0; i < defaults.size(); i++) {
      if (defaults.get(i).shape().rank() > 1) {
        throw in.invalid("Each record default should be at most rank 1");
      }
      if (defaults.get(i).elements() > 1) {
        throw in.invalid(
            "There should only be 1 default per field but field %d has %d",
            i, defaults.get(i).elements());
      }
    }
    return defaults;
  }

  private static List<Long> columns(OpArguments in, String name) {
    Tensor columns = in.tensor(name);
    if (columns.shape().rank() != 1) {
      throw in.invalid("%s must be a vector, and is %s", name, columns);
    }
    List<Long> result = new ArrayList<>();
    for (int i = 0; i < columns.elements(); i++) {
      long column = columns.integer(i);
      if (column < 0) {
        throw in.invalid("%s should be non-negative indices", name);
      }
      if (i > 0 && column <= result.getLast()) {
        throw in.invalid("%s should be strictly increasing indices", name);
      }
      result.add(column);
    }
    return result;
  }

  @Override
  public String iteratorName() {
    return "CSV";
  }

  @Override
  public List<DataType> outputTypes() {
    return spec.types();
  }

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  private final class Iterator extends RowIterator {
    private final IteratorContext context;
    private final byte[] na = naValue.toByteArray();
    private int nextFile;
    private volatile @Nullable CsvRecords reader;
    private volatile boolean closed;

    Iterator(IteratorContext context) {
      super(context, spec.types());
      this.context = context;
    }

    @Override
    boolean isBuffered() {
      CsvRecords current = reader;
      return current != null && current.hasBuffered();
    }

    /** Reads a record, in the next file where this one has ended. */
    @Override
    boolean read(List<Object> columns, int row, RecordPlaces.Builder places) {
      while (true) {
        CsvRecords current = reader == null ? openNext() : reader;
        if (current == null) {
          return false;
        }
        List<byte[]> fields = current.next();
        if (fields != null) {
          set(fields, current, columns, row);
          places.add(current.file(), current.record(), 1);
          return true;
        }
        reader = null;
        current.close();
        context.step().cancellation().check();
      }
    }

    private void set(List<byte[]> found, CsvRecords current, List<Object> columns, int row) {
      if (found.size() > columns.size()) {
        throw current.invalid(
            "Expect "
                + columns.size()
                + " fields but have more in record; select_cols, or Field.at(int) in Java, reads"
                + " some of the columns");
      }
      for (int i = 0; i < found.size(); i++) {
        set(found.get(i), current, i, columns.get(i), row);
      }
      if (found.size() < columns.size()) {
        throw current.invalid(
            "Expect %d fields but have %d in record%s"
                .formatted(columns.size(), found.size(), absent(found.size(), current)));
      }
    }

    /** The first selected column that is not in the record read last, in words. */
    private String absent(int found, CsvRecords current) {
      return format.selected().isEmpty()
          ? ""
          : ", which has %d columns: there is no column %d%s, counted from 0"
              .formatted(
                  current.columns(),
                  format.selected().stream().sorted().toList().get(found),
                  name(found).map(" for "::concat).orElse(""));
    }

    private Optional<String> name(int field) {
      return field < names.size()
          ? Optional.of(names.get(field))
          : field < fields.size() ? Optional.of(fields.get(field)) : Optional.empty();
    }

    private StatusException invalid(int field, CsvRecords current, String what) {
      return current.invalid(name(field).map(name -> "field " + name + ": ").orElse("") + what);
    }

    private void set(byte[] field, CsvRecords current, int index, Object column, int row) {
      DataType type = spec.types().get(index);
      if (field.length == 0 || Arrays.equals(field, na)) {
        Tensor value = defaults.get(index);
        if (value.elements() != 1) {
          throw invalid(index, current, "Field " + index + " is required but missing in record!");
        }
        type.kind().copy(TensorMemory.array(value), TensorMemory.offset(value), column, row, 1);
      } else if (column instanceof byte[][] strings) {
        strings[row] = field;
      } else if (!FieldNumbers.parse(field, type, column, row)) {
        throw invalid(
            index,
            current,
            "Field %d in record is not a valid %s: %s%s"
                .formatted(
                    index,
                    type.tfName(),
                    new String(field, UTF_8),
                    !header && current.record() == 1 && isName(field)
                        ? "; if the file begins with the names of its columns, say so:"
                            + " Csv.withHeader(), or header=True"
                        : ""));
      }
    }

    /** Whether a field that is no number looks like the name of a column. */
    private static boolean isName(byte[] field) {
      return NAME.matcher(new String(field, UTF_8).replace(CsvRecords.BYTE_ORDER_MARK, ""))
          .matches();
    }

    private @Nullable CsvRecords openNext() {
      if (closed || nextFile == files.size()) {
        return null;
      }
      String file = files.get(nextFile++);
      context.files().opening(file);
      CsvRecords opened = CsvRecords.open(file, compression, format);
      reader = opened;
      if (closed) {
        opened.close();
      }
      if (header) {
        checkNames(opened.readHeader(), opened);
      }
      return opened;
    }

    /** Leaves a file whose header has other names: its records would be taken for others. */
    private void checkNames(List<String> found, CsvRecords opened) {
      if (!names.isEmpty() && !found.equals(names)) {
        reader = null;
        opened.close();
        throw opened.mismatch(found, names);
      }
    }

    @Override
    public void close() {
      closed = true;
      CsvRecords current = reader;
      if (current != null) {
        current.close();
      }
    }
  }
}
