package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * QR decomposition by Householder reflections. Signs are Eigen's: a diagonal element of R is
 * negative where the leading element of the column it was reduced from was not negative.
 */
final class HouseholderQr {
  private final int m;
  private final int n;

  /** R, and below its diagonal the Householder vectors without their leading 1. */
  private final double[] qr;

  private final double[] tau;

  private final Cancellation stop;

  /**
   * Decomposes an {@code m} by {@code n} matrix.
   *
   * @param matrix the matrix, row-major, overwritten
   * @param stop checked before each reflection
   */
  HouseholderQr(int m, int n, double[] matrix, Cancellation stop) {
    this.m = m;
    this.n = n;
    this.qr = matrix;
    this.stop = stop;
    this.tau = new double[Math.min(m, n)];
    for (int k = 0; k < tau.length; k++) {
      reflect(k);
    }
  }

  private void reflect(int k) {
    double first = qr[k * n + k];
    double tail = normBelow(k);
    if (tail == 0) {
      return;
    }
    double norm = Math.hypot(first, tail);
    double beta = first >= 0 ? -norm : norm;
    for (int i = k + 1; i < m; i++) {
      qr[i * n + k] /= first - beta;
    }
    tau[k] = (beta - first) / beta;
    qr[k * n + k] = beta;
    apply(k, qr, n, k + 1);
  }

  /** The norm of column {@code k} below the diagonal, scaled by its largest element. */
  private double normBelow(int k) {
    double largest = 0;
    for (int i = k + 1; i < m; i++) {
      largest = Math.max(largest, Math.abs(qr[i * n + k]));
    }
    double sum = 0;
    for (int i = k + 1; i < m && largest > 0; i++) {
      double part = qr[i * n + k] / largest;
      sum += part * part;
    }
    return largest * Math.sqrt(sum);
  }

  /** Applies reflection {@code k} to the columns of {@code to} from column {@code from} on. */
  private void apply(int k, double[] to, int width, int from) {
    stop.check();
    double[] sums = new double[width];
    for (int i = k; i < m; i++) {
      double v = i == k ? 1 : qr[i * n + k];
      for (int j = from; j < width; j++) {
        sums[j] += v * to[i * width + j];
      }
    }
    for (int i = k; i < m; i++) {
      double v = tau[k] * (i == k ? 1 : qr[i * n + k]);
      for (int j = from; j < width; j++) {
        to[i * width + j] -= v * sums[j];
      }
    }
  }

  /** The first {@code width} of the m columns of Q, row-major. */
  double[] q(int width) {
    double[] q = new double[m * width];
    for (int i = 0; i < width; i++) {
      q[i * width + i] = 1;
    }
    for (int k = tau.length - 1; k >= 0; k--) {
      if (tau[k] != 0) {
        apply(k, q, width, 0);
      }
    }
    return q;
  }

  /** The first {@code height} rows of R, row-major. */
  double[] r(int height) {
    double[] r = new double[height * n];
    for (int i = 0; i < Math.min(height, n); i++) {
      System.arraycopy(qr, i * n + i, r, i * n + i, n - i);
    }
    return r;
  }
}
