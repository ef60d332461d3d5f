package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.file.SqliteRows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.origin.RecordPlaces;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.time.Ticker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query of an SQLite database: a scalar component for each column.
 *
 * @param database the file name, or a URI of SQLite's
 * @param query the query
 * @param spec dtypes and shapes of the components
 * @param ticker tells how long the rows of a chunk took
 */
public record SqlDataset(String database, String query, ElementSpec spec, Ticker ticker)
    implements DatasetValue {
  /** The only database that TensorFlow reads, too. */
  public static final String DRIVER = "sqlite";

  /** A chunk takes no more rows when it has strings of so many bytes. */
  private static final long ENOUGH_BYTES = 1 << 20;

  /** A chunk takes no more rows when those that it has took so long. */
  private static final long ENOUGH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The op; {@code ticker} is its datasets'. */
  public static Op op(Ticker ticker) {
    return DatasetOp.define(
            "SqlDataset(driver_name: string, data_source_name: string, query: string)")
        .attrs(
            "output_types: list({string, int8, int16, int32, int64, uint8, uint16, bool,"
                + " double})",
            "output_shapes: list(shape)")
        .touches(Touch.READS_FILES)
        .remark(
            "A database that does not exist is an error, and is not created. An error ends the"
                + " rows.")
        .kernel(DatasetKernel.making(in -> of(in, ticker)));
  }

  private static DatasetValue of(OpArguments in, Ticker ticker) {
    String driver = in.string("driver_name");
    if (!driver.equals(DRIVER)) {
      throw in.invalid(
          "The database type, %s, is not supported by SqlDataset. The set of supported databases"
              + " is: {'sqlite'}.",
          driver);
    }
    ElementSpec spec = in.spec();
    if (!spec.shapes().stream().allMatch(Shape.SCALAR::equals)) {
      throw in.invalid(
          "Each element of `output_shapes_` must be a scalar, and they are %s", spec.shapes());
    }
    return new SqlDataset(in.string("data_source_name"), in.string("query"), spec, ticker);
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
    private volatile @Nullable SqliteRows rows;
    private volatile Cancellation.@Nullable Registration registration;
    private long count;
    private long chunkBegan;
    private long chunkBytes;
    private boolean ended;
    private volatile boolean closed;

    Iterator(IteratorContext context) {
      super(context, spec.types());
      this.context = context;
    }

    @Override
    boolean isBuffered() {
      return chunkBytes < ENOUGH_BYTES && ticker.nanoTime() - chunkBegan < ENOUGH_NANOS;
    }

    @Override
    boolean read(List<Object> columns, int row, RecordPlaces.Builder places) {
      if (ended || closed) {
        return false;
      }
      if (row == 0) {
        chunkBegan = ticker.nanoTime();
        chunkBytes = 0;
      }
      // A query that is stepped behind its end, or behind an error, would start again.
      ended = true;
      SqliteRows current = rows == null ? open() : rows;
      if (!current.next()) {
        return false;
      }
      for (int i = 0; i < columns.size(); i++) {
        set(current, i, columns.get(i), row);
      }
      places.add(database, ++count, 1);
      ended = false;
      return true;
    }

    private SqliteRows open() {
      context.files().opening(database);
      SqliteRows opened = SqliteRows.open(database, query, spec.types().size());
      rows = opened;
      registration = context.step().cancellation().onCancel(opened::close);
      if (closed) {
        opened.close();
      }
      return opened;
    }

    /** Integers keep their low bits, as a C++ cast keeps them. */
    private void set(SqliteRows current, int index, Object column, int row) {
      switch (column) {
        case byte[][] strings -> {
          strings[row] = current.bytes(index);
          chunkBytes += strings[row].length;
        }
        case double[] doubles -> doubles[row] = current.number(index);
        case long[] longs -> longs[row] = current.integer(index);
        case int[] ints -> ints[row] = (int) current.integer(index);
        case short[] shorts -> shorts[row] = (short) current.integer(index);
        case byte[] bytes -> {
          long value = current.integer(index);
          boolean isBool = spec.types().get(index) == DataType.BOOL;
          bytes[row] = isBool ? (byte) (value == 0 ? 0 : 1) : (byte) value;
        }
        default -> throw StatusException.invalidArgument("%s", spec.types().get(index).tfName());
      }
    }

    @Override
    public void close() {
      closed = true;
      Cancellation.Registration registered = registration;
      if (registered != null) {
        registered.close();
      }
      SqliteRows current = rows;
      if (current != null) {
        current.close();
      }
    }
  }
}
