package io.headrace.kernels.nn;

import java.util.Arrays;

/**
 * The patch matrix of images (im2col), which turns a convolution into a matrix product: a row for
 * each output position, with the channels of each pixel under the window; zeros under padding. The
 * arrays are of float, double or int.
 *
 * @param window the sliding window
 * @param channels elements of a pixel
 */
record Im2Col(SlidingWindow window, int channels) {
  /** Elements of a row. */
  int size() {
    return Math.multiplyExact(window.taps(), channels);
  }

  /** Copies the rows of {@code count} output positions from {@code first} on to {@code matrix}. */
  void gather(Object images, int first, int count, Object matrix) {
    int size = size();
    for (int i = 0; i < count; i++) {
      int row = i * size;
      window.visit(
          first + i,
          (pixel, tap, run) -> {
            int to = row + tap * channels;
            if (pixel < 0) {
              zero(matrix, to, run * channels);
            } else {
              copy(images, pixel * channels, matrix, to, run * channels);
            }
          });
    }
  }

  /** Adds the rows of {@code matrix} to the pixels that {@link #gather} copies from (col2im). */
  void scatter(Object matrix, int first, int count, Object images) {
    int size = size();
    for (int i = 0; i < count; i++) {
      int row = i * size;
      window.visit(
          first + i,
          (pixel, tap, run) -> {
            if (pixel >= 0) {
              add(matrix, row + tap * channels, images, pixel * channels, run * channels);
            }
          });
    }
  }

  @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of one kind
  private static void copy(Object in, int from, Object out, int to, int count) {
    System.arraycopy(in, from, out, to, count);
  }

  private static void zero(Object array, int from, int count) {
    switch (array) {
      case float[] a -> Arrays.fill(a, from, from + count, 0);
      case double[] a -> Arrays.fill(a, from, from + count, 0);
      case int[] a -> Arrays.fill(a, from, from + count, 0);
      default -> throw new AssertionError(array.getClass());
    }
  }

  private static void add(Object in, int from, Object out, int to, int count) {
    switch (out) {
      case float[] sums -> {
        float[] terms = (float[]) in;
        for (int i = 0; i < count; i++) {
          sums[to + i] += terms[from + i];
        }
      }
      case double[] sums -> {
        double[] terms = (double[]) in;
        for (int i = 0; i < count; i++) {
          sums[to + i] += terms[from + i];
        }
      }
      case int[] sums -> {
        int[] terms = (int[]) in;
        for (int i = 0; i < count; i++) {
          sums[to + i] += terms[from + i];
        }
      }
      default -> throw new AssertionError(out.getClass());
    }
  }
}
