package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Singular value decomposition by one-sided Jacobi rotations: pairs of columns are rotated until
 * all are orthogonal. The column norms are then the singular values, and the accumulated rotations
 * are the right singular vectors. A wide matrix is decomposed as its transpose.
 */
final class JacobiSvd {
  private static final int MAX_SWEEPS = 60;

  private final Cancellation stop;
  private final int m;
  private final int n;
  private final boolean transposed;

  /** The columns, which become the left singular vectors. */
  private final double[][] columns;

  /** The right singular vectors. */
  private final double[][] right;

  private final double[] norms;
  private final int[] order;

  /** The largest absolute element; the columns are divided by it. */
  private final double scale;

  /**
   * Decomposes a matrix of {@code height} by {@code width}.
   *
   * @param stop checked before the rotations of each column and before each reflection
   */
  JacobiSvd(int height, int width, double[] matrix, Cancellation stop) {
    this.stop = stop;
    this.transposed = height < width;
    this.m = Math.max(height, width);
    this.n = Math.min(height, width);
    this.columns = new double[n][m];
    this.right = new double[n][n];
    this.scale = largest(matrix);
    for (int j = 0; j < n; j++) {
      right[j][j] = 1;
      for (int i = 0; i < m; i++) {
        double element = transposed ? matrix[j * width + i] : matrix[i * width + j];
        columns[j][i] = scale == 0 ? 0 : element / scale;
      }
    }
    boolean rotated = isFinite();
    for (int sweep = 0; sweep < MAX_SWEEPS && rotated; sweep++) {
      rotated = sweep();
    }
    this.norms = new double[n];
    for (int j = 0; j < n; j++) {
      norms[j] = Math.sqrt(dot(columns[j], columns[j]));
    }
    this.order =
        IntStream.range(0, n)
            .boxed()
            .sorted(Comparator.comparingDouble(j -> -norms[j]))
            .mapToInt(Integer::intValue)
            .toArray();
    normalize();
  }

  /** Whether all elements are finite; otherwise values and vectors are NaN. */
  private boolean isFinite() {
    return Double.isFinite(scale);
  }

  private static double largest(double[] matrix) {
    double largest = 0;
    for (double x : matrix) {
      largest = Math.max(largest, Math.abs(x));
    }
    return largest;
  }

  private boolean sweep() {
    boolean rotated = false;
    double orthogonal = 4 * Math.ulp(1.0) * Math.sqrt(m); // rounding error of m products
    double[] squares = new double[n]; // squared norms, updated by the rotations of the sweep
    for (int j = 0; j < n; j++) {
      squares[j] = dot(columns[j], columns[j]);
    }
    for (int p = 0; p < n; p++) {
      stop.check();
      for (int q = p + 1; q < n; q++) {
        double a = squares[p];
        double b = squares[q];
        double between = dot(columns[p], columns[q]);
        if (Math.abs(between) > orthogonal * Math.sqrt(a) * Math.sqrt(b)) {
          double theta = (b - a) / (2 * between);
          double t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
          double c = 1 / Math.hypot(t, 1);
          rotate(columns[p], columns[q], c, t * c);
          rotate(right[p], right[q], c, t * c);
          squares[p] = Math.max(0, a - t * between);
          squares[q] = b + t * between;
          rotated = true;
        }
      }
    }
    return rotated;
  }

  /** The dot product, in four independent sums for instruction-level parallelism. */
  private static double dot(double[] x, double[] y) {
    double first = 0;
    double second = 0;
    double third = 0;
    double fourth = 0;
    int i = 0;
    for (; i + 3 < x.length; i += 4) {
      first += x[i] * y[i];
      second += x[i + 1] * y[i + 1];
      third += x[i + 2] * y[i + 2];
      fourth += x[i + 3] * y[i + 3];
    }
    for (; i < x.length; i++) {
      first += x[i] * y[i];
    }
    return first + second + (third + fourth);
  }

  private static void rotate(double[] x, double[] y, double c, double s) {
    for (int i = 0; i < x.length; i++) {
      double v = x[i];
      double w = y[i];
      x[i] = c * v - s * w;
      y[i] = s * v + c * w;
    }
  }

  /** Normalizes the columns; those of negligible norm become zeros. */
  private void normalize() {
    double least = n == 0 ? 0 : norms[order[0]] * Math.ulp(1.0) * m;
    for (int j = 0; j < n; j++) {
      boolean none = norms[j] <= least;
      for (int i = 0; i < m; i++) {
        columns[j][i] = none ? 0 : columns[j][i] / norms[j];
      }
    }
  }

  /** The singular values in descending order. */
  double[] values() {
    return IntStream.of(order)
        .mapToDouble(j -> isFinite() ? norms[j] * scale : Double.NaN)
        .toArray();
  }

  /** The first {@code width} left singular vectors, as columns. */
  double[] u(int width) {
    if (!isFinite()) {
      return unknown(transposed ? n : m, width);
    }
    return transposed ? narrow(width) : wide(width);
  }

  /** The first {@code width} right singular vectors, as columns. */
  double[] v(int width) {
    if (!isFinite()) {
      return unknown(transposed ? m : n, width);
    }
    return transposed ? wide(width) : narrow(width);
  }

  private static double[] unknown(int height, int width) {
    double[] result = new double[height * width];
    Arrays.fill(result, Double.NaN);
    return result;
  }

  private double[] narrow(int width) {
    double[] result = new double[n * width];
    for (int j = 0; j < width; j++) {
      for (int i = 0; i < n; i++) {
        result[i * width + j] = right[order[j]][i];
      }
    }
    return result;
  }

  /** The vectors of the longer dimension, completed to an orthonormal basis if need be. */
  private double[] wide(int width) {
    int rank = 0;
    while (rank < Math.min(n, width) && isNonZero(columns[order[rank]])) {
      rank++;
    }
    double[] first = new double[m * rank];
    for (int j = 0; j < rank; j++) {
      for (int i = 0; i < m; i++) {
        first[i * rank + j] = columns[order[j]][i];
      }
    }
    // Q of the known vectors: its further columns span their orthogonal complement.
    double[] result = new HouseholderQr(m, rank, first.clone(), stop).q(width);
    for (int i = 0; i < m; i++) {
      System.arraycopy(first, i * rank, result, i * width, rank);
    }
    return result;
  }

  private static boolean isNonZero(double[] column) {
    for (double x : column) {
      if (x != 0) {
        return true;
      }
    }
    return false;
  }
}
