package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * The Schur decomposition of a square matrix, A = Q T Q^H with a unitary Q and an upper triangular
 * T: reduction to Hessenberg form and the implicit QR algorithm with Wilkinson's shifts (G. Golub,
 * C. Van Loan, Matrix Computations, chapter 7), by plane rotations.
 */
final class ComplexSchur {
  /** The steps without convergence after which a shift is taken that breaks cycles. */
  private static final int STEPS_BEFORE_OTHER_SHIFT = 10;

  private static final int MAX_STEPS_PER_ROW = 60;

  private final int n;
  private final Cancellation stop;

  /** The parts of T, row-major. */
  private final double[] re;

  private final double[] im;

  /** The parts of Q, row-major; empty if it is not computed. */
  private final double[] qRe;

  private final double[] qIm;

  /** Whether the algorithm converged, which it does unless an element is not finite. */
  private final boolean converged;

  /** Decomposes an {@code n} by {@code n} matrix of real numbers, row-major. */
  ComplexSchur(int n, double[] matrix, Cancellation stop) {
    this(n, matrix, new double[n * n], true, stop);
  }

  /** Decomposes an {@code n} by {@code n} matrix, whose parts are row-major. */
  ComplexSchur(int n, double[] matrixRe, double[] matrixIm, Cancellation stop) {
    this(n, matrixRe, matrixIm, true, stop);
  }

  /** The same, without Q unless {@code hasVectors}. */
  ComplexSchur(int n, double[] matrixRe, double[] matrixIm, boolean hasVectors, Cancellation stop) {
    this.n = n;
    this.stop = stop;
    this.re = matrixRe.clone();
    this.im = matrixIm.clone();
    this.qRe = new double[hasVectors ? n * n : 0];
    this.qIm = new double[qRe.length];
    for (int d = 0; d < qRe.length; d += n + 1) {
      qRe[d] = 1;
    }
    for (int column = 0; column < n - 2; column++) {
      stop.check();
      for (int row = n - 1; row > column + 1; row--) {
        int above = (row - 1) * n + column;
        int below = row * n + column;
        rotate(row - 1, re[above], im[above], re[below], im[below]);
        re[below] = 0;
        im[below] = 0;
      }
    }
    this.converged = reduce();
  }

  /**
   * Rotates rows {@code row} and the next so that the pair of numbers a and b would become one of
   * a's direction and 0, and the columns by the inverse.
   */
  private void rotate(int row, double aRe, double aIm, double bRe, double bIm) {
    double a = Math.hypot(aRe, aIm);
    double b = Math.hypot(bRe, bIm);
    if (b == 0) {
      return;
    }
    double norm = Math.hypot(a, b);
    double c = a / norm;
    // s is a / |a| times the conjugate of b over the norm.
    double uRe = a == 0 ? 1 : aRe / a;
    double uIm = a == 0 ? 0 : aIm / a;
    double sRe = (uRe * bRe + uIm * bIm) / norm;
    double sIm = (uIm * bRe - uRe * bIm) / norm;
    for (int j = 0; j < n; j++) {
      mix(re, im, row * n + j, (row + 1) * n + j, c, sRe, sIm);
    }
    for (int i = 0; i < n; i++) {
      mix(re, im, i * n + row, i * n + row + 1, c, sRe, -sIm);
    }
    for (int i = 0; i < n && qRe.length > 0; i++) {
      mix(qRe, qIm, i * n + row, i * n + row + 1, c, sRe, -sIm);
    }
  }

  /** Replaces p by c p + s q, and q by c q less the conjugate of s times p. */
  private static void mix(
      double[] re, double[] im, int p, int q, double c, double sRe, double sIm) {
    double pRe = re[p];
    double pIm = im[p];
    double qRe = re[q];
    double qIm = im[q];
    re[p] = c * pRe + sRe * qRe - sIm * qIm;
    im[p] = c * pIm + sRe * qIm + sIm * qRe;
    re[q] = c * qRe - (sRe * pRe + sIm * pIm);
    im[q] = c * qIm - (sRe * pIm - sIm * pRe);
  }

  private boolean reduce() {
    int steps = 0;
    for (int last = n - 1; last > 0; ) {
      stop.check();
      int first = last;
      while (first > 0 && !isSmall(first)) {
        first--;
      }
      if (first == last) {
        last--;
        steps = 0;
      } else if (steps++ == MAX_STEPS_PER_ROW) {
        return false;
      } else {
        step(first, last, steps % STEPS_BEFORE_OTHER_SHIFT == 0);
      }
    }
    return true;
  }

  /** Whether the element left of the diagonal in {@code row} is negligible; then it becomes 0. */
  private boolean isSmall(int row) {
    int at = row * n + row - 1;
    double size = Math.hypot(re[at], im[at]);
    double scale = size((row - 1) * (n + 1)) + size(row * (n + 1));
    if (size > Math.ulp(1.0) * scale && size > Double.MIN_NORMAL) {
      return false;
    }
    re[at] = 0;
    im[at] = 0;
    return true;
  }

