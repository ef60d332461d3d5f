package io.headrace.kernels.kit;

/** Copies complex elements from and to separate double arrays of real and imaginary parts. */
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
