package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;

/**
 * Normalization of channels to a mean of 0 and a variance of 1, and its gradient (Ioffe and
 * Szegedy, 2015): over an array of pixels, each with all its channels. Sums are made in double
 * precision.
 *
 * @param channels elements of a pixel
 * @param pixels how many pixels there are
 * @param epsilon what is added to variances
 */
record BatchNorm(int channels, int pixels, float epsilon) {
  /** Pixels between two questions whether the work is still wanted. */
  private static final int CANCELLATION_STEP = 1 << 12;

  /** The mean and the variance of each channel, the latter without Bessel's correction. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  record Moments(float[] mean, float[] variance) {}

  /** The gradients of what is normalized, of the scale and of the offset. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  record Gradients(float[] x, float[] scale, float[] offset) {}

  /** The moments of the channels of {@code x}; zeros of no pixels. */
  Moments moments(float[] x, Cancellation stop) {
    double[] mean = new double[channels];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            mean[c] += x[at + c];
          }
        });
    divide(mean);
    double[] variance = new double[channels];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            double distance = x[at + c] - mean[c];
            variance[c] += distance * distance;
          }
        });
    divide(variance);
    return new Moments(floats(mean), floats(variance));
  }

  private void divide(double[] sums) {
    for (int c = 0; c < channels && pixels > 0; c++) {
      sums[c] /= pixels;
    }
  }

  private static float[] floats(double[] values) {
    float[] result = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = (float) values[i];
    }
    return result;
  }

  /** 1 divided by each channel's standard deviation. */
  private double[] factors(Moments moments) {
    double[] factors = new double[channels];
    for (int c = 0; c < channels; c++) {
      factors[c] = 1 / Math.sqrt((double) moments.variance[c] + epsilon);
    }
    return factors;
  }

  /** {@code x} with those moments, scaled and moved. */
  float[] normalized(float[] x, Moments moments, float[] scale, float[] offset, Cancellation stop) {
    double[] deviation = factors(moments);
    float[] factor = new float[channels];
    for (int c = 0; c < channels; c++) {
      factor[c] = (float) (deviation[c] * scale[c]);
    }
    float[] y = new float[x.length];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            y[at + c] = (x[at + c] - moments.mean[c]) * factor[c] + offset[c];
          }
        });
    return y;
  }

  /**
   * The gradients of {@link #normalized}, of that of its result.
   *
   * @param own whether the moments are those of {@code x}, which they follow, and no constants
   */
  Gradients gradients(
      float[] dy, float[] x, Moments moments, float[] scale, boolean own, Cancellation stop) {
    double[] factor = factors(moments);
    double[] dOffset = new double[channels];
    double[] dScale = new double[channels];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            dOffset[c] += dy[at + c];
            dScale[c] += (double) dy[at + c] * (x[at + c] - moments.mean[c]);
          }
        });
    double[] slope = new double[channels];
    for (int c = 0; c < channels; c++) {
      dScale[c] *= factor[c];
      slope[c] = own ? dScale[c] * factor[c] / pixels : 0;
      factor[c] *= scale[c];
    }
    double share = own ? 1.0 / pixels : 0;
    float[] dx = new float[x.length];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            double centered = x[at + c] - moments.mean[c];
            dx[at + c] =
                (float) (factor[c] * (dy[at + c] - dOffset[c] * share - centered * slope[c]));
          }
        });
    return new Gradients(dx, floats(dScale), floats(dOffset));
  }

  /** Does something with the channels of one pixel, which begin at an index. */
  @FunctionalInterface
  private interface Pixel {
    void at(int index);
  }

  private void forEachPixel(Cancellation stop, Pixel body) {
    for (int i = 0; i < pixels; i++) {
      if (i % CANCELLATION_STEP == 0) {
        stop.check();
      }
      body.at(i * channels);
    }
  }
}
