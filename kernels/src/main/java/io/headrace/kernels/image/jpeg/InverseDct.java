package io.headrace.kernels.image.jpeg;

/**
 * An inverse DCT of an 8 by 8 block to samples. The arithmetic is that of libjpeg-turbo's SIMD
 * code, which keeps intermediate results in 16 bits: where damaged data overflows, its plain code
 * gives other samples.
 *
 * <p>Not thread-safe.
 */
abstract class InverseDct {
  private static final int MAX_SAMPLE = 127;
  private static final int CENTER = 128;

  /**
   * Transforms the coefficients from {@code block[at]} on, in natural order, and writes the samples
   * from {@code out[to]} on, in rows of {@code stride}.
   */
  abstract void transform(short[] block, int at, byte[] out, int to, int stride);

  /** The transform to blocks of {@code size} samples. */
  static InverseDct of(int size, boolean isAccurate, int[] quantization) {
    return switch (size) {
      case 1 -> new PointInverseDct(quantization);
      case 2 -> new QuarterInverseDct(quantization);
      case 4 -> new HalfInverseDct(quantization);
      default ->
          isAccurate ? new AccurateInverseDct(quantization) : new FastInverseDct(quantization);
    };
  }

  static short saturated(int value) {
    return (short) Math.clamp(value, Short.MIN_VALUE, Short.MAX_VALUE);
  }

  /** The sample of a result around 0. */
  static byte sample(int value) {
    return (byte) (Math.clamp(value, -CENTER, MAX_SAMPLE) + CENTER);
  }
}
