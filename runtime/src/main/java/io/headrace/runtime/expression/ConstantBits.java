package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;

/** The representation of constants of each dtype in {@link Expression.Constant}. */
final class ConstantBits {
  private ConstantBits() {}

  /** The bits of {@code value} as a constant of {@code dtype}. */
  static long bits(DataType dtype, double value) {
    checkComputed(dtype);
    return dtype.isFloating()
        ? Double.doubleToRawLongBits(rounded(dtype, value))
        : wrapped(dtype, (long) value);
  }

  /** The bits of {@code value} as a constant of {@code dtype}. */
  static long bits(DataType dtype, long value) {
    checkComputed(dtype);
    return dtype.isFloating() ? bits(dtype, (double) value) : wrapped(dtype, value);
  }

  private static void checkComputed(DataType dtype) {
    if (!Carrier.carries(dtype)) {
      throw new IllegalArgumentException("no constants of " + dtype.tfName());
    }
  }

  private static double rounded(DataType dtype, double value) {
    return switch (dtype) {
      case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BFLOAT16 -> ScalarMath.bfloat16ToFloat(ScalarMath.floatToBfloat16((float) value));
      case FLOAT32 -> (float) value;
      default -> value;
    };
  }

  private static long wrapped(DataType dtype, long value) {
    return switch (dtype) {
      case INT8 -> (byte) value;
      case UINT8 -> value & 0xff;
      case INT16 -> (short) value;
      case UINT16 -> value & 0xffff;
      case INT32, UINT32 -> (int) value;
      case BOOL -> value == 0 ? 0 : 1;
      default -> value;
    };
  }
}
