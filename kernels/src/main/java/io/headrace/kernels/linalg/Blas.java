package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * Matrix multiplication: Java loops ({@link JavaBlas}), or the platform's BLAS library where one is
 * found ({@link NativeBlas}). The two sum in different orders, so results differ in their last
 * bits. Implementations are thread-safe.
 */
interface Blas {
  /**
   * Multiplications from which a product goes to the library. Below it, the native call and the
   * library's packing take longer than the loops.
   */
  long MIN_NATIVE_MULTIPLICATIONS = 1 << 18;

  /** Rows from which a product goes to the library: fewer do not amortize its packing of B. */
  int MIN_NATIVE_ROWS = 4;

  /** The faster implementation for an m by k times a k by n matrix of {@code kind}. */
  static Blas of(ElementKind kind, int m, int k, int n) {
    boolean floating = kind == ElementKind.FLOAT || kind == ElementKind.DOUBLE;
    boolean large = m >= MIN_NATIVE_ROWS && (long) m * k * n >= MIN_NATIVE_MULTIPLICATIONS;
    return floating && large ? NativeBlas.orLoops() : JavaBlas.INSTANCE;
  }

  /**
   * A matrix in an array of float, double, int or long.
   *
   * @param array the array that holds it
   * @param from the index of its first element
   * @param stride the leading dimension: elements from one row to the next, or from one column to
   *     the next if {@code columnMajor}
   * @param columnMajor whether the layout is column-major
   */
  record Matrix(Object array, int from, int stride, boolean columnMajor) {
    /** The submatrix that begins at {@code row} and {@code column}. */
    Matrix at(int row, int column) {
      int index = columnMajor ? column * stride + row : row * stride + column;
      return new Matrix(array, from + index, stride, columnMajor);
    }
  }

  /** Whether both factors must be row-major. */
  boolean requiresRowMajor();

  /**
   * Adds the product of {@code a}, {@code m} by {@code k}, and {@code b}, {@code k} by {@code n},
   * to {@code c}, which is row-major.
   */
  void add(Matrix a, Matrix b, Matrix c, int m, int k, int n, Cancellation stop);
}
