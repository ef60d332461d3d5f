package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.ReplicateOnSplit;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.SelectedRows;
import io.headrace.dataset.execute.pass.SplitIterator;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The numbers from {@code start} by {@code step}, excluding {@code stop}. If {@code replicated},
 * every worker counts all of them.
 */
public record RangeDataset(long start, long stop, long step, DataType type, boolean replicated)
    implements DatasetValue {
  public static final Op OP =
      DatasetOp.of(
          "RangeDataset(start: int64, stop: int64, step: int64)",
          RangeDataset::of,
          "replicate_on_split: bool = false");

  private static final int CHUNK_BYTES = 1 << 20;

  public RangeDataset(long start, long stop, long step, DataType type) {
    this(start, stop, step, type, false);
  }

  private static RangeDataset of(OpArguments in) {
    long step = in.integer("step");
    if (step == 0) {
      throw in.invalid("step must be a non-zero integer");
    }
    DataType type = in.spec().types().getFirst();
    if (!type.isInteger() && !type.isFloating()) {
      throw in.invalid("no range of %s can be made", type.tfName());
    }
    return new RangeDataset(
        in.integer("start"), in.integer("stop"), step, type, in.attrs().bool("replicate_on_split"));
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(type);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(Shape.SCALAR);
  }

  @Override
  public long cardinality() {
    boolean empty = step > 0 ? start >= stop : start <= stop;
    if (empty) {
      return 0;
    }
    // Differences of longs, taken as unsigned, cannot overflow.
    long span = step > 0 ? stop - start : start - stop;
    long stride = step > 0 ? step : -step;
    long count = Long.divideUnsigned(span - 1, stride) + 1;
    return count > 0 ? count : Long.MAX_VALUE;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return context.splits().isEmpty() || replicated
        ? new Iterator()
        : new SplitIterator(context.splits().getFirst(), this::rows);
  }

  @Override
  public List<SplitSource> splitSources() {
    return List.of(SplitSource.ofNumbers(start, step, cardinality()));
  }

  @Override
  public Lineage lineage() {
    return replicated ? ReplicateOnSplit.LINEAGE : Lineage.Told.SPLITS;
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return new SelectedRows(this, rows, this::rows);
  }

  private Chunk rows(long[] indices) {
    if (type == DataType.INT64) {
      long[] values = new long[indices.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = start + indices[i] * step;
      }
      return Chunk.of(
          values.length,
          List.of(
              new Column.Stacked(Tensor.wrap(DataType.INT64, Shape.of(values.length), values))));
    }
    return Chunk.concat(
        Arrays.stream(indices).mapToObj(i -> chunk(1, start + i * step, step)).toList());
  }

  private Chunk rows(SplitRun run) {
    return chunk((int) run.count(), run.first(), run.step());
  }

  private Chunk chunk(int rows, long first, long stride) {
    Tensor values = Tensor.wrap(type, Shape.of(rows), fill(rows, first, stride));
    return Chunk.of(rows, List.of(new Column.Stacked(values)));
  }

  private final class Iterator implements ChunkIterator {
    private final long count = cardinality();
    private long at;

    @Override
    public @Nullable Chunk next(int maxRows) {
      int rows = (int) Math.min(Math.min(maxRows, CHUNK_BYTES / type.byteSize()), count - at);
      if (rows <= 0) {
        return null;
      }
      Chunk chunk = chunk(rows, start + at * step, step);
      at += rows;
      return chunk;
    }

    @Override
    public long skip(long rows) {
      long skipped = Math.min(rows, count - at);
      at += skipped;
      return skipped;
    }

    @Override
    public void close() {
      at = count;
    }
  }

  private Object fill(int rows, long first, long stride) {
    Object array = type.kind().newArray(rows);
    switch (array) {
      case long[] a -> {
        for (int i = 0; i < rows; i++) {
          a[i] = first + i * stride;
        }
      }
      case int[] a -> {
        for (int i = 0; i < rows; i++) {
          a[i] = (int) (first + i * stride);
        }
      }
      case float[] a -> {
        for (int i = 0; i < rows; i++) {
          a[i] = first + i * stride;
        }
      }
      case double[] a -> {
        for (int i = 0; i < rows; i++) {
          a[i] = first + i * stride;
        }
      }
      case byte[] a -> {
        for (int i = 0; i < rows; i++) {
          a[i] = (byte) (first + i * stride);
        }
      }
      case short[] a -> {
        for (int i = 0; i < rows; i++) {
          a[i] = toShort(first + i * stride);
        }
      }
      default -> throw StatusException.unimplemented("a range of %s", type.tfName());
    }
    return array;
  }

  private short toShort(long value) {
    return switch (type) {
      case FLOAT16 -> Float.floatToFloat16((float) value);
      case BFLOAT16 -> toBfloat16((float) value);
      default -> (short) value;
    };
  }

  /** The nearest bfloat16, ties to even. */
  private static short toBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    return (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16);
  }
}
