package io.headrace.kernels.kit;

/**
 * Copies complex elements from and to separate double arrays of real and imaginary parts, and
 * multiplies and divides single elements in place. Elements are pairs in a float or double array.
 */
public final class ComplexParts {
  private ComplexParts() {}

  /** Reads {@code count} complex elements from index {@code from} on. */
  public static void read(Object array, int from, double[] re, double[] im, int count) {
    switch (array) {
      case float[] in -> {
        for (int i = 0; i < count; i++) {
          re[i] = in[2 * (from + i)];
          im[i] = in[2 * (from + i) + 1];
        }
      }
      case double[] in -> {
        for (int i = 0; i < count; i++) {
          re[i] = in[2 * (from + i)];
          im[i] = in[2 * (from + i) + 1];
        }
      }
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** Reads {@code count} float or double elements from index {@code from} on. */
  public static void readReal(Object array, int from, double[] out, int count) {
    switch (array) {
      case float[] in -> {
        for (int i = 0; i < count; i++) {
          out[i] = in[from + i];
        }
      }
      case double[] in -> System.arraycopy(in, from, out, 0, count);
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** Sets element {@code i} of {@code array} to a real number. */
  public static void setReal(Object array, int i, double value) {
    write(new double[] {value}, new double[1], 1, array, i);
  }

  /** Multiplies element {@code t} of {@code to} by element {@code f} of {@code from}. */
  static void multiply(Object to, int t, Object from, int f) {
    switch (to) {
      case float[] a -> {
        float[] b = (float[]) from;
        float re = a[2 * t] * b[2 * f] - a[2 * t + 1] * b[2 * f + 1];
        a[2 * t + 1] = a[2 * t] * b[2 * f + 1] + a[2 * t + 1] * b[2 * f];
        a[2 * t] = re;
      }
      case double[] a -> {
        double[] b = (double[]) from;
        double re = a[2 * t] * b[2 * f] - a[2 * t + 1] * b[2 * f + 1];
        a[2 * t + 1] = a[2 * t] * b[2 * f + 1] + a[2 * t + 1] * b[2 * f];
        a[2 * t] = re;
      }
      default -> throw new AssertionError(to.getClass());
    }
  }

  /** Divides element {@code t} of {@code to} by element {@code f} of {@code from}. */
  static void divide(Object to, int t, Object from, int f) {
    switch (to) {
      case float[] a -> {
        float[] b = (float[]) from;
        float scale = Math.max(Math.abs(b[2 * f]), Math.abs(b[2 * f + 1]));
        float c = b[2 * f] / scale;
        float d = b[2 * f + 1] / scale;
        float size = c * c + d * d;
        float re = a[2 * t] * c + a[2 * t + 1] * d;
        a[2 * t + 1] = (a[2 * t + 1] * c - a[2 * t] * d) / size / scale;
        a[2 * t] = re / size / scale;
      }
      case double[] a -> {
        double[] b = (double[]) from;
        double scale = Math.max(Math.abs(b[2 * f]), Math.abs(b[2 * f + 1]));
        double c = b[2 * f] / scale;
        double d = b[2 * f + 1] / scale;
        double size = c * c + d * d;
        double re = a[2 * t] * c + a[2 * t + 1] * d;
        a[2 * t + 1] = (a[2 * t + 1] * c - a[2 * t] * d) / size / scale;
        a[2 * t] = re / size / scale;
      }
      default -> throw new AssertionError(to.getClass());
    }
  }

  /** Writes {@code count} complex elements from index {@code to} on. */
  public static void write(double[] re, double[] im, int count, Object array, int to) {
    switch (array) {
      case float[] out -> {
        for (int i = 0; i < count; i++) {
          out[2 * (to + i)] = (float) re[i];
          out[2 * (to + i) + 1] = (float) im[i];
        }
      }
      case double[] out -> {
        for (int i = 0; i < count; i++) {
          out[2 * (to + i)] = re[i];
          out[2 * (to + i) + 1] = im[i];
        }
      }
      default -> throw new AssertionError(array.getClass());
    }
  }
}
