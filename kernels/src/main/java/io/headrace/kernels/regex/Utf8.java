package io.headrace.kernels.regex;

/**
 * UTF-8 as RE2 decodes it: surrogates are code points like any other; sequences that are longer
 * than they need be, and code points above U+10FFFF, are malformed.
 */
final class Utf8 {
  /** Stands for bytes that are no UTF-8. */
  static final int MALFORMED = -1;

  private Utf8() {}

  /** The code point at {@code at} of {@code bytes}, or {@link #MALFORMED}. */
  static int decode(byte[] bytes, int at) {
    int lead = at < bytes.length ? bytes[at] : MALFORMED;
    if (at >= bytes.length || lead >= 0) {
      return lead;
    }
    int size = Math.max(2, Integer.numberOfLeadingZeros(~(lead << 24)));
    if ((lead & 0xC0) == 0x80 || size > 4 || at + size > bytes.length) {
      return MALFORMED;
    }
    int codePoint = lead & (0x7F >> size);
    for (int i = 1; i < size; i++) {
      if ((bytes[at + i] & 0xC0) != 0x80) {
        return MALFORMED;
      }
      codePoint = codePoint << 6 | (bytes[at + i] & 0x3F);
    }
    return size(codePoint) == size && codePoint <= RuneSet.MAX_RUNE ? codePoint : MALFORMED;
  }

  /** The bytes that {@code codePoint} takes. */
  static int size(int codePoint) {
    return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }

  /** Byte {@code index} of the {@code size} bytes of {@code codePoint}. */
  static int byteOf(int codePoint, int size, int index) {
    int bits = codePoint >>> (6 * (size - 1 - index));
    if (index > 0) {
      return 0x80 | (bits & 0x3F);
    }
    return size == 1 ? bits : (0xF00 >> size & 0xFF) | bits;
  }
}
