package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.sparse.SparseFillEmptyRowsOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** RaggedFillEmptyRows, which gives rows without values a default value, and its gradient. */
final class RaggedFillEmptyRowsOps {
  private RaggedFillEmptyRowsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedFillEmptyRows(value_rowids: int64, values: T, nrows: int64,"
                    + " default_value: T) -> (output_value_rowids: int64, output_values: T,"
                    + " empty_row_indicator: bool, reverse_index_map: int64)")
            .attrs("T: type")
            .shape(RaggedFillEmptyRowsOps::rule)
            .stateless(RaggedFillEmptyRowsOps::fillEmptyRows),
        SparseFillEmptyRowsOps.gradient("RaggedFillEmptyRowsGrad"));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape rowIds = Shapes.withRank(in.shape(0), 1);
    Shape values = Shapes.withRank(in.shape(1), 1);
    Shapes.withRank(in.shape(2), 0);
    Shapes.withRank(in.shape(3), 0);
    Shape count = Shape.of(Shapes.mergeSize(rowIds.size(0), values.size(0)));
    return List.of(Shapes.ofRank(1), Shapes.ofRank(1), Shapes.ofRank(1), count);
  }

  private static void fillEmptyRows(KernelCall call) {
    Tensor rowIds = call.input(0);
    Tensor values = call.input(1);
    Tensor defaultValue = call.input(3);
    check(rowIds, values, call.input(2), defaultValue);
    int count = values.elements();
    Shape rowShape = Shape.of(call.input(2).integer(0));
    byte[] empty = (byte[]) TensorLimit.allocate(DataType.BOOL, rowShape);
    int rows = empty.length;
    if (rows == 0 && count != 0) {
      throw invalidArgument(
          "Received RaggedTensor with 0 rows but %d values: value_rowids.shape[0] = %d",
          count, count);
    }
    int[] starts = new int[rows + 1];
    for (int i = 0; i < count; i++) {
      long row = rowIds.integer(i);
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
    setFilled(call, empty, starts);
    call.setOutput(2, Tensor.wrap(DataType.BOOL, rowShape, empty));
  }

  private static void check(Tensor rowIds, Tensor values, Tensor rows, Tensor defaultValue) {
    if (rowIds.shape().rank() != 1) {
      throw invalidArgument("value_rowids must be a vector, saw: %s", rowIds.shape());
    }
    if (values.shape().rank() != 1) {
      throw invalidArgument("values must be a vector, saw: %s", values.shape());
    }
    if (rowIds.elements() != values.elements()) {
      throw invalidArgument(
          "The length of `values` (%d) must match the first dimension of `value_rowids` (%d).",
          values.elements(), rowIds.elements());
    }
    if (rows.shape().rank() != 0) {
      throw invalidArgument("nrows must be a scalar, saw: %s", rows.shape());
    }
    if (rows.integer(0) < 0) {
      throw invalidArgument("nrows must be at least 0, and is %d", rows.integer(0));
    }
    if (defaultValue.shape().rank() != 0) {
      throw invalidArgument("default_value must be a scalar, saw: %s", defaultValue.shape());
    }
  }

  /** Sets row ids and values, grouped by row, and the map; row r begins at {@code starts[r]}. */
  private static void setFilled(KernelCall call, byte[] empty, int[] starts) {
    Tensor rowIds = call.input(0);
    Tensor values = call.input(1);
    Tensor defaultValue = call.input(3);
    int total = starts[starts.length - 1];
    DataType dtype = values.dtype();
    long[] filledIds = (long[]) TensorLimit.allocate(DataType.INT64, Shape.of(total));
    Object filled = TensorLimit.allocate(dtype, Shape.of(total));
    long[] map = new long[values.elements()];
    int[] next = starts.clone();
    for (int i = 0; i < map.length; i++) {
      int row = (int) rowIds.integer(i);
      int at = next[row]++;
      map[i] = at;
      filledIds[at] = row;
      dtype.kind().copy(TensorMemory.array(values), TensorMemory.offset(values) + i, filled, at, 1);
    }
    for (int row = 0; row < empty.length; row++) {
      if (empty[row] != 0) {
        filledIds[starts[row]] = row;
        dtype
            .kind()
            .copy(
                TensorMemory.array(defaultValue),
                TensorMemory.offset(defaultValue),
                filled,
                starts[row],
                1);
      }
    }
    // Of no rows, TensorFlow's row ids have a second dimension.
    Shape idShape = empty.length == 0 ? Shape.of(0, 1) : Shape.of(total);
    call.setOutput(0, Tensor.wrap(DataType.INT64, idShape, filledIds));
    call.setOutput(1, Tensor.wrap(dtype, Shape.of(total), filled));
    call.setOutput(3, Tensor.vector(map));
  }
}
