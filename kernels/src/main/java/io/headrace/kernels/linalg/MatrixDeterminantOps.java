package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The MatrixDeterminant op, by LU decomposition. */
final class MatrixDeterminantOps {
  private MatrixDeterminantOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixDeterminant(input: T) -> output: T")
            .attrs(PerMatrixKernel.TYPES)
            .shape(MatrixDeterminantOps::determinantRule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(
                RowKernel.of(rows -> {
                  int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
                  return PerMatrixKernel.run(
                      rows,
                      List.of(Shape.SCALAR),
                      (in, stop) ->
                          new double[][] {{new LuDecomposition(n, in[0], stop).determinant()}});
                })));
  }

  private static List<Shape> determinantRule(ShapeFunction.Inputs in) {
    return List.of(MatrixShapes.batch(MatrixShapes.square(in.shape(0))));
  }
}
