package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The Cholesky op: the lower triangular factor of positive definite matrices. */
final class CholeskyOps {
  private CholeskyOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Cholesky(input: T) -> output: T")
            .attrs(PerMatrixKernel.TYPES)
            .shape(in -> List.of(MatrixShapes.square(in.shape(0))))
            .remark(
                PerMatrixKernel.DOUBLE_PRECISION
                    + " Of a matrix that is not positive definite, NaN: the lower triangle, and"
                    + " zeros above it where TensorFlow leaves what was there.")
            .kernel(
                RowKernel.of(rows -> {
                  int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
                  return PerMatrixKernel.run(
                      rows,
                      List.of(Shape.of(n, n)),
                      (in, stop) -> new double[][] {cholesky(n, in[0], stop)});
                })));
  }

  /** The Cholesky factor of the matrix {@code a}; only its lower triangle is read. */
  private static double[] cholesky(int n, double[] a, Cancellation stop) {
    double[] l = new double[n * n];
    for (int j = 0; j < n; j++) {
      stop.check();
      double diagonal = a[j * n + j];
      for (int k = 0; k < j; k++) {
        diagonal -= l[j * n + k] * l[j * n + k];
      }
      if (diagonal <= 0) {
        return lowerOfNaN(n);
      }
      double root = Math.sqrt(diagonal);
      l[j * n + j] = root;
      for (int i = j + 1; i < n; i++) {
        double sum = a[i * n + j];
        for (int k = 0; k < j; k++) {
          sum -= l[i * n + k] * l[j * n + k];
        }
        l[i * n + j] = sum / root;
      }
    }
    return l;
  }

  private static double[] lowerOfNaN(int n) {
    double[] l = new double[n * n];
    for (int i = 0; i < n; i++) {
      Arrays.fill(l, i * n, i * n + i + 1, Double.NaN);
    }
    return l;
  }
}
