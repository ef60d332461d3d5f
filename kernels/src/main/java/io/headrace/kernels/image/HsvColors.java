package io.headrace.kernels.image;

import java.util.Arrays;

/**
 * RGB to HSV and back, by the hexcone model (Smith, "Color gamut transform pairs", SIGGRAPH 1978).
 * Each op of TensorFlow evaluates the formulas in an order of its own; the methods here follow it,
 * so that results are equal bit for bit. Arrays hold interleaved pixels of three channels.
 */
final class HsvColors {
  /** Sextants of the hue circle. */
  private static final int SEXTANTS = 6;

  private HsvColors() {}

  /** AdjustHue: rotates each pixel's hue by {@code delta} full turns. */
  static void adjustHue(float[] in, int from, float[] out, int to, int count, float delta) {
    for (int i = 0; i < count; i += 3) {
      rotateHue(in, from + i, out, to + i, delta);
    }
  }

  private static void rotateHue(float[] in, int from, float[] out, int to, float delta) {
    float r = in[from];
    float g = in[from + 1];
    float b = in[from + 2];
    int sextant = sextant(r, g, b);
    int largest = largest(sextant);
    int smallest = smallest(sextant);
    float max = in[from + largest];
    float min = in[from + smallest];
    float mid = in[from + 3 - largest - smallest];
    float hue = 0;
    if (max != min) {
      float ratio = (mid - min) / (max - min);
      hue = sextant + (sextant % 2 == 0 ? ratio : 1 - ratio);
    }
    hue = wrap(hue + delta * SEXTANTS);
    int turned = Math.min((int) hue, SEXTANTS - 1);
    float ratio = hue - (int) hue;
    ratio = turned % 2 == 0 ? ratio : 1 - ratio;
    int newLargest = largest(turned);
    int newSmallest = smallest(turned);
    out[to + newLargest] = max;
    out[to + newSmallest] = min;
    out[to + 3 - newLargest - newSmallest] = min + ratio * (max - min);
  }

  /** Wraps a hue, in sextants, into [0, 6). */
  private static float wrap(float hue) {
    float result = hue;
    if (!(Math.abs(hue) < 1e6f)) {
      result = Float.isFinite(hue) ? hue % SEXTANTS : 0; // too far for the loops
    }
    while (result < 0) {
      result += SEXTANTS;
    }
    while (result >= SEXTANTS) {
      result -= SEXTANTS;
    }
    return result;
  }

  /** The sextant of a color on the hue circle, from 0 at red. */
  private static int sextant(float r, float g, float b) {
    if (r < g) {
      return b < r ? 1 : b > g ? 3 : 2;
    }
    return b < g ? 0 : b > r ? 4 : 5;
  }

  /** The channel with the largest value in a sextant. */
  private static int largest(int sextant) {
    return (sextant + 1) / 2 % 3;
  }

  /** The channel with the smallest value in a sextant. */
  private static int smallest(int sextant) {
    return (sextant / 2 + 2) % 3;
  }

  /** AdjustSaturation: multiplies each pixel's saturation by {@code scale}, clamped to [0, 1]. */
  static void adjustSaturation(float[] in, int from, float[] out, int to, int count, float scale) {
    for (int i = 0; i < count; i += 3) {
      saturate(in, from + i, out, to + i, scale);
    }
  }

  private static void saturate(float[] in, int from, float[] out, int to, float scale) {
    float r = in[from];
    float g = in[from + 1];
    float b = in[from + 2];
    float value = max2(r, max2(g, b));
    float range = value - min2(r, min2(g, b));
    float saturation = value > 0 ? range / value : 0;
    float norm = 1f / (6f * range);
    float hue;
    if (r == value) {
      hue = norm * (g - b);
    } else if (g == value) {
      hue = (float) (norm * (b - r) + 2.0 / 6.0);
    } else {
      hue = (float) (norm * (r - g) + 4.0 / 6.0);
    }
    hue = range <= 0 ? 0 : hue;
    hue = hue < 0 ? hue + 1 : hue;
    saturation = min2(1f, max2(0f, saturation * scale));
    float chroma = saturation * value;
    float base = value - chroma;
    float turned = hue * 6;
    float phase = turned <= 0 ? turned + 2 : turned;
    while (phase >= 2) {
      phase -= 2;
    }
    float second = chroma * (1 - Math.abs(phase - 1));
    int sextant = (int) turned;
    Arrays.fill(out, to, to + 3, base);
    if (sextant >= 0 && sextant < SEXTANTS) {
      int largest = largest(sextant);
      out[to + largest] = chroma + base;
      out[to + 3 - largest - smallest(sextant)] = second + base;
    }
  }

