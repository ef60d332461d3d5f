package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The MatrixLogarithm op: the principal logarithm of square matrices of complex numbers. */
final class MatrixLogarithmOps {
  private MatrixLogarithmOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixLogarithm(input: T) -> output: T")
            .attrs("T: {complex64, complex128}")
            .shape(in -> List.of(MatrixShapes.square(in.shape(0))))
            .remark(
                PerMatrixKernel.DOUBLE_PRECISION
                    + " An eigenvalue on the negative axis may be taken from its other side. Of a"
                    + " singular matrix NaN, where TensorFlow may not return.")
            .kernel(RowKernel.of(MatrixLogarithmOps::compute)));
  }

  private static boolean compute(Rows rows) {
    int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
    return PerMatrixKernel.runComplex(
        rows, rows.dtype(0), List.of(Shape.of(n, n)), (re, im, stop) -> logarithm(n, re, im, stop));
  }

  private static double[][] logarithm(int n, double[] re, double[] im, Cancellation stop) {
    ComplexSchur schur = new ComplexSchur(n, re, im, stop);
    boolean isRegular = schur.isConverged();
    for (int d = 0; d < n * n; d += n + 1) {
      double size = Math.hypot(schur.real()[d], schur.imaginary()[d]);
      isRegular &= size > 0 && size < Double.POSITIVE_INFINITY;
    }
    if (!isRegular) {
      double[] none = new double[n * n];
      Arrays.fill(none, Double.NaN);
      return new double[][] {none, none};
    }
    double[][] logarithm = TriangularLogarithm.of(n, schur.real(), schur.imaginary(), stop);
    return schur.restored(logarithm[0], logarithm[1]);
  }
}
