package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;

/**
 * LU decomposition of a square matrix with partial pivoting. One array holds both factors: U with
 * its diagonal, and L without its diagonal of ones.
 */
final class LuDecomposition {
  private final Cancellation stop;
  private final int n;
  private final double[] lu;

  /** The permutation: row i of LU is row {@code rows[i]} of the matrix. */
  private final int[] rows;

  private int sign = 1;

  /**
   * Decomposes an {@code n} by {@code n} matrix.
   *
   * @param matrix the matrix, row-major, overwritten
   * @param stop checked before each column of the elimination, and before each row of {@link
   *     #solve}
   */
  LuDecomposition(int n, double[] matrix, Cancellation stop) {
    this.stop = stop;
    this.n = n;
    this.lu = matrix;
    this.rows = new int[n];
    for (int i = 0; i < n; i++) {
      rows[i] = i;
    }
    for (int k = 0; k < n; k++) {
      stop.check();
      swapRows(k, pivot(k));
      eliminate(k);
    }
  }

  private int pivot(int k) {
    int largest = k;
    for (int i = k + 1; i < n; i++) {
      if (Math.abs(lu[i * n + k]) > Math.abs(lu[largest * n + k])) {
        largest = i;
      }
    }
    return largest;
  }

  private void swapRows(int a, int b) {
    if (a == b) {
      return;
    }
    for (int j = 0; j < n; j++) {
      double moved = lu[a * n + j];
      lu[a * n + j] = lu[b * n + j];
      lu[b * n + j] = moved;
    }
    int moved = rows[a];
    rows[a] = rows[b];
    rows[b] = moved;
    sign = -sign;
  }

  private void eliminate(int k) {
    double pivot = lu[k * n + k];
    if (pivot == 0) {
      return; // the column is zero below the diagonal, too
    }
    for (int i = k + 1; i < n; i++) {
      double factor = lu[i * n + k] / pivot;
      lu[i * n + k] = factor;
      if (factor != 0) {
        for (int j = k + 1; j < n; j++) {
          lu[i * n + j] -= factor * lu[k * n + j];
        }
      }
    }
  }

  /** Whether a pivot is exactly zero. */
  boolean isSingular() {
    for (int k = 0; k < n; k++) {
      if (lu[k * n + k] == 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether TensorFlow finds the least pivot above zero: it passes over NaNs behind the first. */
  boolean isInvertible() {
    return !isSingular() && !(n > 0 && Double.isNaN(lu[0]));
  }

  /** The determinant: 1 for an empty matrix, NaN if a pivot is not finite. */
  double determinant() {
    // The exponent is kept apart: partial products may overflow where the determinant does not.
    double mantissa = sign;
    long exponent = 0;
    for (int k = 0; k < n; k++) {
      double pivot = lu[k * n + k];
      if (!Double.isFinite(pivot)) {
        return Double.NaN;
      }
      mantissa *= pivot;
      int shift = mantissa == 0 ? 0 : Math.getExponent(mantissa);
      mantissa = Math.scalb(mantissa, -shift);
      exponent += shift;
    }
    return Math.scalb(mantissa, Math.clamp(exponent, -5000, 5000));
  }

  /** The sign of the determinant: 1, -1 or, of a singular matrix, 0. */
  double signum() {
    double result = sign;
    for (int k = 0; k < n; k++) {
      result *= Math.signum(lu[k * n + k]);
    }
    return result;
  }

  /** The natural logarithm of the determinant's magnitude: negative infinity if it is singular. */
  double logOfMagnitude() {
    double sum = 0;
    for (int k = 0; k < n; k++) {
      sum += Math.log(Math.abs(lu[k * n + k]));
    }
    return sum;
  }

  /** Both factors in one matrix: U with its diagonal, and L without its diagonal of ones. */
  double[] factors() {
    return lu;
  }

  /** The permutation: row i of the product of the factors is this row of the matrix. */
  int row(int i) {
    return rows[i];
  }

  /**
   * Solves for the {@code columns} right-hand sides that are the columns of {@code b}, row-major,
   * and returns the solutions in the same layout. The matrix must not be singular.
   */
  double[] solve(double[] b, int columns) {
    double[] x = new double[n * columns];
    for (int i = 0; i < n; i++) {
      System.arraycopy(b, rows[i] * columns, x, i * columns, columns);
    }
    for (int i = 0; i < n; i++) {
      stop.check();
      for (int k = 0; k < i; k++) {
        subtract(x, i, k, lu[i * n + k], columns);
      }
    }
    for (int i = n - 1; i >= 0; i--) {
      stop.check();
      for (int k = i + 1; k < n; k++) {
        subtract(x, i, k, lu[i * n + k], columns);
      }
      for (int j = 0; j < columns; j++) {
        x[i * columns + j] /= lu[i * n + i];
      }
    }
    return x;
  }

  private static void subtract(double[] x, int row, int other, double factor, int columns) {
    for (int j = 0; j < columns; j++) {
      x[row * columns + j] -= factor * x[other * columns + j];
    }
  }
}
