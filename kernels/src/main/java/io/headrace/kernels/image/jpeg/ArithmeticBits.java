package io.headrace.kernels.image.jpeg;

/**
 * The adaptive binary arithmetic decoder of ITU-T T.81 annex D. A context is a byte: the index of
 * its probability estimate, and in the highest bit the more probable symbol.
 */
final class ArithmeticBits {
  /** The index of the estimate that stays at one half. */
  static final byte EVEN = 113;

  private static final int HALF = 0x8000;
  private static final int SYMBOL = 0x80;

  /** By index: the probability of the less probable symbol, ITU-T T.81 table D.3. */
  private static final short[] PROBABILITY = {
    0x5a1d, 0x2586, 0x1114, 0x080b, 0x03d8, 0x01da, 0x00e5, 0x006f, 0x0036, 0x001a, 0x000d, 0x0006,
    0x0003, 0x0001, 0x5a7f, 0x3f25, 0x2cf2, 0x207c, 0x17b9, 0x1182, 0x0cef, 0x09a1, 0x072f, 0x055c,
    0x0406, 0x0303, 0x0240, 0x01b1, 0x0144, 0x00f5, 0x00b7, 0x008a, 0x0068, 0x004e, 0x003b, 0x002c,
    0x5ae1, 0x484c, 0x3a0d, 0x2ef1, 0x261f, 0x1f33, 0x19a8, 0x1518, 0x1177, 0x0e74, 0x0bfb, 0x09f8,
    0x0861, 0x0706, 0x05cd, 0x04de, 0x040f, 0x0363, 0x02d4, 0x025c, 0x01f8, 0x01a4, 0x0160, 0x0125,
    0x00f6, 0x00cb, 0x00ab, 0x008f, 0x5b12, 0x4d04, 0x412c, 0x37d8, 0x2fe8, 0x293c, 0x2379, 0x1edf,
    0x1aa9, 0x174e, 0x1424, 0x119c, 0x0f6b, 0x0d51, 0x0bb6, 0x0a40, 0x5832, 0x4d1c, 0x438e, 0x3bdd,
    0x34ee, 0x2eae, 0x299a, 0x2516, 0x5570, 0x4ca9, 0x44d9, 0x3e22, 0x3824, 0x32b4, 0x2e17, 0x56a8,
    0x4f46, 0x47e5, 0x41cf, 0x3c3d, 0x375e, 0x5231, 0x4c0f, 0x4639, 0x415e, 0x5627, 0x50e7, 0x4b85,
    0x5597, 0x504f, 0x5a10, 0x5522, 0x59eb, 0x5a1d
  };

  /** By index: the next index after a less probable symbol. */
  private static final byte[] AFTER_LESS = {
    1, 14, 16, 18, 20, 23, 25, 28, 30, 33, 35, 9, 10, 12, 15, 36, 38, 39, 40, 42, 43, 45, 46, 48,
    49, 51, 52, 54, 56, 57, 59, 60, 62, 63, 32, 33, 37, 64, 65, 67, 68, 69, 70, 72, 73, 74, 75, 77,
    78, 79, 48, 50, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 61, 65, 80, 81, 82, 83, 84, 86, 87,
    87, 72, 72, 74, 74, 75, 77, 77, 80, 88, 89, 90, 91, 92, 93, 86, 88, 95, 96, 97, 99, 99, 93, 95,
    101, 102, 103, 104, 99, 105, 106, 107, 103, 105, 108, 109, 110, 111, 110, 112, 112, 113
  };

  /** By index: the next index after a more probable symbol. */
  private static final byte[] AFTER_MORE = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 29, 30, 31, 32, 33, 34, 35, 9, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
    51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 32, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74,
    75, 76, 77, 78, 79, 48, 81, 82, 83, 84, 85, 86, 87, 71, 89, 90, 91, 92, 93, 94, 86, 96, 97, 98,
    99, 100, 93, 102, 103, 104, 99, 106, 107, 103, 109, 107, 111, 109, 111, 113
  };

  /** The indices at which a less probable symbol exchanges the symbols. */
  private static final long[] EXCHANGES = bits(0, 14, 36, 64, 80, 88, 95, 105, 110, 112);

  private final MarkerReader markers;
  private final JpegInput input;

  /** The code register: the base of the interval, and below it {@link #spareBits} unused bits. */
  private int code;

  /** The size of the interval; 0 before the first bytes are read. */
  private int interval;

  private int spareBits;

  ArithmeticBits(MarkerReader markers) {
    this.markers = markers;
    this.input = markers.input();
  }

  private static long[] bits(int... indices) {
    long[] set = new long[2];
    for (int index : indices) {
      set[index >> 6] |= 1L << index;
    }
    return set;
  }

  void start() {
    code = 0;
    interval = 0;
    spareBits = -16;
  }

  /** Decodes a binary decision in context {@code contexts[at]}, and adapts the context. */
  int decide(byte[] contexts, int at) throws JpegException {
    while (interval < HALF) {
      renormalize();
    }
    int context = contexts[at];
    int index = context & (SYMBOL - 1);
    int more = context & SYMBOL;
    int less = PROBABILITY[index];
    interval -= less;
    boolean isUpper = code >= interval << spareBits;
    if (isUpper) {
      code -= interval << spareBits;
    } else if (interval >= HALF) {
      return more >> 7;
    }
    // The larger part of the interval stands for the more probable symbol.
    boolean isMore = isUpper == interval < less;
    if (isUpper) {
      interval = less;
    }
    if (isMore) {
      contexts[at] = (byte) (more | AFTER_MORE[index]);
      return more >> 7;
    }
    boolean exchanges = (EXCHANGES[index >> 6] >> index & 1) != 0;
    contexts[at] = (byte) ((exchanges ? more ^ SYMBOL : more) | AFTER_LESS[index]);
    return (more ^ SYMBOL) >> 7;
  }

  private void renormalize() throws JpegException {
    spareBits--;
    if (spareBits < 0) {
      code = code << Byte.SIZE | nextByte();
      spareBits += Byte.SIZE;
      if (spareBits < 0) {
        spareBits++;
        if (spareBits == 0) {
          interval = HALF;
        }
      }
    }
    interval <<= 1;
  }

  /** The next byte of the data; zeros after a marker. */
  private int nextByte() throws JpegException {
    if (markers.unreadMarker() != 0) {
      return 0;
    }
    int next = read();
    if (next == 0xff) {
      do {
        next = read();
      } while (next == 0xff);
      if (next != 0) {
        markers.unreadMarker(next);
        return 0;
      }
      next = 0xff;
    }
    return next;
  }

  private int read() throws JpegException {
    int next = input.read();
    input.mark();
    return next;
  }
}
