package io.headrace.kernels.elementwise;

/**
 * The range of a FakeQuant op, nudged so that 0 is a multiple of the scale.
 *
 * @param min lower bound, nudged
 * @param max upper bound, nudged
 * @param scale width of a step
 * @param inverse steps per unit: not always the rounded inverse of the scale
 * @param zero steps from {@code min} to 0
 */
record NudgedRange(float min, float max, float scale, float inverse, float zero) {
  /** Nudges the range from {@code min} to {@code max}. */
  static NudgedRange of(float min, float max, QuantizedSteps steps) {
    if (min == 0 && max == 0) {
      return new NudgedRange(0, 0, 1, 1, 0);
    }
    float count = steps.last() - steps.first();
    float scale = (max - min) / count;
    float inverse = count / (max - min);
    float zeroPoint = steps.first() - min / scale;
    // TensorFlow casts it to 16 bits, which makes 0 of NaN.
    float nearest =
        Float.isNaN(zeroPoint)
            ? 0
            : Math.clamp(roundHalfUp(zeroPoint), steps.first(), steps.last());
    float nudgedMin = (steps.first() - nearest) * scale;
    float nudgedMax = (steps.last() - nearest) * scale;
    float zero = (float) Math.floor(-nudgedMin * inverse + 0.5f);
    return new NudgedRange(nudgedMin, nudgedMax, scale, inverse, zero);
  }

  private static float roundHalfUp(float value) {
    return (float) Math.floor((double) value + 0.5);
  }
}
