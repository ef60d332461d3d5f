package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * The Schur decomposition of a square matrix of real numbers, A = U T U^T with an orthogonal U and
 * a T that is upper triangular but for blocks of two rows, which have pairs of conjugate
 * eigenvalues: Householder's reduction to Hessenberg form and the implicit QR algorithm with
 * Francis's double shifts (G. Golub, C. Van Loan, Matrix Computations, chapter 7). Signs, shifts
 * and the order of eigenvalues are Eigen's, as in TensorFlow, but for effects of rounding.
 */
final class RealSchur {
  private static final int MAX_STEPS_PER_ROW = 40;

  private final int n;
  private final Cancellation stop;

  /** The part of its neighbours' size up to which a number below the diagonal counts as 0. */
  private final double epsilon;

  private final double[] t;
  private final double[] u;
  private final boolean converged;

  /** The sum that exceptional shifts took off the diagonal. */
  private double shifted;

  /**
   * Decomposes an {@code n} by {@code n} matrix of finite numbers, row-major.
   *
   * @param epsilon TensorFlow's precision, which the order of the eigenvalues depends on
   * @param hasVectors whether to compute U
   */
  RealSchur(int n, double[] matrix, double epsilon, boolean hasVectors, Cancellation stop) {
    this.n = n;
    this.epsilon = epsilon;
    this.stop = stop;
    this.t = matrix.clone();
    this.u = new double[hasVectors ? n * n : 0];
    for (int d = 0; d < u.length; d += n + 1) {
      u[d] = 1;
    }
    double scale = 0;
    for (double x : matrix) {
      scale = Math.max(scale, Math.abs(x));
    }
    if (scale < Double.MIN_NORMAL) {
      converged = true;
      return;
    }
    for (int i = 0; i < t.length; i++) {
      t[i] /= scale;
    }
    toHessenberg();
    converged = reduce();
    for (int i = 0; i < t.length; i++) {
      t[i] *= scale;
    }
  }

  boolean isConverged() {
    return converged;
  }

  /** T, row-major. */
  double[] triangle() {
    return t;
  }

  /** U, row-major; empty if it was not computed. */
  double[] vectors() {
    return u;
  }

  /** The number of rows of U. */
  private int rowsOfU() {
    return u.length == 0 ? 0 : n;
  }

  private double at(int row, int column) {
    return t[row * n + column];
  }

  private double size(int row, int column) {
    return Math.abs(t[row * n + column]);
  }

  /** A reflection I - tau v v^T, where v begins with 1, that leaves only the first number. */
  private static final class Reflection {
    private final double[] v;
    private final double tau;

    /** The number that it leaves. */
    private final double first;

    private Reflection(double[] v, double tau, double first) {
      this.v = v;
      this.tau = tau;
      this.first = first;
    }

    static Reflection of(double... x) {
      double rest = 0;
      for (int i = 1; i < x.length; i++) {
        rest += x[i] * x[i];
      }
      if (rest <= Double.MIN_NORMAL) {
        double[] v = new double[x.length];
        v[0] = 1;
        return new Reflection(v, 0, x[0]);
      }
      double norm = Math.sqrt(x[0] * x[0] + rest);
      double first = x[0] >= 0 ? -norm : norm;
      double[] v = x.clone();
      for (int i = 1; i < v.length; i++) {
        v[i] /= x[0] - first;
      }
      v[0] = 1;
      return new Reflection(v, (first - x[0]) / first, first);
    }
  }

  /** Reflects rows from {@code row} on, in the columns from {@code from} on. */
  private void reflectRows(Reflection reflection, int row, int from) {
    double[] v = reflection.v;
    for (int j = from; j < n; j++) {
      double sum = 0;
      for (int i = 0; i < v.length; i++) {
        sum += v[i] * t[(row + i) * n + j];
      }
      for (int i = 0; i < v.length; i++) {
        t[(row + i) * n + j] -= reflection.tau * sum * v[i];
      }
    }
  }

  /** Reflects columns from {@code column} on, in the rows before {@code to}. */
  private void reflectColumns(double[] matrix, Reflection reflection, int column, int to) {
    double[] v = reflection.v;
    for (int i = 0; i < to; i++) {
      double sum = 0;
      for (int j = 0; j < v.length; j++) {
        sum += v[j] * matrix[i * n + column + j];
      }
      for (int j = 0; j < v.length; j++) {
        matrix[i * n + column + j] -= reflection.tau * sum * v[j];
      }
    }
  }

  private void toHessenberg() {
    for (int column = 0; column < n - 2; column++) {
      stop.check();
      double[] below = new double[n - column - 1];
      for (int i = 0; i < below.length; i++) {
        below[i] = at(column + 1 + i, column);
        t[(column + 1 + i) * n + column] = 0;
      }
      Reflection reflection = Reflection.of(below);
      t[(column + 1) * n + column] = reflection.first;
      reflectRows(reflection, column + 1, column + 1);
      reflectColumns(t, reflection, column + 1, n);
      reflectColumns(u, reflection, column + 1, rowsOfU());
    }
  }

  private boolean reduce() {
    double norm = 0;
    for (double x : t) {
      norm += Math.abs(x);
    }
    double least = Math.max(norm * epsilon * epsilon, Double.MIN_NORMAL);
    int steps = 0;
    int all = 0;
    for (int last = n - 1; last >= 0; ) {
      stop.check();
      int first = first(last, least);
      if (first == last) {
        t[last * n + last] += shifted;
        if (last > 0) {
          t[last * n + last - 1] = 0;
        }
        last--;
        steps = 0;
      } else if (first == last - 1) {
        split(last);
        last -= 2;
        steps = 0;
      } else {
        double[] shift = shift(last, steps++);
        if (++all > MAX_STEPS_PER_ROW * n) {
          return false;
        }
        step(first, last, shift);
      }
    }
    return true;
  }

