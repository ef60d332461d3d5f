package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/** The RaggedTensorToSparse op. */
final class RaggedTensorToSparseOps {
  private RaggedTensorToSparseOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T)"
                    + " -> (sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64)")
            .attrs("RAGGED_RANK: int", "T: type", "Tsplits: {int32, int64} = int64")
            .shape(RaggedTensorToSparseOps::toSparseRule)
            .stateless(RaggedTensorToSparseOps::toSparse));
  }

  private static List<Shape> toSparseRule(ShapeFunction.Inputs in) {
    int splits = in.count() - 1;
    if (splits < 1) {
      throw invalidArgument("Requires RAGGED_RANK>0");
    }
    Shape values = in.shape(splits);
    Shapes.checkRankAtLeast(values, 1);
    for (int i = 0; i < splits; i++) {
      Shapes.withRank(in.shape(i), 1);
    }
    long rank = values.isUnknownRank() ? Shape.UNKNOWN_DIMENSION : values.rank() + splits;
    long count = Shapes.elements(values);
    return List.of(Shape.of(count, rank), Shape.of(count), Shape.of(rank));
  }

  private static void toSparse(KernelCall call) {
    int levels = call.inputs() - 1;
    List<Tensor> splits = new ArrayList<>();
    for (int i = 0; i < levels; i++) {
      splits.add(call.input(i));
    }
    Tensor values = call.input(levels);
    RowSplits.check(splits, values);
    Shape inner = values.shape().dropFirst(1);
    int rank = levels + values.shape().rank();
    Shape shape = Shape.of(values.elements(), rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    SparseIndexWriter writer = new SparseIndexWriter(splits, inner, indices);
    writer.write();
    long[] sizes = new long[rank];
    sizes[0] = splits.getFirst().elements() - 1L;
    for (int level = 0; level < levels; level++) {
      sizes[level + 1] = RowSplits.widest(splits.get(level));
    }
    for (int axis = 0; axis < inner.rank(); axis++) {
      sizes[levels + 1 + axis] = inner.size(axis);
    }
    call.setOutput(0, Tensor.wrap(DataType.INT64, shape, indices));
    call.setOutput(1, values.reshape(Shape.of(values.elements())));
    call.setOutput(2, Tensor.vector(sizes));
  }

  /** Writes the sparse index of each value of a ragged tensor. */
  private static final class SparseIndexWriter {
    private final List<Tensor> splits;
    private final Shape inner;
    private final int innerElements;
    private final long[] indices;
    private final long[] prefix;
    private int at;

    SparseIndexWriter(List<Tensor> splits, Shape inner, long[] indices) {
      this.splits = splits;
      this.inner = inner;
      this.innerElements = inner.elements();
      this.indices = indices;
      this.prefix = new long[splits.size() + 1];
    }

    void write() {
      rows(0, 0, splits.getFirst().elements() - 1);
    }

    /** Writes the indices of the rows {@code from} up to {@code to} of a level. */
    private void rows(int level, int from, int to) {
      for (int row = from; row < to; row++) {
        prefix[level] = (long) row - from;
        if (level == splits.size()) {
          value();
        } else {
          Tensor own = splits.get(level);
          rows(level + 1, (int) own.integer(row), (int) own.integer(row + 1));
        }
      }
    }

    private void value() {
      for (int i = 0; i < innerElements; i++) {
        System.arraycopy(prefix, 0, indices, at, prefix.length);
        at += prefix.length;
        int rest = i;
        for (int axis = inner.rank() - 1; axis >= 0; axis--) {
          indices[at + axis] = rest % inner.size(axis);
          rest /= (int) inner.size(axis);
        }
        at += inner.rank();
      }
    }
  }
}
