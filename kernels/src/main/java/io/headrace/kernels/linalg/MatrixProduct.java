package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.ParallelFor;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * The product of two matrices in arrays of float, double, int or long, accumulated into the result
 * array. Large products are split into parts that run in parallel. Not thread-safe.
 */
public final class MatrixProduct {
  /**
   * Multiplications of the smallest part that is worth a thread: a few tenths of a millisecond of
   * work.
   */
  private static final long SMALLEST_PART = 1 << 23;

  /**
   * Multiplications of the largest part: a few milliseconds of work, because garbage collection
   * waits while a native library works on heap arrays.
   */
  private static final long LARGEST_PART = 1 << 29;

  /** Parts begin at multiples of this many rows or columns. */
  private static final int STEP = 16;

  private final int m;
  private final int k;
  private final int n;
  private final Cancellation cancellation;
  private boolean leftColumnMajor;
  private boolean rightColumnMajor;

  /** A product of an m by k and a k by n matrix; {@code cancellation} is checked at each part. */
  public MatrixProduct(int m, int k, int n, Cancellation cancellation) {
    this.m = m;
    this.k = k;
    this.n = n;
    this.cancellation = cancellation;
  }

  /** Declares the left matrix column-major, that is, stored as k by m. Returns this. */
  public MatrixProduct transposeLeft() {
    leftColumnMajor = true;
    return this;
  }

  /** Declares the right matrix column-major, that is, stored as n by k. Returns this. */
  public MatrixProduct transposeRight() {
    rightColumnMajor = true;
    return this;
  }

  /**
   * Adds the product of {@code a} and {@code b} to {@code c}, m by n and row-major. The three
   * arrays have one element type; each matrix begins at the index given for its array.
   */
  public void add(Object a, int fromA, Object b, int fromB, Object c, int fromC) {
    ElementKind kind = kind(c);
    add(Blas.of(kind, m, k, n), kind, a, fromA, b, fromB, c, fromC);
  }

  /** Adds the product with {@code blas}. */
  void add(
      Blas blas, ElementKind kind, Object a, int fromA, Object b, int fromB, Object c, int fromC) {
    if (m == 0 || k == 0 || n == 0) {
      return;
    }
    boolean copies = blas.requiresRowMajor();
    Blas.Matrix left =
        leftColumnMajor && copies
            ? transposed(kind, a, fromA, k, m)
            : new Blas.Matrix(a, fromA, leftColumnMajor ? m : k, leftColumnMajor);
    Blas.Matrix right =
        rightColumnMajor && copies
            ? transposed(kind, b, fromB, n, k)
            : new Blas.Matrix(b, fromB, rightColumnMajor ? k : n, rightColumnMajor);
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
    ParallelFor.forEach(
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

  /** The number of parts to split the product into. */
  private int parts() {
    long multiplications = (long) m * k * n;
    long useful = Math.min(ParallelFor.threads(), multiplications / SMALLEST_PART);
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

  /** A transposed copy of a {@code height} by {@code width} matrix. */
  private Blas.Matrix transposed(ElementKind kind, Object matrix, int from, int height, int width) {
    Object result = kind.newArray(Math.multiplyExact(height, width));
    new StridedMove(kind)
        .dimension(width, 1, height)
        .dimension(height, width, 1)
        .run(matrix, from, result, 0, cancellation);
    return new Blas.Matrix(result, 0, height, false);
  }
}
