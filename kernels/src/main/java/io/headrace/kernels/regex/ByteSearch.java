package io.headrace.kernels.regex;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Finds bytes in a text, eight at a time. */
final class ByteSearch {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  private ByteSearch() {}

  /** The first index of {@code part}, which is not empty, from {@code from} on, or -1. */
  static int indexOf(byte[] text, byte[] part, int from) {
    int at = indexOf(text, part[0], from);
    while (at >= 0 && at <= text.length - part.length) {
      int i = 1;
      while (i < part.length && text[at + i] == part[i]) {
        i++;
      }
      if (i == part.length) {
        return at;
      }
      at = indexOf(text, part[0], at + 1);
    }
    return -1;
  }

  /** The first index of {@code b} from {@code from} on, or -1. */
  static int indexOf(byte[] text, byte b, int from) {
    long pattern = (b & 0xffL) * ONES;
    int at = from;
    for (; at <= text.length - Long.BYTES; at += Long.BYTES) {
      long difference = (long) LONGS.get(text, at) ^ pattern;
      // The lowest set bit marks the first zero byte: borrows only reach bytes above it.
      long zeros = (difference - ONES) & ~difference & HIGHS;
      if (zeros != 0) {
        return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
      }
    }
    for (; at < text.length; at++) {
      if (text[at] == b) {
        return at;
      }
    }
    return -1;
  }
}
