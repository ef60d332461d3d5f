package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;

/**
 * Batch normalization and its gradient (Ioffe and Szegedy, 2015), over an array of pixels with
 * channels last. Sums are accumulated in double precision.
 *
 * @param channels elements of a pixel
 * @param pixels number of pixels
 * @param epsilon added to variances
 */
record BatchNorm(int channels, int pixels, float epsilon) {
  /** Pixels between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 12;

  /** The mean and the variance of each channel, the latter without Bessel's correction. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Moments(float[] mean, float[] variance) {}

  /** The gradients of the input, of the scale and of the offset. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Gradients(float[] x, float[] scale, float[] offset) {}

  /** The moments of the channels of {@code x}; zeros if there are no pixels. */
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

  /** The reciprocal of each channel's standard deviation. */
  private double[] inverseDeviations(Moments moments) {
    double[] inverseDeviations = new double[channels];
    for (int c = 0; c < channels; c++) {
      inverseDeviations[c] = 1 / Math.sqrt((double) moments.variance[c] + epsilon);
    }
    return inverseDeviations;
  }

  /** {@code x}, whose moments are {@code moments}, normalized, then scaled and offset. */
  float[] normalized(float[] x, Moments moments, float[] scale, float[] offset, Cancellation stop) {
    double[] deviation = inverseDeviations(moments);
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
   * The gradients of {@link #normalized}, given the gradient {@code dy} of its result.
   *
   * @param batchMoments whether the moments are those of {@code x} and depend on it, rather than
   *     constants
   */
  Gradients gradients(
      float[] dy,
      float[] x,
      Moments moments,
      float[] scale,
      boolean batchMoments,
      Cancellation stop) {
    double[] factor = inverseDeviations(moments);
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
      slope[c] = batchMoments ? dScale[c] * factor[c] / pixels : 0;
      factor[c] *= scale[c];
    }
    double share = batchMoments ? 1.0 / pixels : 0;
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

  /** Visits one pixel, given the index of its first channel. */
  @FunctionalInterface
  private interface PixelVisitor {
    void at(int index);
  }

  private void forEachPixel(Cancellation stop, PixelVisitor body) {
    for (int i = 0; i < pixels; i++) {
      if (i % CANCELLATION_STEP == 0) {
        stop.check();
      }
      body.at(i * channels);
    }
  }
}
