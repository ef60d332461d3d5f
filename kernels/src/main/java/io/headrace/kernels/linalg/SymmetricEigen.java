package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Eigenvalues and eigenvectors of a symmetric matrix: Householder tridiagonalization, then the
 * symmetric QR algorithm with Wilkinson shifts (Golub and Van Loan, "Matrix Computations", 8.3).
 */
final class SymmetricEigen {
  /** QR steps allowed per eigenvalue; two or three are usual. */
  private static final int MAX_STEPS = 60;

  /** Magnitudes at most this are zero: the matrix is scaled to a largest element of 1. */
  private static final double NEGLIGIBLE = 0x1p-500;

  private final Cancellation stop;
  private final int n;

  /** The largest absolute element; the matrix is divided by it. */
  private final double scale;

  private final double[] diagonal;

  /** The subdiagonal: element i couples elements i and i + 1 of the diagonal. */
  private final double[] subdiagonal;

  /** Row i is the eigenvector of diagonal element i. */
  private final double[] vectors;

  private final boolean converged;

  /**
   * Decomposes an {@code n} by {@code n} matrix.
   *
   * @param lower the matrix, row-major; only its lower triangle is read, all of it is overwritten
   * @param stop checked before each reflection and each QR step
   */
  SymmetricEigen(int n, double[] lower, Cancellation stop) {
    this.stop = stop;
    this.n = n;
    this.scale = mirror(n, lower);
    this.diagonal = new double[n];
    this.subdiagonal = new double[n];
    this.vectors = new double[n * n];
    for (int i = 0; i < n; i++) {
      vectors[i * n + i] = 1;
    }
    if (Double.isFinite(scale)) {
      tridiagonalize(lower);
      this.converged = diagonalize();
    } else {
      this.converged = false;
    }
  }

