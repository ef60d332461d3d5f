package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * What multiplies matrices: the loops of {@link LoopBlas}, or a library of the platform's, {@link
 * NativeBlas}, where one is found. Both add in orders of their own, so results differ in their last
 * bits. Implementations are thread-safe.
 */
interface Blas {
  /**
   * Products of fewer multiplications than this stay in Java: the call, and the library's own
   * preparations, would take longer than the loops.
   */
  long NATIVE_FROM = 1 << 18;

  /** Fewer rows than these use what a library makes of the right matrix too seldom. */
  int NATIVE_ROWS = 4;

  /** What multiplies matrices of {@code kind}, of m by k and k by n, best. */
  static Blas of(ElementKind kind, int m, int k, int n) {
    boolean floating = kind == ElementKind.FLOAT || kind == ElementKind.DOUBLE;
    boolean large = m >= NATIVE_ROWS && (long) m * k * n >= NATIVE_FROM;
    return floating && large ? NativeBlas.orLoops() : LoopBlas.INSTANCE;
  }

  /**
   * A matrix in an array of float, double, int or long.
   *
   * @param array what it lies in
   * @param from the index of its first element
   * @param stride from a row to the next, or from a column to the next if {@code turned}
   * @param turned whether it lies column by column
   */
  record Matrix(Object array, int from, int stride, boolean turned) {
    /** The part of it that begins at a row and a column. */
    Matrix at(int row, int column) {
      int index = turned ? column * stride + row : row * stride + column;
      return new Matrix(array, from + index, stride, turned);
    }
  }

  /** Whether it wants both factors row by row. */
  boolean wantsRows();

  /**
   * Adds to {@code c}, of {@code m} by {@code n}, which lies row by row, the product of {@code a}
   * and {@code b}, {@code k} being what they share.
   */
  void add(Matrix a, Matrix b, Matrix c, int m, int k, int n, Cancellation stop);
}
