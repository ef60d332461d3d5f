package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** SparseFillEmptyRows, which gives rows without values a default value, and its gradient. */
public final class SparseFillEmptyRowsOps {
  private SparseFillEmptyRowsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64,"
                    + " default_value: T) -> (output_indices: int64, output_values: T,"
                    + " empty_row_indicator: bool, reverse_index_map: int64)")
            .attrs("T: type")
            .shape(SparseFillEmptyRowsOps::fillRule)
            .stateless(SparseFillEmptyRowsOps::fillEmptyRows),
        gradient("SparseFillEmptyRowsGrad"));
  }

  /** The gradient {@code name}, the same for sparse and for ragged tensors. */
  public static Op gradient(String name) {
    return Op.define(
            name
                + "(reverse_index_map: int64, grad_values: T) -> (d_values: T, d_default_value: T)")
        .attrs("T: number")
        .shape(in -> {
          Shapes.withRank(in.shape(1), 1);
          return List.of(Shapes.withRank(in.shape(0), 1), Shape.SCALAR);
        })
        .stateless(SparseFillEmptyRowsOps::gradient);
  }

  /** The gradients that the map picks, and the sum of those that it does not. */
  private static void gradient(KernelCall call) {
    Tensor map = call.input(0);
    Tensor gradient = call.input(1);
    if (map.shape().rank() != 1) {
      throw invalidArgument("reverse_index_map must be a vector, saw: %s", map.shape());
    }
    if (gradient.shape().rank() != 1) {
      throw invalidArgument("grad_values must be a vector, saw: %s", gradient.shape());
    }
    DataType dtype = gradient.dtype();
    Object picked = TensorLimit.allocate(dtype, map.shape());
    boolean[] seen = new boolean[gradient.elements()];
    for (int i = 0; i < map.elements(); i++) {
      long from = map.integer(i);
      if (from < 0 || from >= seen.length) {
        throw invalidArgument(
            "Elements in reverse index must be in [0, %d) but got %d", seen.length, from);
      }
      seen[(int) from] = true;
      dtype
          .kind()
          .copy(
              TensorMemory.array(gradient),
              TensorMemory.offset(gradient) + (int) from,
              picked,
              i,
              1);
    }
    Object sum = dtype.kind().newArray(1);
    for (int i = 0; i < seen.length; i++) {
      if (!seen[i]) {
        Combiner.ADD.into(
            dtype, sum, 0, TensorMemory.array(gradient), TensorMemory.offset(gradient) + i, 1);
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, map.shape(), picked));
    call.setOutput(1, Tensor.wrap(dtype, Shape.SCALAR, sum));
  }

  private static List<Shape> fillRule(ShapeFunction.Inputs in) {
    Shape indices = Shapes.withRank(in.shape(0), 2);
    Shape values = Shapes.withRank(in.shape(1), 1);
    Shape shape = Shapes.withRank(in.shape(2), 1);
    Shapes.withRank(in.shape(3), 0);
    long count = Shapes.mergeSize(indices.size(0), values.size(0));
    long rank = Shapes.mergeSize(indices.size(1), shape.size(0));
    Tensor sizes = in.constant(2);
    long rows = sizes == null ? Shape.UNKNOWN_DIMENSION : sizes.integer(0);
    long unknown = Shape.UNKNOWN_DIMENSION;
    return List.of(Shape.of(unknown, rank), Shape.of(unknown), Shape.of(rows), Shape.of(count));
  }

  private static void fillEmptyRows(KernelCall call) {
    SparseTensor sparse = new SparseTensor(call.input(0), call.input(1), call.input(2));
    Tensor defaultValue = call.input(3);
    checkFill(sparse, defaultValue);
    int count = sparse.count();
    Shape rowShape = Shape.of(sparse.size(0));
    byte[] empty = (byte[]) TensorLimit.allocate(DataType.BOOL, rowShape);
    int rows = empty.length;
    if (rows == 0 && count != 0) {
      throw invalidArgument(
          "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %d", count);
    }
    int[] starts = new int[rows + 1];
    for (int i = 0; i < count; i++) {
      long row = sparse.index(i, 0);
      if (row < 0 || row >= rows) {
        // TensorFlow's message, also for a negative row
        throw invalidArgument("indices(%d, 0) is invalid: %d >= %d", i, row, rows);
      }
      starts[(int) row + 1]++;
    }
    for (int row = 0; row < rows; row++) {
      empty[row] = (byte) (starts[row + 1] == 0 ? 1 : 0);
      starts[row + 1] = starts[row] + Math.max(1, starts[row + 1]);
    }
    setFilled(call, sparse, defaultValue, empty, starts);
    call.setOutput(2, Tensor.wrap(DataType.BOOL, rowShape, empty));
  }

  private static void checkFill(SparseTensor sparse, Tensor defaultValue) {
    if (sparse.shape().shape().rank() != 1) {
      throw invalidArgument("dense_shape must be a vector, saw: %s", sparse.shape().shape());
    }
    if (sparse.indices().shape().rank() != 2) {
      throw invalidArgument("indices must be a matrix, saw: %s", sparse.indices().shape());
    }
    if (sparse.values().shape().rank() != 1) {
      throw invalidArgument("values must be a vector, saw: %s", sparse.values().shape());
    }
    if (sparse.indices().shape().size(0) != sparse.count()) {
      throw invalidArgument(
          "The length of `values` (%d) must match the first dimension of `indices` (%d).",
          sparse.count(), sparse.indices().shape().size(0));
    }
    if (sparse.indices().shape().size(1) != sparse.rank()) {
      throw invalidArgument(
          "The length of `dense_shape` (%d) must match the second dimension of `indices` (%d).",
          sparse.rank(), sparse.indices().shape().size(1));
    }
    if (defaultValue.shape().rank() != 0) {
      throw invalidArgument("default_value must be a scalar, saw: %s", defaultValue.shape());
    }
    if (sparse.rank() == 0) {
      throw invalidArgument("Dense shape cannot be empty.");
    }
  }

  /**
   * Sets indices and values, grouped by row with the order within a row kept, and the reverse index
   * map. Row r begins at {@code starts[r]}.
   */
  private static void setFilled(
      KernelCall call, SparseTensor sparse, Tensor defaultValue, byte[] empty, int[] starts) {
    int rank = sparse.rank();
    int total = starts[starts.length - 1];
    DataType dtype = sparse.values().dtype();
    Shape indexShape = Shape.of(total, rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, indexShape);
    Object values = TensorLimit.allocate(dtype, Shape.of(total));
    long[] reverseIndexMap = new long[sparse.count()];
    int[] next = starts.clone();
    for (int i = 0; i < reverseIndexMap.length; i++) {
      int at = next[(int) sparse.index(i, 0)]++;
      reverseIndexMap[i] = at;
      for (int axis = 0; axis < rank; axis++) {
        indices[at * rank + axis] = sparse.index(i, axis);
      }
      dtype
          .kind()
          .copy(
              TensorMemory.array(sparse.values()),
              TensorMemory.offset(sparse.values()) + i,
              values,
              at,
              1);
    }
    for (int row = 0; row < empty.length; row++) {
      if (empty[row] != 0) {
        indices[starts[row] * rank] = row;
        dtype
            .kind()
            .copy(
                TensorMemory.array(defaultValue),
                TensorMemory.offset(defaultValue),
                values,
                starts[row],
                1);
      }
    }
    call.setOutput(0, Tensor.wrap(DataType.INT64, indexShape, indices));
    call.setOutput(1, Tensor.wrap(dtype, Shape.of(total), values));
    call.setOutput(3, Tensor.vector(reverseIndexMap));
  }
}
