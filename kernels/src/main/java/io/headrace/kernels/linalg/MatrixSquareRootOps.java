package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * The MatrixSquareRoot op: the principal square root of square matrices, by the Schur method (Å.
 * Björck, S. Hammarling, A Schur method for the square root of a matrix, 1983).
 */
final class MatrixSquareRootOps {
  /**
   * The angle from the negative axis, in parts of its size, within which an eigenvalue is on it.
   */
  private static final double ON_AXIS = 1e-12;

  private MatrixSquareRootOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixSquareRoot(input: T) -> output: T")
            .attrs(PerMatrixKernel.TYPES)
            .shape(in -> List.of(MatrixShapes.square(in.shape(0))))
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(RowKernel.of(MatrixSquareRootOps::compute)));
  }

  private static boolean compute(Rows rows) {
    int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
    return PerMatrixKernel.run(
        rows, List.of(Shape.of(n, n)), (in, stop) -> new double[][] {squareRoot(n, in[0], stop)});
  }

  private static double[] squareRoot(int n, double[] matrix, Cancellation stop) {
    ComplexSchur schur = new ComplexSchur(n, matrix, stop);
    double[] re = schur.real();
    double[] im = schur.imaginary();
    boolean isReal = schur.isConverged();
    for (int d = 0; d < n * n && isReal; d += n + 1) {
      isReal = !(re[d] < 0 && Math.abs(im[d]) <= ON_AXIS * -re[d]);
    }
    if (!isReal) {
      double[] none = new double[n * n];
      Arrays.fill(none, Double.NaN);
      return none;
    }
    double[][] root = TriangularRoot.of(n, re, im, stop);
    return schur.restored(root[0], root[1])[0];
  }
}
