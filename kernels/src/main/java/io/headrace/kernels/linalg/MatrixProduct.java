package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.SharedWork;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * Products of matrices in arrays of float, double, int or long. Each product is added to what the
 * result holds. Large ones are cut into parts, which the processors share.
 */
public final class MatrixProduct {
  /**
   * Multiplications of the smallest part that is worth a thread of its own: some tenths of a
   * millisecond.
   */
  private static final long SMALLEST_PART = 1 << 23;

  /**
   * Multiplications of the largest part: some milliseconds, for while a library works on arrays of
   * the heap, a collection of garbage waits.
   */
  private static final long LARGEST_PART = 1 << 29;

  /** Parts begin at multiples of this many rows or columns. */
  private static final int STEP = 16;

  private final int m;
  private final int k;
  private final int n;
  private final Cancellation cancellation;
  private boolean turnedLeft;
  private boolean turnedRight;

  /** Products of matrices of m by k and k by n. */
  public MatrixProduct(int m, int k, int n, Cancellation cancellation) {
    this.m = m;
    this.k = k;
    this.n = n;
    this.cancellation = cancellation;
  }

  /** The left matrices lie column by column: as k by m. Returns this. */
  public MatrixProduct turnedLeft() {
    turnedLeft = true;
    return this;
  }

  /** The right matrices lie column by column: as n by k. Returns this. */
  public MatrixProduct turnedRight() {
    turnedRight = true;
    return this;
  }

  /** Adds to {@code c} the product of {@code a} and {@code b}, each from an index of its array. */
  public void add(Object a, int fromA, Object b, int fromB, Object c, int fromC) {
    ElementKind kind = kind(c);
    add(Blas.of(kind, m, k, n), kind, a, fromA, b, fromB, c, fromC);
  }

  /** The same, by {@code blas}. */
  void add(
      Blas blas, ElementKind kind, Object a, int fromA, Object b, int fromB, Object c, int fromC) {
    if (m == 0 || k == 0 || n == 0) {
      return;
    }
    boolean turns = blas.wantsRows();
    Blas.Matrix left =
        turnedLeft && turns
            ? turned(kind, a, fromA, k, m)
            : new Blas.Matrix(a, fromA, turnedLeft ? m : k, turnedLeft);
    Blas.Matrix right =
        turnedRight && turns
            ? turned(kind, b, fromB, n, k)
            : new Blas.Matrix(b, fromB, turnedRight ? k : n, turnedRight);
    addParts(blas, left, right, new Blas.Matrix(c, fromC, n, false));
  }

  private void addParts(Blas blas, Blas.Matrix a, Blas.Matrix b, Blas.Matrix c) {
    int longer = Math.max(m, n);
    int size = longer;
    int parts = parts();
    if (parts > 1) {
      size = (longer / parts + STEP) / STEP * STEP;
    }
    if (size >= longer) {
      cancellation.check();
      blas.add(a, b, c, m, k, n, cancellation);
      return;
    }
    int step = size;
    SharedWork.forEach(
        Math.ceilDiv(longer, step),
        part -> {
          cancellation.check();
          int first = part * step;
          int count = Math.min(step, longer - first);
          if (m >= n) {
            blas.add(a.at(first, 0), b, c.at(first, 0), count, k, n, cancellation);
          } else {
            blas.add(a, b.at(0, first), c.at(0, first), m, k, count, cancellation);
          }
        });
  }

  /** How many parts the product is cut into. */
  private int parts() {
    long multiplications = (long) m * k * n;
    long useful = Math.min(SharedWork.threads(), multiplications / SMALLEST_PART);
    long needed = Math.ceilDiv(multiplications, LARGEST_PART);
    return Math.clamp(Math.max(useful, needed), 1, Math.max(m, n));
  }

  private static ElementKind kind(Object array) {
    return switch (array) {
      case float[] _ -> ElementKind.FLOAT;
      case double[] _ -> ElementKind.DOUBLE;
      case int[] _ -> ElementKind.INT;
      case long[] _ -> ElementKind.LONG;
      default -> throw new AssertionError(array.getClass());
    };
  }

  /** A copy of a matrix of {@code height} rows with rows and columns exchanged. */
  private Blas.Matrix turned(ElementKind kind, Object matrix, int from, int height, int width) {
    Object result = kind.newArray(Math.multiplyExact(height, width));
    new StridedMove(kind)
        .dimension(width, 1, height)
        .dimension(height, width, 1)
        .run(matrix, from, result, 0, cancellation);
    return new Blas.Matrix(result, 0, height, false);
  }
}