  /** The first row of the block that ends with row {@code last}. */
  private int first(int last, double least) {
    int row = last;
    while (row > 0) {
      double scale = size(row - 1, row - 1) + size(row, row);
      if (size(row, row - 1) <= Math.max(scale * epsilon, least)) {
        break;
      }
      row--;
    }
    return row;
  }

  /** Makes the block of rows {@code last} and the one before triangular, if it can be. */
  private void split(int last) {
    int before = last - 1;
    double half = (at(before, before) - at(last, last)) / 2;
    double square = half * half + at(last, before) * at(before, last);
    t[last * n + last] += shifted;
    t[before * n + before] += shifted;
    if (square >= 0) {
      double root = Math.sqrt(square);
      double[] rotation = rotation(half >= 0 ? half + root : half - root, at(last, before));
      for (int j = before; j < n; j++) {
        rotate(t, before * n + j, last * n + j, rotation);
      }
      for (int i = 0; i <= last; i++) {
        rotate(t, i * n + before, i * n + last, rotation);
      }
      for (int i = 0; i < rowsOfU(); i++) {
        rotate(u, i * n + before, i * n + last, rotation);
      }
      t[last * n + before] = 0;
    }
    if (last > 1) {
      t[before * n + before - 1] = 0;
    }
  }

  /** The cosine and sine of the rotation that turns (p, q) to the first axis. */
  private static double[] rotation(double p, double q) {
    if (q == 0) {
      return new double[] {p < 0 ? -1 : 1, 0};
    }
    if (p == 0) {
      return new double[] {0, q < 0 ? 1 : -1};
    }
    if (Math.abs(p) > Math.abs(q)) {
      double tangent = q / p;
      double c = Math.copySign(1 / Math.sqrt(1 + tangent * tangent), p);
      return new double[] {c, -tangent * c};
    }
    double cotangent = p / q;
    double s = -Math.copySign(1 / Math.sqrt(1 + cotangent * cotangent), q);
    return new double[] {-cotangent * s, s};
  }

  private static void rotate(double[] matrix, int p, int q, double[] rotation) {
    double x = matrix[p];
    double y = matrix[q];
    matrix[p] = rotation[0] * x - rotation[1] * y;
    matrix[q] = rotation[1] * x + rotation[0] * y;
  }

  /** The sum's two terms and the product of the double shift; exceptional ones break cycles. */
  private double[] shift(int last, int steps) {
    double x = at(last, last);
    double y = at(last - 1, last - 1);
    double product = at(last, last - 1) * at(last - 1, last);
    if (steps > 0 && steps % 32 == 16) {
      takeOff(last, x);
      double sum = size(last, last - 1) + size(last - 1, last - 2);
      return new double[] {0.75 * sum, 0.75 * sum, -0.4375 * sum * sum};
    }
    if (steps > 0 && steps % 32 == 0) {
      double half = (y - x) / 2;
      double square = half * half + product;
      if (square > 0) {
        double root = y < x ? -Math.sqrt(square) : Math.sqrt(square);
        takeOff(last, x - product / (root + half));
        return new double[] {0.964, 0.964, 0.964};
      }
    }
    return new double[] {x, y, product};
  }

  private void takeOff(int last, double shift) {
    shifted += shift;
    for (int i = 0; i <= last; i++) {
      t[i * n + i] -= shift;
    }
  }

  /** A QR step of the block from row {@code first} to row {@code last}. */
  private void step(int first, int last, double[] shift) {
    double[] v = new double[3];
    int start = last - 2;
    for (; start >= first; start--) {
      double diagonal = at(start, start);
      double r = shift[0] - diagonal;
      double s = shift[1] - diagonal;
      v[0] = (r * s - shift[2]) / at(start + 1, start) + at(start, start + 1);
      v[1] = at(start + 1, start + 1) - diagonal - r - s;
      v[2] = at(start + 2, start + 1);
      if (start == first) {
        break;
      }
      double left = at(start, start - 1) * (Math.abs(v[1]) + Math.abs(v[2]));
      double scale = size(start - 1, start - 1) + Math.abs(diagonal) + size(start + 1, start + 1);
      if (Math.abs(left) < epsilon * v[0] * scale) {
        break;
      }
    }
    for (int k = start; k <= last - 2; k++) {
      if (k > start) {
        v = new double[] {at(k, k - 1), at(k + 1, k - 1), at(k + 2, k - 1)};
      }
      Reflection reflection = Reflection.of(v);
      if (reflection.first != 0) {
        if (k > start) {
          t[k * n + k - 1] = reflection.first;
        } else if (k > first) {
          t[k * n + k - 1] = -at(k, k - 1);
        }
        reflect(reflection, k, Math.min(last, k + 3) + 1);
      }
    }
    Reflection reflection = Reflection.of(at(last - 1, last - 2), at(last, last - 2));
    if (reflection.first != 0) {
      t[(last - 1) * n + last - 2] = reflection.first;
      reflect(reflection, last - 1, last + 1);
    }
    for (int i = start + 2; i <= last; i++) {
      t[i * n + i - 2] = 0;
      if (i > start + 2) {
        t[i * n + i - 3] = 0;
      }
    }
  }

  private void reflect(Reflection reflection, int k, int rows) {
    reflectRows(reflection, k, k);
    reflectColumns(t, reflection, k, rows);
    reflectColumns(u, reflection, k, rowsOfU());
  }
}
