package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.random.LibcMath;

/** Sampling kernels of ScaleAndTranslate: the weight of a pixel by its distance in pixels. */
enum SamplingKernel {
  /** Lanczos with one lobe. */
  LANCZOS1("lanczos1", 1),
  /** Lanczos with three lobes. */
  LANCZOS3("lanczos3", 3),
  /** Lanczos with five lobes. */
  LANCZOS5("lanczos5", 5),
  /** A Gaussian of standard deviation 0.5, cut off at three standard deviations. */
  GAUSSIAN("gaussian", 1.5f),
  /** 1 within half a pixel, 0.5 at half a pixel. */
  BOX("box", 1),
  /** Linear interpolation: falls to 0 at one pixel. */
  TRIANGLE("triangle", 1),
  /** Cubic convolution after Keys (1981). */
  KEYS_CUBIC("keyscubic", 2),
  /** The cubic of Mitchell and Netravali, "Reconstruction filters in computer graphics" (1988). */
  MITCHELL_CUBIC("mitchellcubic", 2);

  private static final float PI = (float) Math.PI;
  private static final double SIGMA = 0.5;

  private final String text;
  private final float radius;

  SamplingKernel(String text, float radius) {
    this.text = text;
    this.radius = radius;
  }

  /** The kernel for a value of the attr {@code kernel_type}; INVALID_ARGUMENT if unknown. */
  static SamplingKernel ofText(String text) {
    for (SamplingKernel kernel : values()) {
      if (kernel.text.equals(text)) {
        return kernel;
      }
    }
    throw invalidArgument("Unrecognized kernel type: %s", text);
  }

  /** The distance beyond which weights are 0. */
  float radius() {
    return radius;
  }

  /** The weight at distance {@code x}, which is not negative. */
  float weight(float x) {
    return switch (this) {
      case LANCZOS1, LANCZOS3, LANCZOS5 -> lanczos(x);
      case GAUSSIAN -> x >= radius ? 0 : (float) Math.exp(-x * x / (2 * SIGMA * SIGMA));
      case BOX -> x < 0.5f ? 1f : x == 0.5f ? 0.5f : 0f;
      case TRIANGLE -> x < 1f ? 1f - x : 0f;
      case KEYS_CUBIC -> keys(x);
      case MITCHELL_CUBIC -> mitchell(x);
    };
  }

  private float lanczos(float x) {
    if (x > radius) {
      return 0;
    }
    return x <= 1e-3
        ? 1
        : radius * LibcMath.sin(PI * x) * LibcMath.sin(PI * x / radius) / (PI * PI * x * x);
  }

  private static float keys(float x) {
    if (x >= 2) {
      return 0;
    }
    return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4f) * x + 2f : ((1.5f * x - 2.5f) * x) * x + 1f;
  }

  private static float mitchell(float x) {
    if (x >= 2) {
      return 0;
    }
    return x >= 1
        ? ((-7f / 18f * x + 2f) * x - 10f / 3f) * x + 16f / 9f
        : ((7f / 6f * x - 2f) * x) * x + 8f / 9f;
  }
}