  private double size(int at) {
    return Math.hypot(re[at], im[at]);
  }

  /** A QR step of the diagonal block from row {@code first} to row {@code last}. */
  private void step(int first, int last, boolean breaksCycle) {
    double[] shift = breaksCycle ? new double[] {size(last * n + last - 1), 0} : shift(last);
    int corner = first * (n + 1);
    double aRe = re[corner] - shift[0];
    double aIm = im[corner] - shift[1];
    double bRe = re[corner + n];
    double bIm = im[corner + n];
    for (int k = first; k < last; k++) {
      rotate(k, aRe, aIm, bRe, bIm);
      if (k > first) {
        re[(k + 1) * n + k - 1] = 0;
        im[(k + 1) * n + k - 1] = 0;
      }
      if (k < last - 1) {
        aRe = re[(k + 1) * n + k];
        aIm = im[(k + 1) * n + k];
        bRe = re[(k + 2) * n + k];
        bIm = im[(k + 2) * n + k];
      }
    }
  }

  /** The eigenvalue of the last two rows that is nearer to the last diagonal element. */
  private double[] shift(int last) {
    int d = last * (n + 1);
    int a = d - n - 1;
    double halfRe = (re[a] - re[d]) / 2;
    double halfIm = (im[a] - im[d]) / 2;
    double productRe = re[a + 1] * re[d - 1] - im[a + 1] * im[d - 1];
    double productIm = re[a + 1] * im[d - 1] + im[a + 1] * re[d - 1];
    double[] root =
        root(halfRe * halfRe - halfIm * halfIm + productRe, 2 * halfRe * halfIm + productIm);
    boolean isAligned = halfRe * root[0] + halfIm * root[1] >= 0;
    double sumRe = halfRe + (isAligned ? root[0] : -root[0]);
    double sumIm = halfIm + (isAligned ? root[1] : -root[1]);
    double square = sumRe * sumRe + sumIm * sumIm;
    if (square == 0) {
      return new double[] {re[d], im[d]};
    }
    return new double[] {
      re[d] - (productRe * sumRe + productIm * sumIm) / square,
      im[d] - (productIm * sumRe - productRe * sumIm) / square
    };
  }

  /** The principal square root of a complex number: its parts. */
  static double[] root(double re, double im) {
    double size = Math.hypot(re, im);
    if (size == 0) {
      return new double[] {0, 0};
    }
    double larger = Math.sqrt((size + Math.abs(re)) / 2);
    double smaller = im / (2 * larger);
    return re >= 0
        ? new double[] {larger, smaller}
        : new double[] {Math.abs(smaller), Math.copySign(larger, im)};
  }

  boolean isConverged() {
    return converged;
  }

  /** The real parts of T, row-major. */
  double[] real() {
    return re;
  }

  /** The imaginary parts of T, row-major. */
  double[] imaginary() {
    return im;
  }

  /** The parts of Q U, for the parts of a matrix U. */
  double[][] transformed(double[] uRe, double[] uIm) {
    double[] rowsRe = new double[n * n];
    double[] rowsIm = new double[n * n];
    for (int i = 0; i < n; i++) {
      stop.check();
      for (int k = 0; k < n; k++) {
        double factorRe = qRe[i * n + k];
        double factorIm = qIm[i * n + k];
        for (int j = 0; j < n; j++) {
          rowsRe[i * n + j] += factorRe * uRe[k * n + j] - factorIm * uIm[k * n + j];
          rowsIm[i * n + j] += factorRe * uIm[k * n + j] + factorIm * uRe[k * n + j];
        }
      }
    }
    return new double[][] {rowsRe, rowsIm};
  }

  /** The parts of Q U Q^H, for the parts of a matrix U. */
  double[][] restored(double[] uRe, double[] uIm) {
    double[][] rows = transformed(uRe, uIm);
    double[] resultRe = new double[n * n];
    double[] resultIm = new double[n * n];
    for (int i = 0; i < n; i++) {
      stop.check();
      for (int j = 0; j < n; j++) {
        double sumRe = 0;
        double sumIm = 0;
        for (int k = 0; k < n; k++) {
          double rowRe = rows[0][i * n + k];
          double rowIm = rows[1][i * n + k];
          sumRe += rowRe * qRe[j * n + k] + rowIm * qIm[j * n + k];
          sumIm += rowIm * qRe[j * n + k] - rowRe * qIm[j * n + k];
        }
        resultRe[i * n + j] = sumRe;
        resultIm[i * n + j] = sumIm;
      }
    }
    return new double[][] {resultRe, resultIm};
  }
}
