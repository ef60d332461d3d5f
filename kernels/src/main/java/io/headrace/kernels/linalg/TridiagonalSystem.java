package io.headrace.kernels.linalg;

import java.util.Arrays;

/**
 * A system of linear equations with a tridiagonal matrix. Each operation is rounded to the dtype,
 * so that solutions have TensorFlow's bits. The methods return the solutions, one in each column,
 * row-major, of NaN where the matrix has no inverse; each is for one call.
 */
final class TridiagonalSystem {
  private final double[] superdiagonal;
  private final double[] diagonal;
  private final double[] subdiagonal;
  private final int n;
  private final double[] right;
  private final int columns;
  private final boolean isFloat;

  /** The solutions, row-major. */
  private final double[] x;

  /** The columns of U, whose rows have up to three elements: row i's are i, n + i and 2 n + i. */
  private final double[] u;

  /**
   * A system of {@code n} equations.
   *
   * @param diagonals the superdiagonal, the diagonal and the subdiagonal, of n elements each; the
   *     last of the superdiagonal and the first of the subdiagonal do not count
   * @param right the right-hand sides, row-major
   * @param columns their number, at least 1
   */
  TridiagonalSystem(double[] diagonals, int n, double[] right, int columns, boolean isFloat) {
    this.superdiagonal = Arrays.copyOfRange(diagonals, 0, n);
    this.diagonal = Arrays.copyOfRange(diagonals, n, 2 * n);
    this.subdiagonal = Arrays.copyOfRange(diagonals, 2 * n, 3 * n);
    this.n = n;
    this.right = right;
    this.columns = columns;
    this.isFloat = isFloat;
    this.x = new double[n * columns];
    this.u = new double[3 * n];
  }

  private double r(double value) {
    return TridiagonalOps.rounded(value, isFloat);
  }

  private double[] none() {
    Arrays.fill(x, Double.NaN);
    return x;
  }

  /** Row {@code row} of the right-hand sides divided by {@code divisor}. */
  private void divideRight(int row, double divisor) {
    for (int j = row * columns; j < (row + 1) * columns; j++) {
      x[j] = r(right[j] / divisor);
    }
  }

  private double[] ofOneEquation() {
    if (diagonal[0] == 0) {
      return none();
    }
    divideRight(0, diagonal[0]);
    return x;
  }

  /** By elimination without pivoting, the Thomas algorithm. */
  double[] byThomas() {
    if (n == 1 || diagonal[0] == 0) {
      return ofOneEquation();
    }
    u[0] = r(superdiagonal[0] / diagonal[0]);
    divideRight(0, diagonal[0]);
    for (int i = 1; i < n; i++) {
      double pivot = r(diagonal[i] - r(subdiagonal[i] * u[i - 1]));
      if (pivot == 0) {
        return none();
      }
      u[i] = r(superdiagonal[i] / pivot);
      for (int j = i * columns; j < (i + 1) * columns; j++) {
        x[j] = r(r(right[j] - r(subdiagonal[i] * x[j - columns])) / pivot);
      }
    }
    for (int i = n - 2; i >= 0; i--) {
      for (int j = i * columns; j < (i + 1) * columns; j++) {
        x[j] = r(x[j] - r(u[i] * x[j + columns]));
      }
    }
    return x;
  }

