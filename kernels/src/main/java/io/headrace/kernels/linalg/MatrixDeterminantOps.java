package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** MatrixDeterminant and LogMatrixDeterminant, by LU decomposition. */
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
                })),
        Op.define("LogMatrixDeterminant(input: T) -> (sign: T, log_abs_determinant: T)")
            .attrs(PerMatrixKernel.TYPES)
            .shape(in -> {
              Shape batch = MatrixShapes.batch(MatrixShapes.square(in.shape(0)));
              return List.of(batch, batch);
            })
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(
                RowKernel.of(rows -> {
                  int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
                  return PerMatrixKernel.run(
                      rows,
                      List.of(Shape.SCALAR, Shape.SCALAR),
                      (in, stop) -> {
                        LuDecomposition factors = new LuDecomposition(n, in[0], stop);
                        return new double[][] {{factors.signum()}, {factors.logOfMagnitude()}};
                      });
                })));
  }

  private static List<Shape> determinantRule(ShapeFunction.Inputs in) {
    return List.of(MatrixShapes.batch(MatrixShapes.square(in.shape(0))));
  }
}
