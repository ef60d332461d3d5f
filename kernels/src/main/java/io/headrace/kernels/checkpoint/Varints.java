package io.headrace.kernels.checkpoint;

import java.io.ByteArrayOutputStream;

/** Varints as protocol buffers write them: groups of seven bits, the lowest first. */
final class Varints {
  private Varints() {}

  static void write(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}
