package io.headrace.kernels.checkpoint;

import java.io.ByteArrayOutputStream;

/**
 * Writes values so that the order of the bytes is the order of the values: TensorFlow's and
 * Google's "ordered code" (tensorflow/core/lib/strings/ordered_code.h), in which slices of tensors
 * are named. Used by one thread.
 */
final class OrderedCode {
  /** What a signed number of the most bytes takes. */
  private static final int MAX_SIGNED_BYTES = 10;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** The bytes without leading zeros, big-endian, after a byte that counts them. */
  OrderedCode unsigned(long value) {
    int bytes = (Long.SIZE - Long.numberOfLeadingZeros(value) + 7) / 8;
    out.write(bytes);
    for (int i = bytes - 1; i >= 0; i--) {
      out.write((int) (value >>> (8 * i)));
    }
    return this;
  }

  /** The bytes, 0 as 0 255 and 255 as 255 0, and 0 1 behind the last. */
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
   * In n bytes a number from -2^(7n-1) up to 2^(7n-1), big-endian, whose first n bits after the
   * sign are the opposite of the sign but for the last: they count the bytes.
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
