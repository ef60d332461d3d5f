package io.headrace.kernels.nn;

import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * Computes a depthwise convolution line by line: an output line is the sum, over the filter's taps,
 * of the input line shifted by the tap, times the tap's weights repeated along the line. Not
 * thread-safe.
 */
final class DepthwiseForward {
  /*
   * Both factors are expanded to output lines from index 0, with each input channel repeated by the
   * multiplier, so that the arithmetic is one loop over whole lines, which HotSpot vectorizes.
   */

  private final ElementKind kind;
  private final SlidingAxis y;
  private final SlidingAxis x;
  private final int channels;
  private final int multiplier;
  private final int size;

  /** The weights of each tap, repeated for each pixel of a line. */
  private final Object[] weights;

  /** The shifted input line of the current tap. */
  private final Object shifted;

  private final Object sums;

  /**
   * Lines over arrays of {@code kind}, float or double.
   *
   * @param filter the weights, of shape [rows, columns, channels, multiplier]
   */
  DepthwiseForward(
      ElementKind kind, Object filter, SlidingAxis y, SlidingAxis x, int channels, int multiplier) {
    this.kind = kind;
    this.y = y;
    this.x = x;
    this.channels = channels;
    this.multiplier = multiplier;
    int pixel = channels * multiplier;
    this.size = x.out() * pixel;
    this.weights = new Object[y.window() * x.window()];
    for (int tap = 0; tap < weights.length; tap++) {
      weights[tap] = kind.newArray(size);
      for (int i = 0; i < x.out(); i++) {
        kind.copy(filter, tap * pixel, weights[tap], i * pixel, pixel);
      }
    }
    this.shifted = kind.newArray(size);
    this.sums = kind.newArray(size);
  }

  /** Elements of an output line. */
  int size() {
    return size;
  }

  /** Writes output line {@code row} of image {@code batch} of {@code in} to {@code out}. */
  void compute(Object in, int batch, int row, Object out, int to, Cancellation stop) {
    stop.check();
    kind.copy(kind.newArray(size), 0, sums, 0, size);
    for (int ky = 0; ky < y.window(); ky++) {
      int line = y.index(row, ky);
      for (int kx = 0; kx < x.window() && line >= 0; kx++) {
        shift(in, (batch * y.in() + line) * x.in(), kx, stop);
        addProducts(weights[ky * x.window() + kx]);
      }
    }
    kind.copy(sums, 0, out, to, size);
  }

  /** Expands the pixels under tap {@code kx} of each output position; zeros under padding. */
  private void shift(Object in, int line, int kx, Cancellation stop) {
    int first = 0;
    while (first < x.out() && x.index(first, kx) < 0) {
      first++;
    }
    int end = first;
    while (end < x.out() && x.index(end, kx) >= 0) {
      end++;
    }
    int pixel = channels * multiplier;
    if (end - first < x.out()) {
      kind.copy(kind.newArray(size), 0, shifted, 0, size);
    }
    if (first < end) {
      new StridedMove(kind)
          .dimension(end - first, x.stride() * channels, pixel)
          .dimension(channels, 1, multiplier)
          .dimension(multiplier, 0, 1)
          .run(in, (line + x.index(first, kx)) * channels, shifted, first * pixel, stop);
    }
  }

  private void addProducts(Object factors) {
    if (sums instanceof float[] s) {
      addProducts(s, (float[]) shifted, (float[]) factors);
    } else {
      addProducts((double[]) sums, (double[]) shifted, (double[]) factors);
    }
  }

  private static void addProducts(float[] sums, float[] a, float[] b) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += a[i] * b[i];
    }
  }

  private static void addProducts(double[] sums, double[] a, double[] b) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += a[i] * b[i];
    }
  }
}
