package io.headrace.kernels.kit;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.tensor.DataType;

/** The lowest and highest value of each real dtype, infinite or finite of floating-point dtypes. */
public final class DataTypeLimits {
  private DataTypeLimits() {}

  /** The lowest value of {@code dtype}. */
  public static Expression.Constant lowest(DataType dtype) {
    return constant(
        dtype,
        Double.NEGATIVE_INFINITY,
        dtype.isUnsigned() ? 0 : Long.MIN_VALUE >> (64 - dtype.byteSize() * 8));
  }

  /** The highest value of {@code dtype}. */
  public static Expression.Constant highest(DataType dtype) {
    int bits = dtype.byteSize() * 8;
    return constant(
        dtype,
        Double.POSITIVE_INFINITY,
        dtype.isUnsigned() ? -1L >>> (64 - bits) : Long.MAX_VALUE >> (64 - bits));
  }

  /** The largest finite value of a floating-point dtype. */
  public static double largestFinite(DataType dtype) {
    return switch (dtype) {
      case FLOAT64 -> Double.MAX_VALUE;
      case FLOAT16 -> 65504;
      case BFLOAT16 -> 0x1.FEp127;
      default -> Float.MAX_VALUE;
    };
  }

  private static Expression.Constant constant(DataType dtype, double floating, long integer) {
    return (Expression.Constant)
        (dtype.isFloating()
            ? Expression.constant(dtype, floating)
            : Expression.constant(dtype, integer));
  }
}
