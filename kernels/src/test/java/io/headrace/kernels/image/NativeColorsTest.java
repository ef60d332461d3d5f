package io.headrace.kernels.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.kit.NativeLoops;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeColorsTest {
  private static final float[] CHANNELS = {
    0f,
    -0f,
    1f,
    0.5f,
    -1f,
    2f,
    255f,
    Float.MIN_VALUE,
    3e-40f,
    1e30f,
    Float.MAX_VALUE,
    Float.NaN,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY
  };

  /** Photos' colors, grays, and all triples of {@link #CHANNELS}. */
  private static float[] colors() {
    Random random = new Random(1);
    int special = CHANNELS.length * CHANNELS.length * CHANNELS.length;
    float[] colors = new float[3 * (special + 20_001)];
    for (int i = 0; i < special; i++) {
      colors[3 * i] = CHANNELS[i % CHANNELS.length];
      colors[3 * i + 1] = CHANNELS[i / CHANNELS.length % CHANNELS.length];
      colors[3 * i + 2] = CHANNELS[i / CHANNELS.length / CHANNELS.length];
    }
    for (int i = 3 * special; i < colors.length; i += 3) {
      boolean isGray = random.nextInt(8) == 0;
      colors[i] = random.nextInt(256) / 255f;
      colors[i + 1] = isGray ? colors[i] : random.nextInt(256) / 255f;
      colors[i + 2] = isGray ? colors[i] : random.nextFloat();
    }
    return colors;
  }

  @ParameterizedTest
  @ValueSource(floats = {0f, -0f, 0.1f, -0.1f, 0.5f, -0.7f, 1f, -1f, 1e-9f})
  void adjustHue(float delta) {
    float[] in = colors();
    float[] expected = new float[in.length];
    HsvColors.adjustHueInJava(in, 0, expected, 0, in.length, delta);
    for (NativeLoops loops : NativeLoops.levels()) {
      float[] out = new float[in.length];
      NativeColors.of(loops).adjustHue(in, 0, out, 0, in.length, delta);
      assertThat(out).as("%s", loops).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(floats = {0f, 0.6f, 1f, 1.4f, 1e9f, -1f, Float.NaN, Float.POSITIVE_INFINITY})
  void adjustSaturation(float scale) {
    float[] in = colors();
    float[] expected = new float[in.length];
    HsvColors.adjustSaturationInJava(in, 0, expected, 0, in.length, scale);
    for (NativeLoops loops : NativeLoops.levels()) {
      float[] out = new float[in.length];
      NativeColors.of(loops).adjustSaturation(in, 0, out, 0, in.length, scale);
      assertThat(out).as("%s", loops).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 6, 27, 3 * 70_000})
  void adjustHue_ofAPartOfAnArray(int count) {
    float[] in = new float[6 + 3 * 70_000];
    Random random = new Random(2);
    for (int i = 0; i < in.length; i++) {
      in[i] = random.nextFloat();
    }
    float[] expected = new float[in.length + 3];
    HsvColors.adjustHueInJava(in, 3, expected, 6, count, 0.2f);
    for (NativeLoops loops : NativeLoops.levels()) {
      float[] out = new float[in.length + 3];
      NativeColors.of(loops).adjustHue(in, 3, out, 6, count, 0.2f);
      assertThat(out).as("%s", loops).isEqualTo(expected);
    }
  }
}
