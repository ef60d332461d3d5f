package io.headrace.kernels.image.jpeg;

/**
 * The fast inverse DCT: Arai, Agui and Nakajima's algorithm, whose scale factors are part of the
 * quantization table, with constants of 8 bits. "A fast DCT-SQ scheme for images", 1988.
 */
final class FastInverseDct extends InverseDct {
  /** Fractional bits of the scaled table, and of the samples until the end. */
  private static final int SCALE_BITS = 2;

  private static final int TABLE_BITS = 14;

  // Constants with 8 fractional bits, for products whose low 16 bits are dropped.
  private static final int SQRT_2 = 362 << 6;
  private static final int C_1_847 = 473 << 6;
  private static final int MINUS_C_1_613 = -413 << 6;
  private static final int C_1_082 = 277 << 6;

  private final short[] scaled = new short[Zigzag.COEFFICIENTS];
  private final short[] work = new short[Zigzag.COEFFICIENTS];

  FastInverseDct(int[] quantization) {
    for (int i = 0; i < Zigzag.COEFFICIENTS; i++) {
      long scale = Math.round(factor(i >> 3) * factor(i & 7) * (1 << TABLE_BITS));
      int shift = TABLE_BITS - SCALE_BITS;
      scaled[i] = (short) ((quantization[i] * scale + (1 << (shift - 1))) >> shift);
    }
  }

  private static double factor(int k) {
    return k == 0 ? 1 : Math.cos(k * Math.PI / 16) * Math.sqrt(2);
  }

  /** {@code value} times a constant, from 16 bits to 16 bits. */
  private static int times(int value, int constant) {
    return ((short) (value << SCALE_BITS) * constant) >> Short.SIZE;
  }

  @Override
  void transform(short[] block, int at, byte[] out, int to, int stride) {
    for (int column = 0; column < 8; column++) {
      transformColumn(block, at + column, column);
    }
    for (int row = 0; row < 8; row++) {
      transformRow(8 * row, out, to + row * stride);
    }
  }

  private void transformColumn(short[] block, int from, int column) {
    int d0 = block[from] * scaled[column];
    int d1 = block[from + 8] * scaled[column + 8];
    int d2 = block[from + 16] * scaled[column + 16];
    int d3 = block[from + 24] * scaled[column + 24];
    int d4 = block[from + 32] * scaled[column + 32];
    int d5 = block[from + 40] * scaled[column + 40];
    int d6 = block[from + 48] * scaled[column + 48];
    int d7 = block[from + 56] * scaled[column + 56];
    if ((d1 | d2 | d3 | d4 | d5 | d6 | d7) == 0) {
      short dc = (short) d0;
      for (int i = column; i < Zigzag.COEFFICIENTS; i += 8) {
        work[i] = dc;
      }
      return;
    }

    int even13 = d2 + d6;
    int even12 = times(d2 - d6, SQRT_2) - even13;
    int even0 = d0 + d4 + even13;
    int even3 = d0 + d4 - even13;
    int even1 = d0 - d4 + even12;
    int even2 = d0 - d4 - even12;

    int z13 = d5 + d3;
    int z10 = d5 - d3;
    int z11 = d1 + d7;
    int z12 = d1 - d7;
    int odd7 = z11 + z13;
    int z5 = times(z10 + z12, C_1_847);
    int odd6 = times(z10, MINUS_C_1_613) - z10 + z5 - odd7;
    int odd5 = times(z11 - z13, SQRT_2) - odd6;
    int odd4 = times(z12, C_1_082) - z5 + odd5;

    work[column] = (short) (even0 + odd7);
    work[column + 56] = (short) (even0 - odd7);
    work[column + 8] = (short) (even1 + odd6);
    work[column + 48] = (short) (even1 - odd6);
    work[column + 16] = (short) (even2 + odd5);
    work[column + 40] = (short) (even2 - odd5);
    work[column + 32] = (short) (even3 + odd4);
    work[column + 24] = (short) (even3 - odd4);
  }

  private void transformRow(int from, byte[] out, int to) {
    int d0 = work[from];
    int d1 = work[from + 1];
    int d2 = work[from + 2];
    int d3 = work[from + 3];
    int d4 = work[from + 4];
    int d5 = work[from + 5];
    int d6 = work[from + 6];
    int d7 = work[from + 7];

    int even13 = d2 + d6;
    int even12 = times(d2 - d6, SQRT_2) - even13;
    int even0 = d0 + d4 + even13;
    int even3 = d0 + d4 - even13;
    int even1 = d0 - d4 + even12;
    int even2 = d0 - d4 - even12;

    int z13 = d5 + d3;
    int z10 = d5 - d3;
    int z11 = d1 + d7;
    int z12 = d1 - d7;
    int odd7 = z11 + z13;
    int z5 = times(z10 + z12, C_1_847);
    int odd6 = times(z10, MINUS_C_1_613) - z10 + z5 - odd7;
    int odd5 = times(z11 - z13, SQRT_2) - odd6;
    int odd4 = times(z12, C_1_082) - z5 + odd5;

    out[to] = descaled(even0 + odd7);
    out[to + 7] = descaled(even0 - odd7);
    out[to + 1] = descaled(even1 + odd6);
    out[to + 6] = descaled(even1 - odd6);
    out[to + 2] = descaled(even2 + odd5);
    out[to + 5] = descaled(even2 - odd5);
    out[to + 4] = descaled(even3 + odd4);
    out[to + 3] = descaled(even3 - odd4);
  }

  private static byte descaled(int value) {
    return sample((short) value >> (SCALE_BITS + 3));
  }
}
