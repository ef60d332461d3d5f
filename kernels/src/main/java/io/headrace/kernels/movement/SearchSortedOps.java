package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** LowerBound and UpperBound: positions of values in sorted rows ({@code tf.searchsorted}). */
final class SearchSortedOps {
  private SearchSortedOps() {}

  static List<Op> ops() {
    return List.of(bound("LowerBound", false), bound("UpperBound", true));
  }

  private static Op bound(String name, boolean upper) {
    return Op.define(name + "(sorted_inputs: T, values: T) -> output: out_type")
        .attrs("T: real", "out_type: {int32, int64} = int32")
        .shape(SearchSortedOps::boundRule)
        .kernel(RowKernel.made(node -> bounds(node, upper)));
  }

  private static List<Shape> boundRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 2);
    return List.of(in.shape(1));
  }

  private static RowKernel.Body bounds(NodeSpec node, boolean upper) {
    DataType indexType = node.outputTypes().getFirst();
    return rows -> {
      Shape sorted = checkMatrix("sorted_inputs", rows.shape(0));
      Shape values = checkMatrix("values", rows.shape(1));
      if (sorted.size(0) != values.size(0)) {
        throw invalidArgument("Leading dim_size of both tensors must match.");
      }
      Object array = rows.allocate(indexType, values);
      for (int row = 0; row < rows.count(); row++) {
        rows.cancellation().check();
        search(rows.row(0, row), rows.row(1, row), upper, array, row * values.elements());
      }
      rows.set(0, indexType, values, array);
      return true;
    };
  }

  private static Shape checkMatrix(String name, Shape shape) {
    if (shape.rank() != 2) {
      throw invalidArgument(
          "Shape must be rank 2 but is rank %d for `%s` argument", shape.rank(), name);
    }
    return shape;
  }

  private static void search(Tensor sorted, Tensor values, boolean upper, Object array, int first) {
    int size = (int) sorted.shape().size(1);
    int perLine = (int) values.shape().size(1);
    for (int i = 0; i < values.elements(); i++) {
      int line = TensorMemory.offset(sorted) + i / perLine * size;
      int at = TensorMemory.offset(values) + i;
      int low = 0;
      int high = size;
      while (low < high) {
        int middle = (low + high) >>> 1;
        int order = compare(sorted, line + middle, values, at);
        if (order < 0 || (upper && order == 0)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      NumericElements.setInteger(array, first + i, low);
    }
  }

  private static int compare(Tensor a, int i, Tensor b, int j) {
    DataType dtype = a.dtype();
    if (dtype.isFloating()) {
      double x = NumericElements.floating(dtype, TensorMemory.array(a), i);
      double y = NumericElements.floating(dtype, TensorMemory.array(b), j);
      return x < y ? -1 : x > y ? 1 : 0;
    }
    long x = NumericElements.integer(dtype, TensorMemory.array(a), i);
    long y = NumericElements.integer(dtype, TensorMemory.array(b), j);
    return dtype == DataType.UINT64 ? Long.compareUnsigned(x, y) : Long.compare(x, y);
  }
}
