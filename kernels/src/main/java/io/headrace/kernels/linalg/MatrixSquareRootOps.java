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
    double[] rootRe = new double[n * n];
    double[] rootIm = new double[n * n];
    boolean isReal = schur.isConverged();
    for (int j = 0; j < n && isReal; j++) {
      stop.check();
      int d = j * (n + 1);
      isReal = !(re[d] < 0 && Math.abs(im[d]) <= ON_AXIS * -re[d]);
      double[] root = ComplexSchur.root(re[d], im[d]);
      rootRe[d] = root[0];
      rootIm[d] = root[1];
      for (int i = j - 1; i >= 0; i--) {
        solve(n, i, j, re, im, rootRe, rootIm);
      }
    }
    if (!isReal) {
      double[] none = new double[n * n];
      Arrays.fill(none, Double.NaN);
      return none;
    }
    return schur.restored(rootRe, rootIm);
  }

  /** Sets element (i, j) of the root, above its diagonal, from those left of it and below it. */
  private static void solve(
      int n, int i, int j, double[] re, double[] im, double[] rootRe, double[] rootIm) {
    double sumRe = re[i * n + j];
    double sumIm = im[i * n + j];
    for (int k = i + 1; k < j; k++) {
      int left = i * n + k;
      int below = k * n + j;
      sumRe -= rootRe[left] * rootRe[below] - rootIm[left] * rootIm[below];
      sumIm -= rootRe[left] * rootIm[below] + rootIm[left] * rootRe[below];
    }
    double divisorRe = rootRe[i * (n + 1)] + rootRe[j * (n + 1)];
    double divisorIm = rootIm[i * (n + 1)] + rootIm[j * (n + 1)];
    double square = divisorRe * divisorRe + divisorIm * divisorIm;
    rootRe[i * n + j] = (sumRe * divisorRe + sumIm * divisorIm) / square;
    rootIm[i * n + j] = (sumIm * divisorRe - sumRe * divisorIm) / square;
  }
}
