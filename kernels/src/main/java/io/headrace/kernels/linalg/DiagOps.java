package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The ops Diag and DiagPart: tensors of rank 2k whose diagonal is a tensor of rank k. */
final class DiagOps {
  private DiagOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Diag(diagonal: T) -> output: T")
            .attrs("T: {float, double, int32, int64, complex64, complex128, bfloat16, half}")
            .shape(in -> List.of(Shapes.concat(in.shape(0), in.shape(0))))
            .kernel(RowKernel.of(DiagOps::diag)),
        Op.define("DiagPart(input: T) -> diagonal: T")
            .attrs("T: {float, double, int32, int64, complex64, complex128, bfloat16, half}")
            .shape(DiagOps::diagPartRule)
            .kernel(RowKernel.of(DiagOps::diagPart)));
  }

  private static boolean diag(Rows rows) {
    Shape shape = rows.shape(0);
    if (shape.rank() == 0) {
      throw invalidArgument("Input must be at least rank 1, got 0");
    }
    int n = shape.elements();
    MatrixDiagOps.spread(rows, Shapes.concat(shape, shape), 1, n, n * n, n + 1);
    return true;
  }

  private static List<Shape> diagPartRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    if (shape.rank() % 2 != 0 || shape.rank() == 0) {
      throw invalidArgument(
          "Input must have even and non-zero rank, input rank is %d", shape.rank());
    }
    int half = shape.rank() / 2;
    return List.of(Shapes.merge(shape.sub(0, half), shape.sub(half, 2 * half)));
  }

  private static boolean diagPart(Rows rows) {
    Shape shape = rows.shape(0);
    int half = shape.rank() / 2;
    if (shape.rank() % 2 != 0) {
      throw invalidArgument(
          "The rank of the tensor should be even and positive, got shape %s", shape);
    }
    Shape result = shape.sub(0, half);
    if (!result.equals(shape.sub(half, 2 * half))) {
      throw invalidArgument("Invalid shape %s: dimensions i and i + %d must be equal", shape, half);
    }
    int n = result.elements();
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    new StridedMove(input.dtype().kind())
        .dimension(rows.count(), rows.stride(0), n)
        .dimension(n, n + 1, 1)
        .run(TensorMemory.array(input), TensorMemory.offset(input), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }
}
