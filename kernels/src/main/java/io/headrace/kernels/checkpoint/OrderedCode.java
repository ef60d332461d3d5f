package io.headrace.kernels.checkpoint;

import java.io.ByteArrayOutputStream;

/**
 * Writes values so that their byte order is their value order: the "ordered code" of
 * tensorflow/core/lib/strings/ordered_code.h, which encodes the keys of tensor slices. Used by one
 * thread.
 */
final class OrderedCode {
  /** The longest encoding of a signed number, in bytes. */
  private static final int MAX_SIGNED_BYTES = 10;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** A byte with the number of significant bytes, then those bytes, big-endian. */
  OrderedCode unsigned(long value) {
    int bytes = (Long.SIZE - Long.numberOfLeadingZeros(value) + 7) / 8;
    out.write(bytes);
    for (int i = bytes - 1; i >= 0; i--) {
      out.write((int) (value >>> (8 * i)));
    }
    return this;
  }

  /** The bytes with 0 escaped as 0 255 and 255 as 255 0, terminated by 0 1. */
  OrderedCode string(byte[] bytes) {
    for (byte b : bytes) {
      out.write(b);
      if (b == 0) {
        out.write(0xff);
      } else if (b == (byte) 0xff) {
        out.write(0);
      }
    }
    out.write(0);
    out.write(1);
    return this;
  }

  /**
   * Encodes a number from -2^(7n-1) to 2^(7n-1) - 1 in n bytes, big-endian. The first n bits give
   * the length in unary: for a number that is not negative, n ones, then the sign bit; for a
   * negative one the complement.
   */
  OrderedCode signed(long value) {
    long magnitude = value < 0 ? ~value : value;
    int bits = Long.SIZE - Long.numberOfLeadingZeros(magnitude);
    int bytes = Math.min(bits / 7 + 1, MAX_SIGNED_BYTES);
    byte[] encoded = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      int shift = 8 * (bytes - 1 - i);
      encoded[i] = (byte) (shift >= Long.SIZE ? value >> (Long.SIZE - 1) : value >> shift);
    }
    for (int bit = 0; bit < bytes; bit++) {
      encoded[bit / 8] ^= (byte) (0x80 >>> (bit % 8));
    }
    out.writeBytes(encoded);
    return this;
  }

  byte[] toByteArray() {
    return out.toByteArray();
  }
}