  /** Mirrors the lower triangle and scales the largest element to 1; returns the divisor. */
  private static double mirror(int n, double[] a) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        largest = Math.max(largest, Math.abs(a[i * n + j]));
      }
    }
    double divisor = largest == 0 ? 1 : largest;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        a[i * n + j] /= divisor;
        a[j * n + i] = a[i * n + j];
      }
    }
    return divisor;
  }

  private void tridiagonalize(double[] a) {
    double[] v = new double[n];
    double[] w = new double[n];
    for (int k = 0; k < n; k++) {
      stop.check();
      diagonal[k] = a[k * n + k];
      if (k == n - 1) {
        return;
      }
      double tau = reflection(a, k, v);
      if (tau != 0) {
        reflectBothSides(a, k + 1, tau, v, w);
        reflectVectors(k + 1, tau, v, w);
      }
    }
  }

  /**
   * Finds the Householder reflection I - tau v v' that reduces row {@code k} to its subdiagonal
   * element, and stores that element. Returns tau; 0 if the row is reduced already.
   */
  private double reflection(double[] a, int k, double[] v) {
    double first = a[k * n + k + 1];
    double tail = 0;
    for (int i = k + 2; i < n; i++) {
      v[i] = a[k * n + i];
      tail += v[i] * v[i];
    }
    if (tail == 0) {
      subdiagonal[k] = first;
      return 0;
    }
    double norm = Math.sqrt(first * first + tail);
    double beta = first >= 0 ? -norm : norm;
    subdiagonal[k] = beta;
    v[k + 1] = first - beta;
    return 2 / (v[k + 1] * v[k + 1] + tail);
  }

  /** Applies the reflection to the rows and columns from {@code from} on. */
  private void reflectBothSides(double[] a, int from, double tau, double[] v, double[] w) {
    double product = 0;
    for (int i = from; i < n; i++) {
      double sum = 0;
      for (int j = from; j < n; j++) {
        sum += a[i * n + j] * v[j];
      }
      w[i] = tau * sum;
      product += w[i] * v[i];
    }
    for (int i = from; i < n; i++) {
      w[i] -= tau * product / 2 * v[i];
    }
    for (int i = from; i < n; i++) {
      for (int j = from; j < n; j++) {
        a[i * n + j] -= v[i] * w[j] + w[i] * v[j];
      }
    }
  }

  /** Applies the reflection to the rows of the eigenvectors from {@code from} on. */
  private void reflectVectors(int from, double tau, double[] v, double[] sums) {
    Arrays.fill(sums, 0);
    for (int i = from; i < n; i++) {
      for (int j = 0; j < n; j++) {
        sums[j] += v[i] * vectors[i * n + j];
      }
    }
    for (int i = from; i < n; i++) {
      for (int j = 0; j < n; j++) {
        vectors[i * n + j] -= tau * v[i] * sums[j];
      }
    }
  }

  /** Runs QR steps until the subdiagonal is zero; false if they do not converge. */
  private boolean diagonalize() {
    int steps = 0;
    int end = n - 1;
    while (end > 0) {
      stop.check();
      for (int i = 0; i < end; i++) {
        double near = Math.abs(diagonal[i]) + Math.abs(diagonal[i + 1]);
        if (Math.abs(subdiagonal[i]) <= Math.max(Math.ulp(1.0) * near, NEGLIGIBLE)) {
          subdiagonal[i] = 0;
        }
      }
      while (end > 0 && subdiagonal[end - 1] == 0) {
        end--;
        steps = 0;
      }
      int start = end;
      while (start > 0 && subdiagonal[start - 1] != 0) {
        start--;
      }
      if (end > 0) {
        if (++steps > MAX_STEPS) {
          return false;
        }
        step(start, end);
      }
    }
    return true;
  }

  /** One implicit QR step on the unreduced block from {@code start} to {@code end}. */
  private void step(int start, int end) {
    double half = (diagonal[end - 1] - diagonal[end]) / 2;
    double last = subdiagonal[end - 1];
    double shift =
        diagonal[end] - last * (last / (half + Math.copySign(Math.hypot(half, last), half)));
    double x = diagonal[start] - shift;
    double z = subdiagonal[start];
    for (int k = start; k < end; k++) {
      double length = Math.hypot(x, z);
      double c = length == 0 ? 1 : x / length;
      double s = length == 0 ? 0 : z / length;
      if (k > start) {
        subdiagonal[k - 1] = length;
      }
      double p = diagonal[k];
      double q = diagonal[k + 1];
      double r = subdiagonal[k];
      diagonal[k] = c * c * p + 2 * c * s * r + s * s * q;
      diagonal[k + 1] = s * s * p - 2 * c * s * r + c * c * q;
      subdiagonal[k] = c * s * (q - p) + (c * c - s * s) * r;
      x = subdiagonal[k];
      if (k < end - 1) {
        z = s * subdiagonal[k + 1];
        subdiagonal[k + 1] *= c;
      }
      rotateVectors(k, c, s);
    }
  }

  private void rotateVectors(int k, double c, double s) {
    for (int j = k * n; j < k * n + n; j++) {
      double v = vectors[j];
      double w = vectors[j + n];
      vectors[j] = c * v + s * w;
      vectors[j + n] = c * w - s * v;
    }
  }

  /** Whether the iteration converged; it does not if an element is not finite. */
  boolean converged() {
    return converged;
  }

  /** The eigenvalues in ascending order. */
  double[] values() {
    return IntStream.of(order()).mapToDouble(i -> diagonal[i] * scale).toArray();
  }

  /** The matrix, row-major, whose columns are the eigenvectors in the order of {@link #values}. */
  double[] vectors() {
    int[] order = order();
    double[] sorted = new double[n * n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        sorted[i * n + j] = vectors[order[j] * n + i];
      }
    }
    return sorted;
  }

  private int[] order() {
    return IntStream.range(0, n)
        .boxed()
        .sorted(Comparator.comparingDouble(i -> diagonal[i]))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
