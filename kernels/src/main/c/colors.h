/* Hue and saturation of interleaved RGB pixels: HsvColors.java explains the formulas. Included for each LEVEL. */

/* Turns hues by `delta` full turns, from -1 to 1. */
EXPORT void LEVEL(headrace_adjust_hue)(const float *restrict in, float *restrict out, int64_t pixels, float delta) {
  const float turn = delta * 6;
  for (int64_t i = 0; i < pixels; i++) {
    float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    int rising = r < g;
    int below = rising ? b < r : b < g;
    int above = rising ? b > g : b > r;
    int sextant = rising ? (below ? 1 : above ? 3 : 2) : (below ? 0 : above ? 4 : 5);
    float high = rising ? g : r;
    float low = rising ? r : g;
    float max = below ? high : above ? b : high;
    float min = below ? b : low;
    float mid = below ? low : above ? high : b;
    float range = max - min;
    float ratio = (mid - min) / range;
    int odd = sextant & 1;
    float hue = max != min ? (float)sextant + ((float)odd + (float)(1 - 2 * odd) * ratio) : 0;
    hue = hue + turn;
    /* Infinite ones and those that are no number become 0. */
    hue = hue >= -6 && hue < 12 ? hue : 0;
    hue = hue < 0 ? hue + 6 : hue;
    hue = hue >= 6 ? hue - 6 : hue;
    int whole = (int)hue;
    int turned = whole < 5 ? whole : 5;
    odd = turned & 1;
    ratio = (float)odd + (float)(1 - 2 * odd) * (hue - (float)whole);
    mid = min + ratio * range;
    out[3 * i] = turned == 0 || turned == 5 ? max : turned == 1 || turned == 4 ? mid : min;
    out[3 * i + 1] = turned == 1 || turned == 2 ? max : turned == 0 || turned == 3 ? mid : min;
    out[3 * i + 2] = turned == 3 || turned == 4 ? max : turned == 2 || turned == 5 ? mid : min;
  }
}

/* Multiplies saturations by `scale`. */
EXPORT void LEVEL(headrace_adjust_saturation)(
    const float *restrict in, float *restrict out, int64_t pixels, float scale) {
  for (int64_t i = 0; i < pixels; i++) {
    float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    float higher = g < b ? b : g;
    float value = r < higher ? higher : r;
    float lower = b < g ? b : g;
    lower = lower < r ? lower : r;
    float range = value - lower;
    float saturation = value > 0 ? range / value : 0;
    float norm = 1.0f / (6.0f * range);
    int red = r == value;
    int green = g == value;
    float difference = red ? g - b : green ? b - r : r - g;
    double third = red ? 0 : green ? 2.0 / 6.0 : 4.0 / 6.0;
    float hue = (float)((double)(norm * difference) + third);
    hue = range <= 0 ? 0 : hue;
    hue += hue < 0 ? 1.0f : 0.0f;
    saturation = saturation * scale;
    saturation = 0.0f < saturation ? saturation : 0.0f;
    saturation = saturation < 1.0f ? saturation : 1.0f;
    float chroma = saturation * value;
    float base = value - chroma;
    float turned = hue * 6;
    /* Java's conversion: 0 for what is no number. All that lie outside of the circle are alike. */
    float bounded = turned < 8 ? turned : 8;
    bounded = bounded > -2 ? bounded : -2;
    int sextant = turned == turned ? (int)bounded : 0;
    float phase = turned - (float)(sextant & ~1);
    float second = chroma * (1 - __builtin_fabsf(phase - 1));
    float first = chroma + base;
    second = second + base;
    out[3 * i] = sextant == 0 || sextant == 5 ? first : sextant == 1 || sextant == 4 ? second : base;
    out[3 * i + 1] = sextant == 1 || sextant == 2 ? first : sextant == 0 || sextant == 3 ? second : base;
    out[3 * i + 2] = sextant == 3 || sextant == 4 ? first : sextant == 2 || sextant == 5 ? second : base;
  }
}
