package io.headrace.kernels.elementwise;

/**
 * How floats of a range become integers of a quantized dtype. Each step is rounded to float, as in
 * TensorFlow.
 */
final class QuantizationRule {
  /** The largest float that fits into 32 bits. */
  private static final float LARGEST_INT = 0x1.fffffep30f;

  private final float min;
  private final float max;
  private final Step step;

  /** The integer of a float. */
  @FunctionalInterface
  private interface Step {
    int of(float x);
  }

  private QuantizationRule(float min, float max, Step step) {
    this.min = min;
    this.max = max;
    this.step = step;
  }

  /** The lower bound that the range was widened to. */
  float min() {
    return min;
  }

  /** The upper bound that the range was widened to. */
  float max() {
    return max;
  }

  /** The integer for {@code x}; its low bits if the dtype is narrower. */
  int integer(float x) {
    return step.of(x);
  }

  /** MIN_COMBINED: integers count steps from the lower bound. */
  static QuantizationRule combined(QuantizedType type, float min, float max) {
    float scale = (float) (type.steps() / (max - min));
    float zero = type.zero();
    Step step =
        type.dtype().isUnsigned()
            ? x -> truncated((clamped(x, min, max) - min) * scale + 0.5f)
            : x -> truncated(rounded((clamped(x, min, max) - min) * scale - zero));
    return new QuantizationRule(min, max, step);
  }

  /** MIN_FIRST: the lower bound is itself rounded to an integer, to which the others are added. */
  static QuantizationRule minFirst(QuantizedType type, float min, float max) {
    float scale = max == min ? 0 : (float) (type.steps() / (max - min));
    float offset = rounded(min * scale) - type.lowest();
    float lowest = type.lowest();
    float highest = Math.min(type.highest(), LARGEST_INT);
    return new QuantizationRule(
        min,
        max,
        x -> {
          float value = clamped(rounded(x * scale) - offset, lowest, highest);
          return Float.isNaN(value) ? Integer.MIN_VALUE : (int) value;
        });
  }

  /** SCALED: integers are multiples of a scale, and 0 is 0. */
  static QuantizationRule scaled(
      QuantizedType type, float min, float max, boolean narrowRange, boolean toEven) {
    float least = type.lowest(narrowRange);
    float most = type.highest();
    float fromMin = least * min > 0 ? least / min : Float.MAX_VALUE;
    float fromMax = most * max > 0 ? most / max : Float.MAX_VALUE;
    float scale = QuantizeV2Ops.smaller(fromMin, fromMax);
    // TensorFlow's threads flush subnormal numbers.
    float lower = Math.abs(least / scale) < Float.MIN_NORMAL ? 0 : least / scale;
    float upper = most / scale;
    return new QuantizationRule(
        lower,
        upper,
        x -> {
          float value = clamped(x, lower, upper) * scale;
          return truncated(toEven ? (float) Math.rint(value) : rounded(value));
        });
  }

  /** {@code x} between the bounds; NaN stays NaN. */
  private static float clamped(float x, float min, float max) {
    float below = max < x ? max : x;
    return below < min ? min : below;
  }

  /** Rounds halves away from zero. */
  static float rounded(float x) {
    return (float) Math.copySign(Math.floor(Math.abs((double) x) + 0.5), x);
  }

  /** {@code x} without its fraction; the smallest number for what does not fit, as on x86. */
  private static int truncated(float x) {
    return x >= 0x1p31f ? Integer.MIN_VALUE : (int) x;
  }
}
