package io.headrace.kernels.image;

import io.headrace.kernels.kit.NativeLoops;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * RGB to HSV and back, by the hexcone model (Smith, "Color gamut transform pairs", SIGGRAPH 1978).
 * Each op of TensorFlow evaluates the formulas in an order of its own; the methods here follow it,
 * so that results are equal bit for bit. Arrays hold interleaved pixels of three channels.
 */
final class HsvColors {
  /** Sextants of the hue circle. */
  private static final int SEXTANTS = 6;

  /** The two channels after a channel are at its index and at the next one. */
  private static final byte[] NEXT = {1, 2, 0, 1};

  /** The hues of red, green and blue. */
  private static final double[] THIRDS = {0, 2.0 / 6.0, 4.0 / 6.0};

  /**
   * The sextant of a color on the hue circle, from 0 at red, by how its channels compare ({@link
   * #order}). A table, since branches on the colors of photos can't be predicted.
   */
  private static final byte[] SEXTANT = new byte[32];

  static {
    for (int order = 0; order < SEXTANT.length; order++) {
      boolean rising = (order & 1) != 0;
      boolean below = (order & (rising ? 2 : 8)) != 0;
      boolean above = (order & (rising ? 4 : 16)) != 0;
      SEXTANT[order] = (byte) (rising ? below ? 1 : above ? 3 : 2 : below ? 0 : above ? 4 : 5);
    }
  }

  /** The channels with the largest, the middle and the smallest value in a sextant. */
  private static final byte[] LARGEST = {0, 1, 1, 2, 2, 0};

  private static final byte[] MIDDLE = {1, 0, 2, 1, 0, 2};
  private static final byte[] SMALLEST = {2, 2, 0, 0, 1, 1};

  private static final @Nullable NativeColors NATIVE =
      NativeLoops.find().map(NativeColors::of).orElse(null);

  private HsvColors() {}

  /** AdjustHue: rotates each pixel's hue by {@code delta} full turns. */
  static void adjustHue(float[] in, int from, float[] out, int to, int count, float delta) {
    if (NATIVE != null && NativeColors.isTurn(delta)) {
      NATIVE.adjustHue(in, from, out, to, count, delta);
    } else {
      adjustHueInJava(in, from, out, to, count, delta);
    }
  }

  static void adjustHueInJava(float[] in, int from, float[] out, int to, int count, float delta) {
    for (int i = 0; i < count; i += 3) {
      rotateHue(in, from + i, out, to + i, delta);
    }
  }

  private static void rotateHue(float[] in, int from, float[] out, int to, float delta) {
    int sextant = SEXTANT[order(in[from], in[from + 1], in[from + 2])];
    float max = in[from + LARGEST[sextant]];
    float min = in[from + SMALLEST[sextant]];
    float range = max - min;
    float ratio = (in[from + MIDDLE[sextant]] - min) / range;
    float hue = max != min ? sextant + mirrored(ratio, sextant) : 0;
    hue = wrap(hue + delta * SEXTANTS);
    int whole = (int) hue;
    int turned = Math.min(whole, SEXTANTS - 1);
    ratio = mirrored(hue - whole, turned);
    out[to + LARGEST[turned]] = max;
    out[to + SMALLEST[turned]] = min;
    out[to + MIDDLE[turned]] = min + ratio * range;
  }

  /** A bit each for {@code r < g}, {@code b < r}, {@code b > g}, {@code b < g}, {@code b > r}. */
  private static int order(float r, float g, float b) {
    if (areFinite(r, g, b)) {
      return less(r, g) | less(b, r) << 1 | less(g, b) << 2 | less(b, g) << 3 | less(r, b) << 4;
    }
    return (r < g ? 1 : 0) | (b < r ? 2 : 0) | (b > g ? 4 : 0) | (b < g ? 8 : 0) | (b > r ? 16 : 0);
  }

  private static boolean areFinite(float r, float g, float b) {
    return Math.abs(r) + Math.abs(g) + Math.abs(b) < Float.POSITIVE_INFINITY;
  }

  /** 1 if a finite {@code a} is less than a finite {@code b}, else 0: the sign of a difference. */
  private static int less(float a, float b) {
    // A sum with zero is no negative zero.
    return Float.floatToRawIntBits(a - b + 0f) >>> 31;
  }

  /**
   * The middle channel falls where it rises in the sextant before: {@code 1 - ratio} in odd ones.
   */
  private static float mirrored(float ratio, int sextant) {
    int odd = sextant & 1;
    return odd + (1 - 2 * odd) * ratio;
  }

  /** Wraps a hue, in sextants, into [0, 6). */
  private static float wrap(float hue) {
    float result = hue;
    if (!(hue >= -SEXTANTS && hue < 2 * SEXTANTS)) {
      // Too far for steps of a turn, or no number.
      result = Float.isFinite(hue) ? hue % SEXTANTS : 0;
    }
    result = result < 0 ? result + SEXTANTS : result;
    return result >= SEXTANTS ? result - SEXTANTS : result;
  }

  /** AdjustSaturation: multiplies each pixel's saturation by {@code scale}, clamped to [0, 1]. */
  static void adjustSaturation(float[] in, int from, float[] out, int to, int count, float scale) {
    if (NATIVE != null) {
      NATIVE.adjustSaturation(in, from, out, to, count, scale);
    } else {
      adjustSaturationInJava(in, from, out, to, count, scale);
    }
  }

  static void adjustSaturationInJava(
      float[] in, int from, float[] out, int to, int count, float scale) {
    for (int i = 0; i < count; i += 3) {
      saturate(in, from + i, out, to + i, scale);
    }
  }

  private static void saturate(float[] in, int from, float[] out, int to, float scale) {
    float r = in[from];
    float g = in[from + 1];
    float b = in[from + 2];
    int largest;
    float value;
    float range;
    if (areFinite(r, g, b)) {
      int rises = less(r, g) | less(r, b);
      int falls = less(g, r) | less(b, r);
      largest = rises + (rises & less(g, b));
      value = in[from + largest];
      range = value - in[from + falls + (falls & less(b, g))];
    } else {
      value = max2(r, max2(g, b));
      range = value - min2(r, min2(g, b));
      largest = r == value ? 0 : g == value ? 1 : 2;
    }
    float saturation = value > 0 ? range / value : 0;
    float norm = 1f / (6f * range);
    float difference = in[from + NEXT[largest]] - in[from + NEXT[largest + 1]];
    float hue = (float) (norm * difference + THIRDS[largest]);
    hue = range <= 0 ? 0 : hue;
    hue += Float.floatToRawIntBits(hue) >>> 31; // a negative one by a turn
    saturation = min2(1f, max2(0f, saturation * scale));
    float chroma = saturation * value;
    float base = value - chroma;
    float turned = hue * 6;
    int sextant = (int) turned;
    // The remainder of 2, which is exact.
    float phase = turned - (sextant & ~1);
    float second = chroma * (1 - Math.abs(phase - 1));
    if (sextant >= 0 && sextant < SEXTANTS) {
      out[to + LARGEST[sextant]] = chroma + base;
      out[to + MIDDLE[sextant]] = second + base;
      out[to + SMALLEST[sextant]] = base;
    } else {
      Arrays.fill(out, to, to + 3, base);
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
