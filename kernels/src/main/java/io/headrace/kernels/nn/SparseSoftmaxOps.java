package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.sparse.SparseTensor;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** The SparseSoftmax op: softmax over the values of each line of the last dimension. */
final class SparseSoftmaxOps {
  private SparseSoftmaxOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> output: T")
            .attrs("T: {half, float, double}")
            .shape(SparseSoftmaxOps::sparseRule)
            .remark(SoftmaxOps.DOUBLE_PRECISION)
            .stateless(SparseSoftmaxOps::sparse));
  }

  private static List<Shape> sparseRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(2), 1);
    return List.of(Shapes.withRank(in.shape(1), 1));
  }

  /** Computes line by line; output values are in the canonical order of the indices. */
  private static void sparse(KernelCall call) {
    checkSparse(call.input(0).shape(), call.input(1).shape(), call.input(2).shape());
    SparseTensor sparse = SparseTensor.of(call, 0);
    for (int axis = 0; axis < sparse.rank(); axis++) {
      if (sparse.shape().integer(axis) < 0) {
        throw invalidArgument(
            "Expected shape dimensions to be non-negative, got %d", sparse.shape().integer(axis));
      }
    }
    int[] order = sparse.order();
    DataType dtype = sparse.values().dtype();
    Object array = TensorLimit.allocate(dtype, Shape.of(order.length));
    Tensor values = sparse.pickValues(order);
    int end = 0;
    for (int from = 0; from < order.length; from = end) {
      call.cancellation().check();
      end = from + 1;
      while (end < order.length && isOneLine(sparse, order[from], order[end])) {
        end++;
      }
      double[] line = new double[end - from];
      SoftmaxOps.read(values, from, line);
      double sum = SoftmaxOps.shiftedSum(line);
      for (int i = 0; i < line.length; i++) {
        NumericElements.setFloating(dtype, array, from + i, Math.exp(line[i]) / sum);
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, Shape.of(order.length), array));
  }

  private static void checkSparse(Shape indices, Shape values, Shape shape) {
    if (indices.rank() != 2) {
      throw invalidArgument("Input sp_indices should be a matrix but received shape: %s", indices);
    }
    if (values.rank() != 1 || shape.rank() != 1) {
      throw invalidArgument(
          "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s",
          values, shape);
    }
    if (shape.size(0) < 2) {
      throw invalidArgument(
          "Input should have rank >= 2, but received shape of %d dimensions", shape.size(0));
    }
  }

  private static boolean isOneLine(SparseTensor sparse, int a, int b) {
    for (int axis = 0; axis < sparse.rank() - 1; axis++) {
      if (sparse.index(a, axis) != sparse.index(b, axis)) {
        return false;
      }
    }
    return true;
  }
}
