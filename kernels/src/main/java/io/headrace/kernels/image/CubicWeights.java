package io.headrace.kernels.image;

/**
 * For each row or column of a result, the four that it is mixed of and their weights, by cubic
 * convolution (Keys, "Cubic convolution interpolation for digital image processing", IEEE
 * Transactions on Acoustics, Speech, and Signal Processing 29(6), 1981). As in TensorFlow, weights
 * come from tables of 1024 steps.
 */
final class CubicWeights {
  private static final int STEPS = 1024;
  private static final int TAPS = 4;

  /** The slope that counts from pixel centers, and TensorFlow's first one. */
  private static final float[] KEYS = table(-0.5);

  private static final float[] FIRST = table(-0.75);

  /** Sums of weights that are smaller are not made 1. */
  private static final float SMALLEST_SUM = 1000f * Float.MIN_NORMAL;

  private final int[] indices;
  private final float[] weights;

  private CubicWeights(int size) {
    this.indices = new int[size * TAPS];
    this.weights = new float[size * TAPS];
  }

  /** The cubic at distances from 0 to 1, and from 1 to 2, by turns. */
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

  static CubicWeights of(int in, int out, float scale, boolean fromCenters) {
    CubicWeights result = new CubicWeights(out);
    for (int i = 0; i < out; i++) {
      float at = fromCenters ? (i + 0.5f) * scale - 0.5f : i * scale;
      int first = (int) Math.floor(at) - 1;
      int step = (int) Math.rint((at - (first + 1)) * STEPS);
      result.set(i, first, in, step, fromCenters);
    }
    return result;
  }

  private void set(int i, int first, int in, int step, boolean fromCenters) {
    float[] table = fromCenters ? KEYS : FIRST;
    int at = i * TAPS;
    weights[at] = table[step * 2 + 1];
    weights[at + 1] = table[step * 2];
    weights[at + 2] = table[(STEPS - step) * 2];
    weights[at + 3] = table[(STEPS - step) * 2 + 1];
    for (int k = 0; k < TAPS; k++) {
      indices[at + k] = Math.clamp(first + k, 0, in - 1);
      if (fromCenters && indices[at + k] != first + k) {
        weights[at + k] = 0; // what lies outside does not count
      }
    }
    if (fromCenters) {
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

  /** Mixes the four lines of row {@code row}. */
  void mixLines(int row, float[][] lines, float[] out) {
    int at = row * TAPS;
    mix(
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

  private static void mix(
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

  /** Mixes four pixels of {@code line} for each of {@code out}'s, and gives the index after. */
  int mixPixels(float[] line, int channels, float[] out, int from) {
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
