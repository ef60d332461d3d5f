package io.headrace.fakecuda.machine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Values in arrays of bytes, in the order of the device. */
final class LittleEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  /** The value of 1, 2, 4 or 8 bytes at {@code at}, extended with zeros. */
  static long get(byte[] from, int at, int bytes) {
    return switch (bytes) {
      case 1 -> from[at] & 0xffL;
      case 2 -> (short) SHORT.get(from, at) & 0xffffL;
      case 4 -> (int) INT.get(from, at) & 0xffffffffL;
      case 8 -> (long) LONG.get(from, at);
      default -> throw new AssertionError(bytes);
    };
  }

  /** Sets the value of 1, 2, 4 or 8 bytes at {@code at}. */
  static void set(byte[] to, int at, int bytes, long value) {
    switch (bytes) {
      case 1 -> to[at] = (byte) value;
      case 2 -> SHORT.set(to, at, (short) value);
      case 4 -> INT.set(to, at, (int) value);
      case 8 -> LONG.set(to, at, value);
      default -> throw new AssertionError(bytes);
    }
  }
}
