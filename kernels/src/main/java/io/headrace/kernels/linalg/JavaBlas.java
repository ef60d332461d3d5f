package io.headrace.kernels.linalg;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/** Matrix products by Java loops. */
final class JavaBlas implements Blas {
  /*
   * The innermost loop adds multiples of four rows of the right matrix to a row of the result. All
   * its arrays are read from index 0, because HotSpot does not vectorize a loop that reads and
   * writes at unknown distances. So the rows of a block of the right matrix are first packed into
   * arrays of their own. The block is small enough to stay in cache for all rows of the left one.
   *
   * A result of a few columns has no row worth a loop: its elements are dot products, summed in
   * the same order.
   */

  static final JavaBlas INSTANCE = new JavaBlas();

  /** Rows of a block of the right matrix. */
  private static final int DEPTH = 128;

  /** Columns of a block of the right matrix. */
  private static final int WIDTH = 512;

  /** Columns up to which the elements of the result are dot products. */
  private static final int NARROW = 8;

  /** Rows of the left matrix between two cancellation checks. */
  private static final int CANCELLATION_STEP = 256;

  private JavaBlas() {}

  @Override
  public boolean requiresRowMajor() {
    return true;
  }

  @Override
  public void add(Matrix a, Matrix b, Matrix c, int m, int k, int n, Cancellation stop) {
    Lanes lanes = Lanes.of(c.array());
    if (n <= NARROW && lanes.isFloating()) {
      addNarrow(lanes, a, b, c, m, k, n, stop);
      return;
    }
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
        pack(lanes, b.at(first, column), rows, count, width);
        for (int i = 0; i < m; i++) {
          if (i % CANCELLATION_STEP == 0) {
            stop.check();
          }
          copy(a.array(), a.from() + i * a.stride() + first, factors, count);
          int at = c.from() + i * c.stride() + column;
          copy(c.array(), at, sums, width);
          lanes.addMultiples(sums, rows, factors, count);
          copyBack(sums, c.array(), at, width);
        }
      }
    }
  }

  private static void addNarrow(
      Lanes lanes, Matrix a, Matrix b, Matrix c, int m, int k, int n, Cancellation stop) {
    Object column = lanes.newArray(k);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < k; i++) {
        copyElement(b.array(), b.from() + i * b.stride() + j, column, i);
      }
      for (int first = 0; first < m; first += CANCELLATION_STEP) {
        stop.check();
        lanes.addDotProducts(
            a.at(first, 0), column, c.at(first, j), Math.min(CANCELLATION_STEP, m - first), k);
      }
    }
  }

  @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of one kind
  private static void copyElement(Object from, int at, Object to, int index) {
    System.arraycopy(from, at, to, index, 1);
  }

  @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of one kind
  private static void copy(Object from, int at, Object to, int count) {
    System.arraycopy(from, at, to, 0, count);
  }

  @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of one kind
  private static void copyBack(Object from, Object to, int at, int count) {
    System.arraycopy(from, 0, to, at, count);
  }

  /** Copies the rows of a block, padded to a multiple of four with zeros. */
  private static void pack(Lanes lanes, Matrix b, Object[] rows, int count, int width) {
    for (int i = 0; i < count; i++) {
      copy(b.array(), b.from() + i * b.stride(), rows[i], width);
    }
    for (int i = count; i < (count + 3) / 4 * 4; i++) {
      rows[i] = lanes.newArray(width);
    }
  }

  /** The innermost loops for each array type. */
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

      @Override
      boolean isFloating() {
        return true;
      }

      @Override
      void addDotProducts(Matrix a, Object column, Matrix c, int m, int k) {
        float[] factors = (float[]) a.array();
        float[] values = (float[]) column;
        float[] sums = (float[]) c.array();
        int whole = k & -4;
        for (int i = 0; i < m; i++) {
          int at = a.from() + i * a.stride();
          float sum = sums[c.from() + i * c.stride()];
          for (int p = 0; p < whole; p += 4) {
            sum +=
                factors[at + p] * values[p]
                    + factors[at + p + 1] * values[p + 1]
                    + factors[at + p + 2] * values[p + 2]
                    + factors[at + p + 3] * values[p + 3];
          }
          if (whole < k) {
            float rest = factors[at + whole] * values[whole];
            for (int p = whole + 1; p < k; p++) {
              rest += factors[at + p] * values[p];
            }
            sum += rest;
          }
          sums[c.from() + i * c.stride()] = sum;
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

      @Override
      boolean isFloating() {
        return true;
      }

      @Override
      void addDotProducts(Matrix a, Object column, Matrix c, int m, int k) {
        double[] factors = (double[]) a.array();
        double[] values = (double[]) column;
        double[] sums = (double[]) c.array();
        int whole = k & -4;
        for (int i = 0; i < m; i++) {
          int at = a.from() + i * a.stride();
          double sum = sums[c.from() + i * c.stride()];
          for (int p = 0; p < whole; p += 4) {
            sum +=
                factors[at + p] * values[p]
                    + factors[at + p + 1] * values[p + 1]
                    + factors[at + p + 2] * values[p + 2]
                    + factors[at + p + 3] * values[p + 3];
          }
          if (whole < k) {
            double rest = factors[at + whole] * values[whole];
            for (int p = whole + 1; p < k; p++) {
              rest += factors[at + p] * values[p];
            }
            sum += rest;
          }
          sums[c.from() + i * c.stride()] = sum;
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

    Object newArray(int size) {
      return ElementKind.valueOf(name()).newArray(size);
    }

    /** Adds the first {@code count} rows, each times its factor, to {@code sums}. */
    abstract void addMultiples(Object sums, Object[] rows, Object factors, int count);

    boolean isFloating() {
      return false;
    }

    /**
     * Adds the product of {@code a}, {@code m} by {@code k}, and {@code column} to the first column
     * of {@code c}.
     */
    void addDotProducts(Matrix a, Object column, Matrix c, int m, int k) {
      throw new UnsupportedOperationException(name());
    }

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