  /** C++'s {@code std::max}: {@code a} unless {@code b} is max2, which matters for NaN. */
  private static float max2(float a, float b) {
    return a < b ? b : a;
  }

  /** C++'s {@code std::min}: {@code a} unless {@code b} is min2. */
  private static float min2(float a, float b) {
    return b < a ? b : a;
  }

  /** RGBToHSV of {@code count} samples: hue and saturation in [0, 1], and value. */
  static void toHsv(float[] in, int from, float[] out, int count) {
    for (int i = 0; i < count; i += 3) {
      float r = in[from + i];
      float g = in[from + i + 1];
      float b = in[from + i + 2];
      float value = Math.max(r, Math.max(g, b));
      float range = value - Math.min(r, Math.min(g, b));
      float norm = 1f / range * (1f / 6f);
      float hue =
          r == value
              ? norm * (g - b)
              : g == value ? norm * (b - r) + 2f / 6f : norm * (r - g) + 4f / 6f;
      hue = range > 0 ? hue : 0;
      out[i] = hue < 0 ? hue + 1 : hue;
      out[i + 1] = value > 0 ? range / value : 0;
      out[i + 2] = value;
    }
  }

  static void toHsv(double[] in, int from, double[] out, int count) {
    for (int i = 0; i < count; i += 3) {
      double r = in[from + i];
      double g = in[from + i + 1];
      double b = in[from + i + 2];
      double value = Math.max(r, Math.max(g, b));
      double range = value - Math.min(r, Math.min(g, b));
      double norm = 1d / range * (1d / 6d);
      double hue =
          r == value
              ? norm * (g - b)
              : g == value ? norm * (b - r) + 2d / 6d : norm * (r - g) + 4d / 6d;
      hue = range > 0 ? hue : 0;
      out[i] = hue < 0 ? hue + 1 : hue;
      out[i + 1] = value > 0 ? range / value : 0;
      out[i + 2] = value;
    }
  }

  /** HSVToRGB of {@code count} samples. */
  static void toRgb(float[] in, int from, float[] out, int count) {
    for (int i = 0; i < count; i += 3) {
      float hue = in[from + i] * 6f;
      float saturation = in[from + i + 1];
      float value = in[from + i + 2];
      float rest = 1f - saturation;
      float r = Math.clamp(Math.abs(hue - 3f) - 1f, 0f, 1f);
      float g = Math.clamp(2f - Math.abs(hue - 2f), 0f, 1f);
      float b = Math.clamp(2f - Math.abs(hue - 4f), 0f, 1f);
      out[i] = (rest + saturation * r) * value;
      out[i + 1] = (rest + saturation * g) * value;
      out[i + 2] = (rest + saturation * b) * value;
    }
  }

  static void toRgb(double[] in, int from, double[] out, int count) {
    for (int i = 0; i < count; i += 3) {
      double hue = in[from + i] * 6d;
      double saturation = in[from + i + 1];
      double value = in[from + i + 2];
      double rest = 1d - saturation;
      double r = Math.clamp(Math.abs(hue - 3d) - 1d, 0d, 1d);
      double g = Math.clamp(2d - Math.abs(hue - 2d), 0d, 1d);
      double b = Math.clamp(2d - Math.abs(hue - 4d), 0d, 1d);
      out[i] = (rest + saturation * r) * value;
      out[i + 1] = (rest + saturation * g) * value;
      out[i + 2] = (rest + saturation * b) * value;
    }
  }
}
