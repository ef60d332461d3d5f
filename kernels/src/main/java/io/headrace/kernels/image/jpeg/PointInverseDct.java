package io.headrace.kernels.image.jpeg;

/** The inverse DCT to one sample, for an eighth of the size: the mean of the block. */
final class PointInverseDct extends InverseDct {
  /** libjpeg reduces results to 10 bits before it clamps them, so damaged data wraps around. */
  private static final int RESULT_BITS = 10;

  private final short dcQuantization;

  PointInverseDct(int[] quantization) {
    dcQuantization = (short) quantization[0];
  }

  @Override
  void transform(short[] block, int at, byte[] out, int to, int stride) {
    int mean = (block[at] * dcQuantization + 4) >> 3;
    int unused = Integer.SIZE - RESULT_BITS;
    out[to] = sample(mean << unused >> unused);
  }
}
