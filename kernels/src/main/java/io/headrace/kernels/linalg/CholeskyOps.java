package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * The Cholesky op, the lower triangular factor of positive definite matrices, and CholeskyGrad, its
 * gradient.
 */
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
                })),
        Op.define("CholeskyGrad(l: T, grad: T) -> output: T")
            .attrs(PerMatrixKernel.TYPES)
            .shape(in -> List.of(MatrixShapes.square(in.shape(0))))
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(RowKernel.of(CholeskyOps::gradient)));
  }

  private static boolean gradient(Rows rows) {
    PerMatrixKernel.checkBatches(rows);
    if (!rows.shape(0).equals(rows.shape(1))) {
      throw invalidArgument("Inputs (L and grad) must have the same shape.");
    }
    int n = PerMatrixKernel.square(rows, "Inputs must be a square matrices.");
    return PerMatrixKernel.run(
        rows,
        List.of(Shape.of(n, n)),
        (in, stop) -> new double[][] {symmetric(n, gradient(n, in[0], in[1], stop))});
  }

  /**
   * The lower triangle of the gradient by the matrix: reverse differentiation of the factorization,
   * row by row from the last (I. Murray, Differentiation of the Cholesky decomposition, 2016). Only
   * lower triangles are read.
   */
  private static double[] gradient(int n, double[] l, double[] gradient, Cancellation stop) {
    double[] g = new double[n * n];
    for (int i = 0; i < n; i++) {
      System.arraycopy(gradient, i * n, g, i * n, i + 1);
    }
    for (int k = n - 1; k >= 0; k--) {
      stop.check();
      double root = l[k * n + k];
      for (int i = k + 1; i < n; i++) {
        g[k * n + k] -= l[i * n + k] * g[i * n + k] / root;
      }
      for (int i = k; i < n; i++) {
        g[i * n + k] /= root;
      }
      for (int i = k; i < n; i++) {
        double factor = g[i * n + k];
        for (int j = 0; j < k; j++) {
          g[k * n + j] -= factor * l[i * n + j];
        }
        for (int j = 0; j < k && i > k; j++) {
          g[i * n + j] -= factor * l[k * n + j];
        }
      }
      g[k * n + k] /= 2;
    }
    return g;
  }

  /** Half the sum of a lower triangle and its transpose. */
  private static double[] symmetric(int n, double[] lower) {
    double[] result = new double[n * n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        result[i * n + j] = (lower[i * n + j] + lower[j * n + i]) / 2;
      }
    }
    return result;
  }

  /** The Cholesky factor of the matrix {@code a}; only its lower triangle is read. */
  static double[] cholesky(int n, double[] a, Cancellation stop) {
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
