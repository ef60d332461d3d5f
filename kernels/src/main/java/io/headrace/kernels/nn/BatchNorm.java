package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;

/**
 * Batch normalization and its gradient (Ioffe and Szegedy, 2015), over an array of pixels with
 * channels last. Sums are accumulated in double precision; all else is rounded to floats.
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
    double[] sums = new double[channels];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            sums[c] += x[at + c];
          }
        });
    float[] mean = means(sums);
    double[] squares = new double[channels];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            float distance = x[at + c] - mean[c];
            squares[c] += distance * distance;
          }
        });
    return new Moments(mean, means(squares));
  }

  private float[] means(double[] sums) {
    float[] means = floats(sums);
    float share = 1f / Math.max(1, pixels);
    for (int c = 0; c < channels; c++) {
      means[c] *= share;
    }
    return means;
  }

  private static float[] floats(double[] values) {
    float[] result = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = (float) values[i];
    }
    return result;
  }

  /** The reciprocal of each channel's standard deviation. */
  private float[] inverseDeviations(Moments moments) {
    float[] inverseDeviations = new float[channels];
    for (int c = 0; c < channels; c++) {
      inverseDeviations[c] = (float) (1 / Math.sqrt(moments.variance[c] + epsilon));
    }
    return inverseDeviations;
  }

  /** {@code x}, whose moments are {@code moments}, normalized, then scaled and offset. */
  float[] normalized(float[] x, Moments moments, float[] scale, float[] offset, Cancellation stop) {
    float[] factor = factors(inverseDeviations(moments), scale);
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

  private float[] factors(float[] inverseDeviations, float[] scale) {
    float[] factors = new float[channels];
    for (int c = 0; c < channels; c++) {
      factors[c] = inverseDeviations[c] * scale[c];
    }
    return factors;
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
    float[] deviation = inverseDeviations(moments);
    float[] factor = factors(deviation, scale);
    // Terms are rounded to floats, of which some overflow, as in TensorFlow.
    double[] sums = new double[channels];
    double[] products = new double[channels];
    double[] scaledProducts = new double[channels];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            float centered = x[at + c] - moments.mean[c];
            sums[c] += dy[at + c];
            products[c] += dy[at + c] * centered;
            scaledProducts[c] += dy[at + c] * (centered * deviation[c]);
          }
        });
    float[] dOffset = floats(sums);
    if (batchMoments) {
      float[] dx = ofBatch(dy, x, moments.mean, deviation, factor, sums, products, stop);
      return new Gradients(dx, floats(scaledProducts), dOffset);
    }
    for (int c = 0; c < channels && pixels > 0; c++) {
      products[c] = (float) products[c] * deviation[c];
    }
    return new Gradients(scaled(dy, factor, stop), floats(products), dOffset);
  }

  private float[] scaled(float[] dy, float[] factor, Cancellation stop) {
    float[] dx = new float[dy.length];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            dx[at + c] = dy[at + c] * factor[c];
          }
        });
    return dx;
  }

  /** The gradient of {@code x} by way of its moments, too. */
  private float[] ofBatch(
      float[] dy,
      float[] x,
      float[] mean,
      float[] deviation,
      float[] factor,
      double[] sums,
      double[] products,
      Cancellation stop) {
    float[] share = means(sums);
    float[] slope = new float[channels];
    for (int c = 0; c < channels; c++) {
      slope[c] = deviation[c] * deviation[c] * ((float) products[c] / pixels);
    }
    float[] dx = new float[x.length];
    forEachPixel(
        stop,
        at -> {
          for (int c = 0; c < channels; c++) {
            dx[at + c] = factor[c] * ((dy[at + c] - share[c]) - (x[at + c] - mean[c]) * slope[c]);
          }
        });
    return dx;
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
