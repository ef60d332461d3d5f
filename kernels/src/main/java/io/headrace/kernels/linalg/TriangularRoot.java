package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * The principal square root of an upper triangular matrix of complex numbers, by the recurrence of
 * Å. Björck and S. Hammarling (A Schur method for the square root of a matrix, 1983).
 */
final class TriangularRoot {
  private TriangularRoot() {}

  /** The parts of the root, row-major, of a matrix with the given parts. */
  static double[][] of(int n, double[] re, double[] im, Cancellation stop) {
    double[] rootRe = new double[n * n];
    double[] rootIm = new double[n * n];
    for (int j = 0; j < n; j++) {
      stop.check();
      int d = j * (n + 1);
      double[] root = ComplexSchur.root(re[d], im[d]);
      rootRe[d] = root[0];
      rootIm[d] = root[1];
      for (int i = j - 1; i >= 0; i--) {
        solve(n, i, j, re, im, rootRe, rootIm);
      }
    }
    return new double[][] {rootRe, rootIm};
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
