package io.headrace.kernels.image.jpeg;

/** The inverse DCT to 4 by 4 samples, for half the size. The block's middle row and column drop. */
final class HalfInverseDct extends InverseDct {
  private static final int CONSTANT_BITS = 13;
  private static final int PASS_1_BITS = 2;

  private static final int C_0_211 = 1730;
  private static final int C_0_509 = 4176;
  private static final int C_0_601 = 4926;
  private static final int C_0_765 = 6270;
  private static final int C_0_899 = 7373;
  private static final int C_1_061 = 8697;
  private static final int C_1_451 = 11893;
  private static final int C_1_847 = 15137;
  private static final int C_2_172 = 17799;
  private static final int C_2_562 = 20995;

  private final int[] quantization;
  private final short[] work = new short[4 * 8];
  private final int[] in = new int[8];
  private final int[] result = new int[4];

  HalfInverseDct(int[] quantization) {
    this.quantization = quantization;
  }

  @Override
  void transform(short[] block, int at, byte[] out, int to, int stride) {
    if (hasOneRow(block, at)) {
      for (int i = 0; i < work.length; i++) {
        work[i] = (short) ((block[at + (i & 7)] * quantization[i & 7]) << PASS_1_BITS);
      }
    } else {
      for (int column = 0; column < 8; column++) {
        for (int i = 0; i < 8; i++) {
          int index = 8 * i + column;
          in[i] = (short) (block[at + index] * quantization[index]);
        }
        transform(CONSTANT_BITS - PASS_1_BITS + 1);
        for (int i = 0; i < 4; i++) {
          work[8 * i + column] = saturated(result[i]);
        }
      }
    }
    for (int row = 0; row < 4; row++) {
      for (int i = 0; i < 8; i++) {
        in[i] = work[8 * row + i];
      }
      transform(CONSTANT_BITS + PASS_1_BITS + 4);
      for (int i = 0; i < 4; i++) {
        out[to + row * stride + i] = sample(result[i]);
      }
    }
  }

  /** Whether only the first row, and the fifth, which drops, have coefficients. */
  private static boolean hasOneRow(short[] block, int at) {
    for (int i = 8; i < Zigzag.COEFFICIENTS; i++) {
      if (block[at + i] != 0 && i >> 3 != 4) {
        return false;
      }
    }
    return true;
  }

  private void transform(int shift) {
    int even0 = in[0] << (CONSTANT_BITS + 1);
    int even2 = in[2] * C_1_847 - in[6] * C_0_765;
    int odd0 = in[1] * C_1_061 - in[3] * C_2_172 + in[5] * C_1_451 - in[7] * C_0_211;
    int odd2 = in[1] * C_2_562 + in[3] * C_0_899 - in[5] * C_0_601 - in[7] * C_0_509;
    int round = 1 << (shift - 1);
    result[0] = (even0 + even2 + odd2 + round) >> shift;
    result[3] = (even0 + even2 - odd2 + round) >> shift;
    result[1] = (even0 - even2 + odd0 + round) >> shift;
    result[2] = (even0 - even2 - odd0 + round) >> shift;
  }
}
