package io.headrace.kernels.image.jpeg;

/** The inverse DCT to 2 by 2 samples, for a quarter of the size. */
final class QuarterInverseDct extends InverseDct {
  private static final int CONSTANT_BITS = 13;
  private static final int PASS_1_BITS = 2;

  private static final int C_0_720 = 5906;
  private static final int C_0_850 = 6967;
  private static final int C_1_272 = 10426;
  private static final int C_3_624 = 29692;

  private final int[] quantization;
  private final int[] in = new int[8];
  private final int[] work = new int[2 * 8];

  QuarterInverseDct(int[] quantization) {
    this.quantization = quantization;
  }

  @Override
  void transform(short[] block, int at, byte[] out, int to, int stride) {
    int shift = CONSTANT_BITS - PASS_1_BITS + 2;
    for (int column = 0; column < 8; column++) {
      if (column != 0 && column % 2 == 0) {
        continue;
      }
      for (int i = 0; i < 8; i++) {
        int index = 8 * i + column;
        in[i] = (short) (block[at + index] * quantization[index]);
      }
      int even = in[0] << (CONSTANT_BITS + 2);
      int odd = odd(in[1], in[3], in[5], in[7]);
      work[column] = (even + odd + (1 << (shift - 1))) >> shift;
      work[8 + column] = (even - odd + (1 << (shift - 1))) >> shift;
    }
    shift = CONSTANT_BITS + PASS_1_BITS + 5;
    for (int row = 0; row < 2; row++) {
      int i = 8 * row;
      int even = work[i] << (CONSTANT_BITS + 2);
      int odd =
          odd(
              saturated(work[i + 1]),
              saturated(work[i + 3]),
              saturated(work[i + 5]),
              saturated(work[i + 7]));
      int from = to + row * stride;
      out[from] = sample((even + odd + (1 << (shift - 1))) >> shift);
      out[from + 1] = sample((even - odd + (1 << (shift - 1))) >> shift);
    }
  }

  private static int odd(int d1, int d3, int d5, int d7) {
    return d1 * C_3_624 - d3 * C_1_272 + d5 * C_0_850 - d7 * C_0_720;
  }
}
