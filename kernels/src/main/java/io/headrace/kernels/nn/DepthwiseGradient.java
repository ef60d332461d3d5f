package io.headrace.kernels.nn;

import io.headrace.runtime.tensor.Shape;

/**
 * The terms of the gradients of a depthwise convolution: the contribution of one filter tap at one
 * output position, over arrays of float or double. Pixels, output positions and taps are indexed as
 * units, not by their elements. Immutable.
 */
final class DepthwiseGradient {
  private final int channels;
  private final int multiplier;

  /** The gradients for a filter of shape [rows, columns, channels, multiplier]. */
  DepthwiseGradient(Shape filter) {
    this.channels = (int) filter.size(2);
    this.multiplier = (int) filter.size(3);
  }

  /** Adds the contribution of a tap at an output position to the gradient of a pixel. */
  void addToPixel(Object weights, int tap, Object dy, int position, Object sums, int pixel) {
    int w = tap * channels * multiplier;
    int d = position * channels * multiplier;
    int s = pixel * channels;
    if (sums instanceof float[] to) {
      addProducts((float[]) weights, w, (float[]) dy, d, to, s);
    } else {
      addProducts((double[]) weights, w, (double[]) dy, d, (double[]) sums, s);
    }
  }

  private void addProducts(float[] a, int fromA, float[] b, int fromB, float[] sums, int at) {
    for (int c = 0; c < channels; c++) {
      float sum = 0;
      for (int m = c * multiplier; m < (c + 1) * multiplier; m++) {
        sum += a[fromA + m] * b[fromB + m];
      }
      sums[at + c] += sum;
    }
  }

  private void addProducts(double[] a, int fromA, double[] b, int fromB, double[] sums, int at) {
    for (int c = 0; c < channels; c++) {
      double sum = 0;
      for (int m = c * multiplier; m < (c + 1) * multiplier; m++) {
        sum += a[fromA + m] * b[fromB + m];
      }
      sums[at + c] += sum;
    }
  }

  /**
   * Adds the contribution of a pixel at an output position to the gradients of a tap. Their sums
   * have a term for each output position, hence double precision.
   */
  void addToWeights(Object in, int pixel, Object dy, int position, double[] sums, int tap) {
    int x = pixel * channels;
    int d = position * channels * multiplier;
    int s = tap * channels * multiplier;
    if (in instanceof float[] from) {
      float[] gradient = (float[]) dy;
      for (int i = 0; i < channels * multiplier; i++) {
        sums[s + i] += (double) from[x + i / multiplier] * gradient[d + i];
      }
    } else {
      double[] from64 = (double[]) in;
      double[] gradient = (double[]) dy;
      for (int i = 0; i < channels * multiplier; i++) {
        sums[s + i] += from64[x + i / multiplier] * gradient[d + i];
      }
    }
  }
}
