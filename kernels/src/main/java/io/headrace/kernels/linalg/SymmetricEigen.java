package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Eigenvalues and eigenvectors of a symmetric matrix: reflections make it tridiagonal, and then the
 * symmetric QR algorithm with Wilkinson's shifts leaves only the diagonal (Golub and Van Loan,
 * "Matrix Computations", 8.3).
 */
final class SymmetricEigen {
  /** Steps a value may take; two or three are usual. */
  private static final int MAX_STEPS = 60;

  /** What is nothing beside the largest element, which is 1. */
  private static final double NOTHING = 0x1p-500;

  private final Cancellation stop;
  private final int n;

  /** The largest element, by which the matrix is divided. */
  private final double scale;

  private final double[] diagonal;

  /** Element i is beside elements i and i + 1 of the diagonal. */
  private final double[] beside;

  /** Row i is the eigenvector of element i of the diagonal. */
  private final double[] vectors;

  private final boolean converged;

  /**
   * Decomposes a matrix of which the lower triangle is read, and which is taken over.
   *
   * @param stop asked before each reflection and each step
   */
  SymmetricEigen(int n, double[] lower, Cancellation stop) {
    this.stop = stop;
    this.n = n;
    this.scale = mirror(n, lower);
    this.diagonal = new double[n];
    this.beside = new double[n];
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

  /** Makes the matrix symmetric, and its largest element 1; returns what that was. */
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
   * Finds the reflection I - tau v v' that leaves one element of row {@code k} beside the diagonal,
   * and notes that; 0 if no other is there.
   */
  private double reflection(double[] a, int k, double[] v) {
    double first = a[k * n + k + 1];
    double tail = 0;
    for (int i = k + 2; i < n; i++) {
      v[i] = a[k * n + i];
      tail += v[i] * v[i];
    }
    if (tail == 0) {
      beside[k] = first;
      return 0;
    }
    double norm = Math.sqrt(first * first + tail);
    double beta = first >= 0 ? -norm : norm;
    beside[k] = beta;
    v[k + 1] = first - beta;
    return 2 / (v[k + 1] * v[k + 1] + tail);
  }

  /** Reflects the rows and columns from {@code from} on. */
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

  /** Reflects the rows of the vectors from {@code from} on. */
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

  /** Whether nothing is left beside the diagonal at the end. */
  private boolean diagonalize() {
    int steps = 0;
    int end = n - 1;
    while (end > 0) {
      stop.check();
      for (int i = 0; i < end; i++) {
        double near = Math.abs(diagonal[i]) + Math.abs(diagonal[i + 1]);
        if (Math.abs(beside[i]) <= Math.max(Math.ulp(1.0) * near, NOTHING)) {
          beside[i] = 0;
        }
      }
      while (end > 0 && beside[end - 1] == 0) {
        end--;
        steps = 0;
      }
      int start = end;
      while (start > 0 && beside[start - 1] != 0) {
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

  /** One step on the elements from {@code start} to {@code end}, none of which is split off. */
  private void step(int start, int end) {
    double half = (diagonal[end - 1] - diagonal[end]) / 2;
    double last = beside[end - 1];
    double shift =
        diagonal[end] - last * (last / (half + Math.copySign(Math.hypot(half, last), half)));
    double x = diagonal[start] - shift;
    double z = beside[start];
    for (int k = start; k < end; k++) {
      double length = Math.hypot(x, z);
      double c = length == 0 ? 1 : x / length;
      double s = length == 0 ? 0 : z / length;
      if (k > start) {
        beside[k - 1] = length;
      }
      double p = diagonal[k];
      double q = diagonal[k + 1];
      double r = beside[k];
      diagonal[k] = c * c * p + 2 * c * s * r + s * s * q;
      diagonal[k + 1] = s * s * p - 2 * c * s * r + c * c * q;
      beside[k] = c * s * (q - p) + (c * c - s * s) * r;
      x = beside[k];
      if (k < end - 1) {
        z = s * beside[k + 1];
        beside[k + 1] *= c;
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

  /** Whether the numbers below are those of the matrix; not if it has others than finite ones. */
  boolean converged() {
    return converged;
  }

  /** The eigenvalues, rising. */
  double[] values() {
    return IntStream.of(order()).mapToDouble(i -> diagonal[i] * scale).toArray();
  }

  /** A matrix whose columns are the eigenvectors, in the order of their values. */
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