  /** By elimination with partial pivoting, as LAPACK's gtsv. */
  double[] pivoted() {
    if (n == 1) {
      return ofOneEquation();
    }
    begin();
    for (int i = 0; i < n - 1; i++) {
      if (Math.abs(u[i]) >= Math.abs(subdiagonal[i + 1])) {
        if (u[i] == 0) {
          return none();
        }
        keep(i);
      } else {
        swap(i);
      }
    }
    if (u[n - 1] == 0) {
      return none();
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int j = i * columns; j < (i + 1) * columns; j++) {
        x[j] = r(reduced(i, j) / u[i]);
      }
    }
    return x;
  }

  private void begin() {
    u[0] = diagonal[0];
    u[n] = superdiagonal[0];
    System.arraycopy(right, 0, x, 0, columns);
  }

  /** Eliminates the subdiagonal below row {@code i}. */
  private void keep(int i) {
    double factor = r(subdiagonal[i + 1] / u[i]);
    u[i + 1] = r(diagonal[i + 1] - r(factor * u[n + i]));
    u[n + i + 1] = superdiagonal[i + 1];
    u[2 * n + i] = 0;
    for (int j = i * columns; j < (i + 1) * columns; j++) {
      x[j + columns] = r(right[j + columns] - r(factor * x[j]));
    }
  }

  /** Eliminates row {@code i} by the next one, which takes its place. */
  private void swap(int i) {
    double factor = r(u[i] / subdiagonal[i + 1]);
    u[i] = subdiagonal[i + 1];
    u[i + 1] = r(u[n + i] - r(factor * diagonal[i + 1]));
    u[n + i] = diagonal[i + 1];
    if (i < n - 2) {
      u[2 * n + i] = superdiagonal[i + 1];
      u[n + i + 1] = r(-factor * superdiagonal[i + 1]);
    }
    for (int j = i * columns; j < (i + 1) * columns; j++) {
      x[j + columns] = r(x[j] - r(factor * right[j + columns]));
      x[j] = right[j + columns];
    }
  }

  /** Element {@code j} of row {@code i} less what the rows below it determine. */
  private double reduced(int i, int j) {
    double value = x[j];
    if (i < n - 1) {
      value = r(value - r(u[n + i] * x[j + columns]));
    }
    return i < n - 2 ? r(value - r(u[2 * n + i] * x[j + 2 * columns])) : value;
  }

  /**
   * By elimination with scaled partial pivoting, as LAPACK's lagtf and lagts: pivots so small that
   * a solution would overflow are changed by about a unit in the last place of the largest element
   * of U.
   */
  double[] perturbed() {
    begin();
    double largest = Math.max(Math.abs(u[0]), n > 1 ? Math.abs(u[n]) : 0);
    double scale = r(Math.abs(u[0]) + Math.abs(u[n > 1 ? n : 0]));
    for (int k = 0; k < n - 1; k++) {
      double next = r(Math.abs(subdiagonal[k + 1]) + Math.abs(diagonal[k + 1]));
      if (k < n - 2) {
        next = r(next + Math.abs(superdiagonal[k + 1]));
      }
      if (subdiagonal[k + 1] == 0) {
        scale = next;
        u[k + 1] = diagonal[k + 1];
        u[n + k + 1] = superdiagonal[k + 1];
        u[2 * n + k] = 0;
        System.arraycopy(right, (k + 1) * columns, x, (k + 1) * columns, columns);
      } else {
        double own = u[k] == 0 ? 0 : r(Math.abs(u[k]) / scale);
        if (r(Math.abs(subdiagonal[k + 1]) / next) <= own) {
          scale = next;
          keep(k);
        } else {
          swap(k);
        }
      }
      if (k < n - 2) {
        for (int i = 0; i < 3; i++) {
          largest = Math.max(largest, Math.abs(u[i * n + k]));
        }
      }
    }
    largest = n > 1 ? Math.max(largest, Math.abs(u[n - 1])) : Math.abs(u[0]);
    double tolerance = r((isFloat ? Math.ulp(1f) : Math.ulp(1.0)) * largest);
    for (int i = n - 1; i >= 0; i--) {
      double[] row = new double[columns];
      for (int j = 0; j < columns; j++) {
        row[j] = reduced(i, i * columns + j);
      }
      double inverse = r(1 / perturbed(u[i], tolerance, row));
      for (int j = 0; j < columns; j++) {
        x[i * columns + j] = r(row[j] * inverse);
      }
    }
    return x;
  }

  /** {@code pivot}, changed if need be; {@code row} may be scaled with it. */
  private double perturbed(double pivot, double tolerance, double[] row) {
    double least = isFloat ? Float.MIN_NORMAL : Double.MIN_NORMAL;
    double most = r(1 / least);
    double step = Math.copySign(Math.max(Math.abs(tolerance), least), pivot);
    double largest = 0;
    for (double value : row) {
      largest = Math.max(largest, Math.abs(value));
    }
    double result = pivot;
    while (Math.abs(result) < 1) {
      double size = Math.abs(result);
      boolean isScaled = size < least && size != 0 && !(r(largest * least) > size);
      if (isScaled) {
        for (int j = 0; j < row.length; j++) {
          row[j] = r(row[j] * most);
        }
        return r(result * most);
      }
      if (size >= least && !(largest > r(size * most))) {
        return result;
      }
      result = r(result + step);
      step = r(step * 2);
    }
    return result;
  }
}
