package io.headrace.kernels.kit;

import static io.headrace.runtime.tensor.DataType.FLOAT16;
import static io.headrace.runtime.tensor.DataType.INT8;
import static io.headrace.runtime.tensor.DataType.QINT8;

import io.headrace.runtime.tensor.DataType;

/**
 * Reads and writes single elements of tensor arrays as Java numbers, for all real dtypes and bool.
 * Hot loops specialize on the array type instead.
 */
public final class NumericElements {
  private NumericElements() {}

  /** Element {@code i} of an integer or quantized dtype or bool; uint64 is returned as its bits. */
  public static long integer(DataType dtype, Object array, int i) {
    return switch (array) {
      case byte[] a -> dtype == INT8 || dtype == QINT8 ? a[i] : a[i] & 0xff;
      case short[] a -> dtype.isUnsigned() ? a[i] & 0xffff : a[i];
      case int[] a -> dtype.isUnsigned() ? a[i] & 0xffffffffL : a[i];
      case long[] a -> a[i];
      default -> throw new AssertionError(array.getClass());
    };
  }

  /**
   * Sets element {@code i} of an integer or quantized dtype or bool to the low bits of {@code
   * value}.
   */
  public static void setInteger(Object array, int i, long value) {
    switch (array) {
      case byte[] a -> a[i] = (byte) value;
      case short[] a -> a[i] = (short) value;
      case int[] a -> a[i] = (int) value;
      case long[] a -> a[i] = value;
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** Element {@code i} of a floating-point dtype. */
  public static double floating(DataType dtype, Object array, int i) {
    return switch (array) {
      case float[] a -> a[i];
      case double[] a -> a[i];
      case short[] a -> half(dtype, a[i]);
      default -> throw new AssertionError(array.getClass());
    };
  }

  /** Sets element {@code i} of a floating-point dtype to {@code value}, rounded to even. */
  public static void setFloating(DataType dtype, Object array, int i, double value) {
    switch (array) {
      case float[] a -> a[i] = (float) value;
      case double[] a -> a[i] = value;
      case short[] a -> a[i] = toHalf(dtype, (float) value);
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** Element {@code i} of any real dtype as a double; 64-bit integers may be rounded. */
  public static double real(DataType dtype, Object array, int i) {
    if (dtype.isFloating()) {
      return floating(dtype, array, i);
    }
    long value = integer(dtype, array, i);
    return dtype == DataType.UINT64 && value < 0
        ? (value >>> 1) * 2.0 + (value & 1)
        : (double) value;
  }

  /** The value of the float16 or bfloat16 {@code bits}. */
  public static float half(DataType dtype, short bits) {
    return dtype == FLOAT16 ? Float.float16ToFloat(bits) : Float.intBitsToFloat(bits << 16);
  }

  /** The bits of {@code value} rounded to float16 or bfloat16, ties to even. */
  public static short toHalf(DataType dtype, float value) {
    if (dtype == FLOAT16) {
      return Float.floatToFloat16(value);
    }
    int bits = Float.floatToRawIntBits(value);
    return Float.isNaN(value)
        ? (short) ((bits >>> 16) | 0x40)
        : (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }
}
