package io.headrace.kernels.image;

/**
 * The taps of ResizeBicubic along one axis: for each output row or column, four input rows or
 * columns and their weights, by cubic convolution (Keys, "Cubic convolution interpolation for
 * digital image processing", IEEE Transactions on Acoustics, Speech, and Signal Processing 29(6),
 * 1981). As in TensorFlow, weights come from tables of 1024 steps.
 */
final class CubicWeights {
  /** Taps of an output row or column. */
  static final int TAPS = 4;

  private static final int STEPS = 1024;

  /** Weights with a = -0.5, for half_pixel_centers, and with a = -0.75, TensorFlow's legacy. */
  private static final float[] KEYS = table(-0.5);

  private static final float[] LEGACY = table(-0.75);

  /** Sums of weights below this are not normalized to 1. */
  private static final float SMALLEST_SUM = 1000f * Float.MIN_NORMAL;

  private final int[] indices;
  private final float[] weights;

  private CubicWeights(int size) {
    this.indices = new int[size * TAPS];
    this.weights = new float[size * TAPS];
  }

  /** The kernel at distance x and at distance 1 + x, interleaved, for 1025 values x in [0, 1]. */
  private static float[] table(double a) {
    float[] table = new float[(STEPS + 1) * 2];
    for (int i = 0; i <= STEPS; i++) {
      double x = (double) i / STEPS;
      table[2 * i] = (float) (((a + 2) * x - (a + 3)) * x * x + 1);
      x += 1;
      table[2 * i + 1] = (float) (((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
    return table;
  }

  /**
   * The taps of one axis.
   *
   * @param in input size
   * @param out output size
   * @param scale input pixels per output pixel
   * @param halfPixelCenters whether coordinates are those of pixel centers (half_pixel_centers)
   */
  static CubicWeights of(int in, int out, float scale, boolean halfPixelCenters) {
    CubicWeights result = new CubicWeights(out);
    for (int i = 0; i < out; i++) {
      float at = halfPixelCenters ? (i + 0.5f) * scale - 0.5f : i * scale;
      int first = (int) Math.floor(at) - 1;
      int step = (int) Math.rint((at - (first + 1)) * STEPS);
      result.set(i, first, in, step, halfPixelCenters);
    }
    return result;
  }

  private void set(int i, int first, int in, int step, boolean halfPixelCenters) {
    float[] table = halfPixelCenters ? KEYS : LEGACY;
    int at = i * TAPS;
    weights[at] = table[step * 2 + 1];
    weights[at + 1] = table[step * 2];
    weights[at + 2] = table[(STEPS - step) * 2];
    weights[at + 3] = table[(STEPS - step) * 2 + 1];
    for (int k = 0; k < TAPS; k++) {
      indices[at + k] = Math.clamp(first + k, 0, in - 1);
      if (halfPixelCenters && indices[at + k] != first + k) {
        weights[at + k] = 0; // taps outside of the image have no weight
      }
    }
    if (halfPixelCenters) {
      normalize(at);
    }
  }

  private void normalize(int at) {
    float sum = weights[at] + weights[at + 1] + weights[at + 2] + weights[at + 3];
    if (Math.abs(sum) >= SMALLEST_SUM) {
      float factor = 1f / sum;
      for (int k = 0; k < TAPS; k++) {
        weights[at + k] *= factor;
      }
    }
  }

  /** The input row or column under tap {@code tap} of output row or column {@code i}. */
  int index(int i, int tap) {
    return indices[i * TAPS + tap];
  }

  /** The weight of tap {@code tap} of output row or column {@code i}. */
  float weight(int i, int tap) {
    return weights[i * TAPS + tap];
  }

  /** Interpolates output row {@code row} from its four rows in {@code lines}. */
  void interpolateRow(int row, float[][] lines, float[] out) {
    int at = row * TAPS;
    weightedSum(
        lines[indices[at]],
        lines[indices[at + 1]],
        lines[indices[at + 2]],
        lines[indices[at + 3]],
        weights[at],
        weights[at + 1],
        weights[at + 2],
        weights[at + 3],
        out);
  }

  private static void weightedSum(
      float[] a,
      float[] b,
      float[] c,
      float[] d,
      float weightA,
      float weightB,
      float weightC,
      float weightD,
      float[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = a[i] * weightA + b[i] * weightB + c[i] * weightC + d[i] * weightD;
    }
  }

  /**
   * Interpolates the pixels of an output row from {@code line} into {@code out}, from {@code from}
   * on; returns the index after them.
   */
  int interpolatePixels(float[] line, int channels, float[] out, int from) {
    int to = from;
    for (int at = 0; at < indices.length; at += TAPS) {
      int a = indices[at] * channels;
      int b = indices[at + 1] * channels;
      int c = indices[at + 2] * channels;
      int d = indices[at + 3] * channels;
      for (int i = 0; i < channels; i++) {
        out[to++] =
            line[a + i] * weights[at]
                + line[b + i] * weights[at + 1]
                + line[c + i] * weights[at + 2]
                + line[d + i] * weights[at + 3];
      }
    }
    return to;
  }
}
