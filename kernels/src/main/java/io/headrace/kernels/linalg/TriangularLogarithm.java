package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * The principal logarithm of an upper triangular matrix of complex numbers, by inverse scaling and
 * squaring (N. Higham, Functions of Matrices, chapter 11): of a power T with which the identity
 * nearly agrees, it is the integral of (T - I) (I + x (T - I))^-1 over x from 0 to 1, which Gauss
 * and Legendre's quadrature approximates.
 */
final class TriangularLogarithm {
  /** The norm of T - I below which the quadrature is exact in double precision. */
  private static final double NEAR = 0.25;

  private static final int NODES = 9;

  /** Square roots after which a regular matrix is near the identity. */
  private static final int MAX_ROOTS = 64;

  /** The nodes of the quadrature and their weights. */
  private static final double[][] QUADRATURE = quadrature();

  private final int n;
  private final Cancellation stop;

  /** The parts of T - I. */
  private final double[] re;

  private final double[] im;

  private TriangularLogarithm(int n, double[] re, double[] im, Cancellation stop) {
    this.n = n;
    this.re = re;
    this.im = im;
    this.stop = stop;
  }

  /**
   * The parts of the logarithm of a matrix with the given parts, row-major; NaN unless all numbers
   * on its diagonal are other than 0 and finite.
   */
  static double[][] of(int n, double[] re, double[] im, Cancellation stop) {
    double[][] root = {re, im};
    int roots = 0;
    while (distance(n, root[0], root[1]) >= NEAR && roots < MAX_ROOTS) {
      root = TriangularRoot.of(n, root[0], root[1], stop);
      roots++;
    }
    double[][] result =
        new TriangularLogarithm(n, minusIdentity(n, root[0]), root[1], stop).integral();
    for (int i = 0; i < n; i++) {
      for (int j = i; j < n; j++) {
        int at = i * n + j;
        boolean isDiagonal = i == j;
        result[0][at] =
            isDiagonal ? Math.log(Math.hypot(re[at], im[at])) : Math.scalb(result[0][at], roots);
        result[1][at] = isDiagonal ? Math.atan2(im[at], re[at]) : Math.scalb(result[1][at], roots);
      }
    }
    return result;
  }

  /** The largest sum of the magnitudes in a column of T - I. */
  private static double distance(int n, double[] re, double[] im) {
    double most = 0;
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int i = 0; i <= j; i++) {
        sum += Math.hypot(re[i * n + j] - (i == j ? 1 : 0), im[i * n + j]);
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  private static double[] minusIdentity(int n, double[] re) {
    double[] result = re.clone();
    for (int d = 0; d < n * n; d += n + 1) {
      result[d] -= 1;
    }
    return result;
  }

  private double[][] integral() {
    double[][] sum = new double[2][n * n];
    for (int node = 0; node < NODES; node++) {
      for (int j = 0; j < n; j++) {
        stop.check();
        addColumn(j, QUADRATURE[0][node], QUADRATURE[1][node], sum);
      }
    }
    return sum;
  }

  /** Adds {@code weight} times column {@code j} of (I + x (T - I))^-1 (T - I) to {@code sum}. */
  private void addColumn(int j, double x, double weight, double[][] sum) {
    double[] yRe = new double[j + 1];
    double[] yIm = new double[j + 1];
    for (int i = j; i >= 0; i--) {
      double restRe = re[i * n + j];
      double restIm = im[i * n + j];
      for (int k = i + 1; k <= j; k++) {
        double factorRe = x * re[i * n + k];
        double factorIm = x * im[i * n + k];
        restRe -= factorRe * yRe[k] - factorIm * yIm[k];
        restIm -= factorRe * yIm[k] + factorIm * yRe[k];
      }
      double divisorRe = 1 + x * re[i * (n + 1)];
      double divisorIm = x * im[i * (n + 1)];
      double square = divisorRe * divisorRe + divisorIm * divisorIm;
      yRe[i] = (restRe * divisorRe + restIm * divisorIm) / square;
      yIm[i] = (restIm * divisorRe - restRe * divisorIm) / square;
      sum[0][i * n + j] += weight * yRe[i];
      sum[1][i * n + j] += weight * yIm[i];
    }
  }

  /** The roots of Legendre's polynomial, by Newton's method, and the weights, for (0, 1). */
  private static double[][] quadrature() {
    double[][] result = new double[2][NODES];
    for (int i = 0; i < NODES; i++) {
      double x = Math.cos(Math.PI * (i + 0.75) / (NODES + 0.5));
      double slope = 0;
      for (int step = 0; step < 10; step++) {
        double before = 1;
        double value = x;
        for (int k = 2; k <= NODES; k++) {
          double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
          before = value;
          value = next;
        }
        slope = NODES * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      result[0][i] = (1 + x) / 2;
      result[1][i] = 1 / ((1 - x * x) * slope * slope);
    }
    return result;
  }
}
