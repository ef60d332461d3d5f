package io.headrace.dataset.execute.snapshot;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.RecordReader;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an open chunk file. A damaged file is DATA_LOSS, naming it; one of another dataset
 * INVALID_ARGUMENT. Used by one thread at a time, except {@link #close}.
 */
final class ChunkFile implements AutoCloseable {
  private static final int MAX_RECORDS = 4096;

  /** Rows that are larger are not copied into one array. */
  private static final long STACKED_ROW_BYTES = 1 << 14;

  private final String file;
  private final RowFormat format;
  private final RecordReader reader;
  private final ElementSpec spec;

  /** The records of a row of which not all were read. */
  private byte[][] begun = {};

  /** The failure of the next row. */
  private @Nullable StatusException failure;

  private ChunkFile(String file, RowFormat format, RecordReader reader, ElementSpec spec) {
    this.file = file;
    this.format = format;
    this.reader = reader;
    this.spec = spec;
  }

  /**
   * Opens {@code file} of a snapshot of {@code version}; NOT_FOUND if it does not exist,
   * INVALID_ARGUMENT for an unknown version.
   */
  static ChunkFile open(String file, FileCompression compression, long version, ElementSpec spec) {
    if (spec.types().isEmpty()) {
      throw spec.error(StatusCode.INVALID_ARGUMENT, "saved elements have at least one component");
    }
    RowFormat format = RowFormat.of(version, compression);
    return new ChunkFile(file, format, format.open(file, compression), spec);
  }

  /** The next rows, at most {@code maxRows}; null at the end. Rows before a failure come first. */
  @Nullable Chunk next(int maxRows) {
    if (failure != null) {
      throw failure;
    }
    int each = format.records(spec.types().size());
    int most = Math.clamp(maxRows, 1, Math.max(1, MAX_RECORDS / each));
    byte[][] records = Arrays.copyOf(begun, most * each);
    int count = begun.length;
    while (count < each) {
      int more = reader.read(records, count, records.length - count);
      if (more == 0 && count == 0) {
        return null;
      }
      if (more == 0) {
        throw dataLoss(
            "it ends within an element of %d components".formatted(spec.types().size()), null);
      }
      count += more;
    }
    int rows = count / each;
    begun = Arrays.copyOfRange(records, rows * each, count);
    return chunk(records, rows);
  }

  /** The first {@code rows} rows, or those before the first that fails. */
  private Chunk chunk(byte[][] records, int rows) {
    int components = spec.types().size();
    List<List<Tensor>> columns = new ArrayList<>(components);
    for (int component = 0; component < components; component++) {
      columns.add(new ArrayList<>(rows));
    }
    int parsed = 0;
    while (parsed < rows && failure == null) {
      try {
        List<Tensor> row = row(records, parsed * format.records(components));
        for (int component = 0; component < components; component++) {
          columns.get(component).add(row.get(component));
        }
        parsed++;
      } catch (StatusException e) {
        if (parsed == 0) {
          throw e;
        }
        failure = e;
      }
    }
    return Chunk.of(parsed, columns.stream().map(ChunkFile::column).toList());
  }

  private List<Tensor> row(byte[][] records, int first) {
    List<Tensor> row;
    try {
      row = format.read(records, first, spec.types());
    } catch (InvalidProtocolBufferException e) {
      throw dataLoss("a record of it is no tensor", e);
    } catch (StatusException e) {
      if (e.code() == StatusCode.RESOURCE_EXHAUSTED) {
        throw e.in(file);
      }
      throw dataLoss("a record of it is no tensor: " + e.message(), e);
    }
    check(row);
    return row;
  }

  private void check(List<Tensor> row) {
    if (row.size() != spec.types().size()) {
      throw spec.error(
          StatusCode.INVALID_ARGUMENT,
          "the elements in %s have %d components, and elements of %d are to be read from it",
          file,
          row.size(),
          spec.types().size());
    }
    for (int component = 0; component < row.size(); component++) {
      DataType found = row.get(component).dtype();
      DataType expected = spec.types().get(component);
      if (found != expected) {
        throw spec.error(
            StatusCode.INVALID_ARGUMENT,
            "component %d of the elements in %s is of %s, and elements of %s are to be read from"
                + " it",
            component,
            file,
            found.tfName(),
            expected.tfName());
      }
    }
  }

  private static Column column(List<Tensor> rows) {
    Tensor first = rows.getFirst();
    boolean stacked =
        first.dtype().kind().isFixedWidth()
            && first.byteSize() <= STACKED_ROW_BYTES
            && rows.stream().allMatch(row -> row.shape().equals(first.shape()));
    return stacked
        ? new Column.Stacked(Column.stackRows(rows))
        : new Column.Listed(first.dtype(), rows);
  }

  private StatusException dataLoss(String what, @Nullable Exception cause) {
    String message = "Failed to read tf.data snapshot file: %s: %s".formatted(file, what);
    return cause == null
        ? new StatusException(StatusCode.DATA_LOSS, message)
        : new StatusException(StatusCode.DATA_LOSS, message, cause);
  }

  /** Closes the file; a concurrent {@link #next} ends with CANCELLED. Idempotent. */
  @Override
  public void close() {
    reader.close();
  }
}
