package io.headrace.kernels.image.jpeg;

/**
 * The accurate inverse DCT: the algorithm of Loeffler, Ligtenberg and Moschytz with constants of 13
 * bits. "Practical fast 1-D DCT algorithms with 11 multiplications", 1989.
 */
final class AccurateInverseDct extends InverseDct {
  private static final int CONSTANT_BITS = 13;
  private static final int PASS_1_BITS = 2;

  private static final int C_0_298 = 2446;
  private static final int C_0_390 = 3196;
  private static final int C_0_541 = 4433;
  private static final int C_0_765 = 6270;
  private static final int C_0_899 = 7373;
  private static final int C_1_175 = 9633;
  private static final int C_1_501 = 12299;
  private static final int C_1_847 = 15137;
  private static final int C_1_961 = 16069;
  private static final int C_2_053 = 16819;
  private static final int C_2_562 = 20995;
  private static final int C_3_072 = 25172;

  private final int[] quantization;
  private final short[] work = new short[Zigzag.COEFFICIENTS];
  private final int[] values = new int[8];

  AccurateInverseDct(int[] quantization) {
    this.quantization = quantization;
  }

  @Override
  void transform(short[] block, int at, byte[] out, int to, int stride) {
    if (hasOneRow(block, at)) {
      for (int i = 0; i < Zigzag.COEFFICIENTS; i++) {
        work[i] = (short) ((block[at + (i & 7)] * quantization[i & 7]) << PASS_1_BITS);
      }
    } else {
      for (int column = 0; column < 8; column++) {
        for (int i = 0; i < 8; i++) {
          int index = 8 * i + column;
          values[i] = (short) (block[at + index] * quantization[index]);
        }
        transform(CONSTANT_BITS - PASS_1_BITS);
        for (int i = 0; i < 8; i++) {
          work[8 * i + column] = saturated(values[i]);
        }
      }
    }
    for (int row = 0; row < 8; row++) {
      for (int i = 0; i < 8; i++) {
        values[i] = work[8 * row + i];
      }
      transform(CONSTANT_BITS + PASS_1_BITS + 3);
      for (int i = 0; i < 8; i++) {
        out[to + row * stride + i] = sample(values[i]);
      }
    }
  }

  private static boolean hasOneRow(short[] block, int at) {
    for (int i = at + 8; i < at + Zigzag.COEFFICIENTS; i++) {
      if (block[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** Transforms {@link #values}, which then have {@code shift} bits less. */
  private void transform(int shift) {
    int even2 = values[2] * C_0_541 + values[6] * (C_0_541 - C_1_847);
    int even3 = values[2] * (C_0_541 + C_0_765) + values[6] * C_0_541;
    int even0 = (short) (values[0] + values[4]) << CONSTANT_BITS;
    int even1 = (short) (values[0] - values[4]) << CONSTANT_BITS;

    int z3 = (short) (values[7] + values[3]);
    int z4 = (short) (values[5] + values[1]);
    int odd3 = z3 * (C_1_175 - C_1_961) + z4 * C_1_175;
    int odd4 = z3 * C_1_175 + z4 * (C_1_175 - C_0_390);
    int odd7 = values[7] * (C_0_298 - C_0_899) - values[1] * C_0_899 + odd3;
    int odd5 = values[5] * (C_2_053 - C_2_562) - values[3] * C_2_562 + odd4;
    int odd3b = values[3] * (C_3_072 - C_2_562) - values[5] * C_2_562 + odd3;
    int odd1 = values[1] * (C_1_501 - C_0_899) - values[7] * C_0_899 + odd4;

    int round = 1 << (shift - 1);
    values[0] = (even0 + even3 + odd1 + round) >> shift;
    values[7] = (even0 + even3 - odd1 + round) >> shift;
    values[1] = (even1 + even2 + odd3b + round) >> shift;
    values[6] = (even1 + even2 - odd3b + round) >> shift;
    values[2] = (even1 - even2 + odd5 + round) >> shift;
    values[5] = (even1 - even2 - odd5 + round) >> shift;
    values[3] = (even0 - even3 + odd7 + round) >> shift;
    values[4] = (even0 - even3 - odd7 + round) >> shift;
  }
}
