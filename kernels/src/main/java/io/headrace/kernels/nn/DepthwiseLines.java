package io.headrace.kernels.nn;

import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;

/**
 * Lines of a depthwise convolution: each is the sum, over the filter's taps, of a line of the image
 * moved by the tap times the tap's weights, repeated along the line. Used by one thread.
 */
final class DepthwiseLines {
  /*
   * Both factors are laid out from index 0 on, each channel as often as the filter multiplies it,
   * so that one plain loop over whole lines, which HotSpot vectorizes, does the arithmetic.
   */

  private final ElementKind kind;
  private final SlidingAxis y;
  private final SlidingAxis x;
  private final int channels;
  private final int multiplier;
  private final int size;

  /** For each tap its weights, for one pixel after the other. */
  private final Object[] weights;

  private final Object moved;
  private final Object sums;

  /**
   * Lines over arrays of {@code kind}, float or double.
   *
   * @param filter weights by row, column, channel and multiple
   */
  DepthwiseLines(
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
    this.moved = kind.newArray(size);
    this.sums = kind.newArray(size);
  }

  /** Elements of a line of the result. */
  int size() {
    return size;
  }

  /** Writes the line {@code row} of the result for the image {@code batch} of {@code in}. */
  void add(Object in, int batch, int row, Object out, int to, Cancellation stop) {
    stop.check();
    kind.copy(kind.newArray(size), 0, sums, 0, size);
    for (int ky = 0; ky < y.window(); ky++) {
      int line = y.index(row, ky);
      for (int kx = 0; kx < x.window() && line >= 0; kx++) {
        move(in, (batch * y.in() + line) * x.in(), kx, stop);
        addProducts(weights[ky * x.window() + kx]);
      }
    }
    kind.copy(sums, 0, out, to, size);
  }

  /** Lays out the pixels that the tap {@code kx} of each place takes in; zeros where none. */
  private void move(Object in, int line, int kx, Cancellation stop) {
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
      kind.copy(kind.newArray(size), 0, moved, 0, size);
    }
    if (first < end) {
      new StridedMove(kind)
          .dimension(end - first, x.stride() * channels, pixel)
          .dimension(channels, 1, multiplier)
          .dimension(multiplier, 0, 1)
          .run(in, (line + x.index(first, kx)) * channels, moved, first * pixel, stop);
    }
  }

  private void addProducts(Object factors) {
    if (sums instanceof float[] s) {
      addProducts(s, (float[]) moved, (float[]) factors);
    } else {
      addProducts((double[]) sums, (double[]) moved, (double[]) factors);
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
