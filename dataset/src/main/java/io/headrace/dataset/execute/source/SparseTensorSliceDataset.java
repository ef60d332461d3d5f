package io.headrace.dataset.execute.source;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slices of a sparse tensor along its first dimension, each as the indices, values and dense
 * shape of a sparse tensor with one dimension less.
 *
 * @param indices int64 [entries, rank]; the first column does not decrease
 * @param values the values, [entries]
 * @param denseShape the sizes of the tensor, int64 [rank]
 */
public record SparseTensorSliceDataset(Tensor indices, Tensor values, Tensor denseShape)
    implements DatasetValue {
  public static final Op OP =
      DatasetOp.define(
              "SparseTensorSliceDataset(indices: int64, values: Tvalues, dense_shape: int64)")
          .attrs("Tvalues: type")
          .kernel(DatasetKernel.making(SparseTensorSliceDataset::of));

  private static SparseTensorSliceDataset of(OpArguments in) {
    Tensor indices = in.tensor("indices");
    Tensor values = in.tensor("values");
    Tensor denseShape = in.tensor("dense_shape");
    check(indices.shape().rank() == 2, "Input indices must be a matrix. Got: %s", indices.shape());
    check(values.shape().rank() == 1, "Input values must be a vector. Got: %s", values.shape());
    check(
        denseShape.shape().rank() == 1,
        "Input shape must be a vector. Got: %s",
        denseShape.shape());
    check(
        values.elements() == indices.shape().size(0),
        "Number of values must match first dimension of indices. Got %d values, indices shape: %s",
        values.elements(),
        indices.shape());
    check(
        denseShape.elements() == indices.shape().size(1),
        "Number of dimensions must match second dimension of indices. Got %d dimensions, indices"
            + " shape: %s",
        denseShape.elements(),
        indices.shape());
    check(denseShape.elements() > 0, "The shape argument requires at least one element.");
    for (long size : denseShape.integers()) {
      check(size >= 0, "Expected shape dimensions to be non-negative, got %d", size);
    }
    checkOrder(indices);
    return new SparseTensorSliceDataset(indices, values, denseShape);
  }

  @FormatMethod
  private static void check(boolean holds, String format, Object... arguments) {
    if (!holds) {
      throw StatusException.invalidArgument("%s", format.formatted(arguments));
    }
  }

  private static void checkOrder(Tensor indices) {
    int rank = (int) indices.shape().size(1);
    long before = -1;
    for (int i = 0; i < indices.shape().size(0); i++) {
      long slice = indices.integer(i * rank);
      if (slice < before) {
        throw StatusException.unimplemented(
            "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered"
                + " input is not currently supported.");
      }
      before = slice;
    }
  }

  private int sliceRank() {
    return denseShape.elements() - 1;
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.INT64, values.dtype(), DataType.INT64);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(
        Shape.of(Shape.UNKNOWN_DIMENSION, sliceRank()),
        Shape.of(Shape.UNKNOWN_DIMENSION),
        Shape.of(sliceRank()));
  }

  @Override
  public long cardinality() {
    return denseShape.integer(0);
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator();
  }

  private final class Iterator implements ChunkIterator {
    private final long[] coordinates = indices.integers();
    private final Tensor sliceShape = denseShape.rows(1, denseShape.elements());
    private long slice;
    private int entry;
    private volatile boolean closed;

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (closed || slice >= cardinality()) {
        return null;
      }
      moveTo(slice);
      int first = entry;
      moveTo(++slice);
      return Chunk.ofElement(
          List.of(indicesOf(first, entry), values.rows(first, entry), sliceShape));
    }

    /** Moves to the first entry that is not of a slice before {@code row}. */
    private void moveTo(long row) {
      while (entry < values.elements() && coordinates[entry * denseShape.elements()] < row) {
        entry++;
      }
    }

    private Tensor indicesOf(int first, int end) {
      int rank = sliceRank();
      long[] result = new long[(end - first) * rank];
      for (int i = first; i < end; i++) {
        int from = i * (rank + 1) + 1;
        System.arraycopy(coordinates, from, result, (i - first) * rank, rank);
      }
      return Tensor.wrap(DataType.INT64, Shape.of(end - first, rank), result);
    }

    @Override
    public long skip(long rows) {
      long skipped = closed ? 0 : Math.min(rows, cardinality() - slice);
      slice += skipped;
      return skipped;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
