package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.NumericElements;
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

/** The Lu op: square matrices as products of triangular ones, with a permutation of the rows. */
final class LuOps {
  private LuOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Lu(input: T) -> (lu: T, p: output_idx_type)")
            .attrs(PerMatrixKernel.TYPES, "output_idx_type: {int32, int64} = int32")
            .shape(LuOps::rule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(node -> {
              DataType indexType = node.attrs().type("output_idx_type");
              return call -> decompose(call, indexType);
            }));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Shapes.checkRankAtLeast(shape, 2);
    if (shape.isUnknownRank()) {
      return List.of(shape, shape);
    }
    Shape square = MatrixShapes.square(shape);
    return List.of(square, square.sub(0, square.rank() - 1));
  }

  private static void decompose(KernelCall call, DataType indexType) {
    Tensor input = call.input(0);
    Shape shape = input.shape();
    if (shape.rank() < 2) {
      throw invalidArgument("Input must have rank >= 2, got %d", shape.rank());
    }
    int n = (int) shape.size(shape.rank() - 1);
    if (shape.size(shape.rank() - 2) != n) {
      throw invalidArgument("Input matrix must be square.");
    }
    DataType dtype = input.dtype();
    Shape vectors = shape.sub(0, shape.rank() - 1);
    Object factors = TensorLimit.allocate(dtype, shape);
    Object permutations = TensorLimit.allocate(indexType, vectors);
    int matrices = n == 0 ? 0 : shape.elements() / (n * n);
    for (int m = 0; m < matrices; m++) {
      double[] matrix = new double[n * n];
      ComplexParts.readReal(
          TensorMemory.array(input), TensorMemory.offset(input) + m * n * n, matrix, n * n);
      LuDecomposition lu = new LuDecomposition(n, matrix, call.cancellation());
      if (lu.isSingular()) {
        throw invalidArgument("Input is not invertible.");
      }
      for (int i = 0; i < n * n; i++) {
        NumericElements.setFloating(dtype, factors, m * n * n + i, lu.factors()[i]);
      }
      for (int i = 0; i < n; i++) {
        NumericElements.setInteger(permutations, m * n + i, lu.row(i));
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, factors));
    call.setOutput(1, Tensor.wrap(indexType, vectors, permutations));
  }
}
