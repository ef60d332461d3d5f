package io.headrace.runtime.kernel;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * Products of matrices that lie row by row in arrays of float, double, int or long. Each product is
 * added to what the result holds.
 */
final class MatrixProduct {
  /*
   * The innermost loop adds multiples of four rows of the right matrix to a row of the result. It
   * is over arrays that begin with what is read, for HotSpot vectorizes no loop that reads and
   * writes at distances it does not know. So a block of the right matrix is copied to rows of their
   * own first, small enough to stay in the cache while all rows of the left one go by.
   */

  private static final int DEPTH = 128;
  private static final int WIDTH = 512;

  /** Rows of the left matrix between two questions whether the work is still wanted. */
  private static final int CANCELLATION_STEP = 256;

  private final int m;
  private final int k;
  private final int n;
  private final Cancellation cancellation;
  private boolean turnedLeft;
  private boolean turnedRight;

  /** Products of matrices of m by k and k by n. */
  MatrixProduct(int m, int k, int n, Cancellation cancellation) {
    this.m = m;
    this.k = k;
    this.n = n;
    this.cancellation = cancellation;
  }

  /** The left matrices lie column by column: as k by m. Returns this. */
  MatrixProduct turnedLeft() {
    turnedLeft = true;
    return this;
  }

  /** The right matrices lie column by column: as n by k. Returns this. */
  MatrixProduct turnedRight() {
    turnedRight = true;
    return this;
  }

  /** Adds to {@code c} the product of {@code a} and {@code b}, each from an index of its array. */
  void add(Object a, int fromA, Object b, int fromB, Object c, int fromC) {
    addRows(
        turnedLeft ? turned(a, fromA, k, m) : a,
        turnedLeft ? 0 : fromA,
        turnedRight ? turned(b, fromB, n, k) : b,
        turnedRight ? 0 : fromB,
        c,
        fromC);
  }

  /** A copy of a matrix of {@code height} rows with rows and columns exchanged. */
  private Object turned(Object matrix, int from, int height, int width) {
    Object result = Lanes.of(matrix).newArray(height * width);
    new StridedMove(Lanes.of(matrix).kind())
        .dimension(width, 1, height)
        .dimension(height, width, 1)
        .run(matrix, from, result, 0, cancellation);
    return result;
  }

  private void addRows(Object a, int fromA, Object b, int fromB, Object c, int fromC) {
    Lanes lanes = Lanes.of(c);
    int depth = Math.min(k, DEPTH);
    Object[] rows = new Object[depth + 3];
    for (int column = 0; column < n; column += WIDTH) {
      int width = Math.min(WIDTH, n - column);
      for (int i = 0; i < rows.length; i++) {
        rows[i] = lanes.newArray(width);
      }
      Object sums = lanes.newArray(width);
      Object factors = lanes.newArray(depth + 3);
      for (int first = 0; first < k; first += DEPTH) {
        int count = Math.min(DEPTH, k - first);
        pack(lanes, b, fromB + first * n + column, rows, count, width);
        for (int i = 0; i < m; i++) {
          if (i % CANCELLATION_STEP == 0) {
            cancellation.check();
          }
          copy(a, fromA + i * k + first, factors, count);
          int at = fromC + i * n + column;
          copy(c, at, sums, width);
          lanes.addMultiples(sums, rows, factors, count);
          System.arraycopy(sums, 0, c, at, width);
        }
      }
    }
  }

  @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of one kind
  private static void copy(Object from, int at, Object to, int count) {
    System.arraycopy(from, at, to, 0, count);
  }

  /** Copies a block's rows; those up to a multiple of four are zeros. */
  private void pack(Lanes lanes, Object b, int from, Object[] rows, int count, int width) {
    for (int i = 0; i < count; i++) {
      copy(b, from + i * n, rows[i], width);
    }
    for (int i = count; i < (count + 3) / 4 * 4; i++) {
      rows[i] = lanes.newArray(width);
    }
  }

  /** The innermost loops, for each type of array. */
  private enum Lanes {
    FLOAT {
      @Override
      void addMultiples(Object sums, Object[] rows, Object factors, int count) {
        float[] f = (float[]) factors;
        for (int i = count; i < (count + 3) / 4 * 4; i++) {
          f[i] = 0;
        }
        for (int i = 0; i < count; i += 4) {
          add4(
              (float[]) sums,
              (float[]) rows[i],
              (float[]) rows[i + 1],
              (float[]) rows[i + 2],
              (float[]) rows[i + 3],
              f,
              i);
        }
      }
    },
    DOUBLE {
      @Override
      void addMultiples(Object sums, Object[] rows, Object factors, int count) {
        double[] f = (double[]) factors;
        for (int i = count; i < (count + 3) / 4 * 4; i++) {
          f[i] = 0;
        }
        for (int i = 0; i < count; i += 4) {
          add4(
              (double[]) sums,
              (double[]) rows[i],
              (double[]) rows[i + 1],
              (double[]) rows[i + 2],
              (double[]) rows[i + 3],
              f,
              i);
        }
      }
    },
    INT {
      @Override
      void addMultiples(Object sums, Object[] rows, Object factors, int count) {
        for (int i = 0; i < count; i++) {
          int[] s = (int[]) sums;
          int[] row = (int[]) rows[i];
          int factor = ((int[]) factors)[i];
          for (int j = 0; j < s.length; j++) {
            s[j] += factor * row[j];
          }
        }
      }
    },
    LONG {
      @Override
      void addMultiples(Object sums, Object[] rows, Object factors, int count) {
        for (int i = 0; i < count; i++) {
          long[] s = (long[]) sums;
          long[] row = (long[]) rows[i];
          long factor = ((long[]) factors)[i];
          for (int j = 0; j < s.length; j++) {
            s[j] += factor * row[j];
          }
        }
      }
    };

    static Lanes of(Object array) {
      return switch (array) {
        case float[] _ -> FLOAT;
        case double[] _ -> DOUBLE;
        case int[] _ -> INT;
        case long[] _ -> LONG;
        default -> throw new AssertionError(array.getClass());
      };
    }

    private ElementKind kind() {
      return ElementKind.valueOf(name());
    }

    Object newArray(int size) {
      return kind().newArray(size);
    }

    /** Adds to {@code sums} the first rows, each times its factor. */
    abstract void addMultiples(Object sums, Object[] rows, Object factors, int count);

    private static void add4(
        float[] sums, float[] r0, float[] r1, float[] r2, float[] r3, float[] factors, int i) {
      float f0 = factors[i];
      float f1 = factors[i + 1];
      float f2 = factors[i + 2];
      float f3 = factors[i + 3];
      for (int j = 0; j < sums.length; j++) {
        sums[j] += f0 * r0[j] + f1 * r1[j] + f2 * r2[j] + f3 * r3[j];
      }
    }

    private static void add4(
        double[] sums,
        double[] r0,
        double[] r1,
        double[] r2,
        double[] r3,
        double[] factors,
        int i) {
      double f0 = factors[i];
      double f1 = factors[i + 1];
      double f2 = factors[i + 2];
      double f3 = factors[i + 3];
      for (int j = 0; j < sums.length; j++) {
        sums[j] += f0 * r0[j] + f1 * r1[j] + f2 * r2[j] + f3 * r3[j];
      }
    }
  }
}
