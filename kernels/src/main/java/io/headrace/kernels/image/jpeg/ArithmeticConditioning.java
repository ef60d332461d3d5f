package io.headrace.kernels.image.jpeg;

import java.util.Arrays;

/** Conditioning of arithmetic coding, ITU-T T.81 B.2.4.3, with its defaults. */
final class ArithmeticConditioning {
  static final int TABLES = 16;
  private static final int DEFAULT_AC = 5;

  private final int[] dcLower = new int[TABLES];
  private final int[] dcUpper = new int[TABLES];
  private final int[] ac = new int[TABLES];

  ArithmeticConditioning() {
    Arrays.fill(dcUpper, 1);
    Arrays.fill(ac, DEFAULT_AC);
  }

  /** Sets a table: {@code index} counts those of DC before those of AC. */
  void set(int index, int value) throws JpegException {
    if (index >= 2 * TABLES) {
      throw new JpegException("an arithmetic coding table has a wrong index");
    }
    if (index >= TABLES) {
      ac[index - TABLES] = value;
      return;
    }
    dcLower[index] = value & 15;
    dcUpper[index] = value >> 4;
    if (dcLower[index] > dcUpper[index]) {
      throw new JpegException("arithmetic coding bounds are out of order");
    }
  }

  /** The context after a DC difference whose magnitude category is {@code magnitude}. */
  int dcContext(int table, int magnitude, int sign) {
    if (magnitude < (1 << dcLower[table]) >> 1) {
      return 0;
    }
    return (magnitude > (1 << dcUpper[table]) >> 1 ? 12 : 4) + 4 * sign;
  }

  /** The last zigzag index of an AC coefficient of low frequency. */
  int lastLowFrequency(int table) {
    return ac[table];
  }
}
