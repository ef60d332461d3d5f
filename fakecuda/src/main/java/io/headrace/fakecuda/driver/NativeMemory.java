package io.headrace.fakecuda.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The memory of the process at the addresses that a caller of the driver passes. */
final class NativeMemory {
  private NativeMemory() {}

  @SuppressWarnings("restricted") // the caller of a C function vouches for its pointers
  private static MemorySegment at(long address, long bytes) {
    if (address == 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  static void setInt(long address, int value) {
    at(address, 4).set(JAVA_INT_UNALIGNED, 0, value);
  }

  static void setLong(long address, long value) {
    at(address, 8).set(JAVA_LONG_UNALIGNED, 0, value);
  }

  static void setFloat(long address, float value) {
    at(address, 4).set(JAVA_FLOAT.withByteAlignment(1), 0, value);
  }

  static int getInt(long address) {
    return at(address, 4).get(JAVA_INT_UNALIGNED, 0);
  }

  static long getLong(long address) {
    return at(address, 8).get(JAVA_LONG_UNALIGNED, 0);
  }

  /** Writes text with its 0, cut to {@code length} bytes. */
  static void setText(long address, int length, String text) {
    if (length < 1) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(address, Arrays.copyOf(Arrays.copyOf(bytes, Math.min(bytes.length, length - 1)), length));
  }

  static String text(long address) {
    return at(address, Integer.MAX_VALUE).getString(0);
  }

  static byte[] read(long address, long bytes) {
    return at(address, bytes).toArray(JAVA_BYTE);
  }

  static void write(long address, byte[] bytes) {
    MemorySegment.copy(bytes, 0, at(address, bytes.length), JAVA_BYTE, 0, bytes.length);
  }
}
