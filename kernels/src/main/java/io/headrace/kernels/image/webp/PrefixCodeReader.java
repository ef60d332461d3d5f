package io.headrace.kernels.image.webp;

import java.util.Arrays;

/** Reads the prefix codes of a lossless image. Used by one thread. */
final class PrefixCodeReader {
  /** The order in which the lengths of the code of lengths are written. */
  private static final int[] ORDER = {
    17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  };

  private static final int FIRST_REPEAT = 16;
  private static final int[] REPEAT_BITS = {2, 3, 7};
  private static final int[] LEAST_REPEATS = {3, 3, 11};
  private static final int FIRST_LENGTH = 8;

  private final LosslessBits bits;
  private final int[] lengths;

  /** Of alphabets of at most {@code largest} symbols, which is at least 256. */
  PrefixCodeReader(LosslessBits bits, int largest) {
    this.bits = bits;
    this.lengths = new int[largest];
  }

  PrefixCode read(int symbols) throws WebpException {
    Arrays.fill(lengths, 0);
    if (bits.read(1) == 1) {
      boolean hasTwo = bits.read(1) == 1;
      lengths[bits.read(bits.read(1) == 0 ? 1 : 8)] = 1;
      if (hasTwo) {
        lengths[bits.read(8)] = 1;
      }
    } else {
      readLengths(symbols);
    }
    if (bits.isPastEnd()) {
      throw new WebpException("its prefix codes are cut off");
    }
    return PrefixCode.of(lengths, symbols);
  }

  private void readLengths(int symbols) throws WebpException {
    int[] lengthsOfLengths = new int[ORDER.length];
    int given = 4 + bits.read(4);
    for (int i = 0; i < given; i++) {
      lengthsOfLengths[ORDER[i]] = bits.read(3);
    }
    PrefixCode code = PrefixCode.of(lengthsOfLengths, ORDER.length);
    int left = symbols;
    if (bits.read(1) == 1) {
      left = 2 + bits.read(2 + 2 * bits.read(3));
      if (left > symbols) {
        throw new WebpException("a prefix code has too many symbols");
      }
    }
    int symbol = 0;
    int last = FIRST_LENGTH;
    for (; symbol < symbols && left > 0; left--) {
      int length = bits.symbol(code);
      if (length < FIRST_REPEAT) {
        lengths[symbol++] = length;
        last = length == 0 ? last : length;
      } else {
        int kind = length - FIRST_REPEAT;
        int end = symbol + LEAST_REPEATS[kind] + bits.read(REPEAT_BITS[kind]);
        if (end > symbols) {
          throw new WebpException("a prefix code has too many symbols");
        }
        Arrays.fill(lengths, symbol, end, kind == 0 ? last : 0);
        symbol = end;
      }
    }
  }
}
