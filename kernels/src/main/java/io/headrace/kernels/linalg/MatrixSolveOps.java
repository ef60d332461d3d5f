package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The MatrixSolve op: systems of linear equations with a square matrix, by LU decomposition. */
final class MatrixSolveOps {
  private MatrixSolveOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixSolve(matrix: T, rhs: T) -> output: T")
            .attrs("adjoint: bool = false", PerMatrixKernel.TYPES)
            .shape(MatrixSolveOps::solveRule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(
                RowKernel.made(node -> {
                  boolean adjoint = node.attrs().bool("adjoint");
                  return rows -> solve(rows, adjoint);
                })));
  }

  private static List<Shape> solveRule(ShapeFunction.Inputs in) {
    Shape matrix = MatrixShapes.square(in.shape(0));
    Shape right = in.shape(1);
    Shapes.checkRankAtLeast(right, 2);
    Shape batch = Shapes.merge(MatrixShapes.batch(matrix), MatrixShapes.batch(right));
    long n = last(matrix, 2);
    return List.of(
        Shapes.concat(batch, Shape.of(Shapes.mergeSize(n, last(right, 2)), last(right, 1))));
  }

  /** The size of the dimension {@code fromEnd} from the end: 1 is the last. */
  private static long last(Shape shape, int fromEnd) {
    return shape.isUnknownRank() ? Shape.UNKNOWN_DIMENSION : shape.size(shape.rank() - fromEnd);
  }

  private static boolean solve(Rows rows, boolean adjoint) {
    PerMatrixKernel.checkBatches(rows);
    int n = PerMatrixKernel.square(rows, "First input (lhs) must be a square matrix.");
    Shape right = rows.shape(1);
    if (last(right, 2) != n) {
      throw invalidArgument("Input matrix and rhs are incompatible.");
    }
    int columns = (int) last(right, 1);
    return PerMatrixKernel.run(
        rows,
        List.of(Shape.of(n, columns)),
        (in, stop) -> {
          if (columns == 0) {
            return new double[1][0];
          }
          LuDecomposition factors =
              new LuDecomposition(n, adjoint ? PerMatrixKernel.transposed(n, in[0]) : in[0], stop);
          if (!factors.isInvertible()) {
            throw invalidArgument("Input matrix is not invertible.");
          }
          return new double[][] {factors.solve(in[1], columns)};
        });
  }
}
