package io.headrace.gpu.ptx;

import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;

/** How far the device's results of math functions may be from the CPU's, which have errors too. */
final class Tolerance {
  private Tolerance() {}

  /** Whether an operation is a call of a function of {@code math.cu} whose results are rounded. */
  static boolean isFunction(ScalarOperation operation, DataType dtype) {
    return switch (operation) {
      case EXP, EXPM1, LOG, LOG1P, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH -> true;
      case ERF, ERFC, LGAMMA, DIGAMMA, ATAN2 -> true;
      case POW -> dtype.isFloating();
      case HYPOT -> dtype == DataType.FLOAT64;
      default -> false;
    };
  }

  /** The units in the last place by which results may differ: the bounds of both sides. */
  static double units(ScalarOperation operation, DataType dtype) {
    if (dtype != DataType.FLOAT64) {
      return 1;
    }
    return switch (operation) {
      case EXP, LOG, LOG1P, SIN, COS, TAN, ASIN, ACOS, ATAN, POW, HYPOT, EXPM1, ATAN2 -> 2;
      case SINH, COSH, TANH -> 3.5;
      case ERF -> 8;
      case ERFC -> 16;
      default -> 16;
    };
  }

  /**
   * The difference of two results in units of the last place of the expected one; infinite where
   * just one is NaN.
   *
   * @param argument the first operand
   */
  static double difference(
      ScalarOperation operation, DataType dtype, double argument, double expected, double actual) {
    if (expected == actual || (Double.isNaN(expected) && Double.isNaN(actual))) {
      return 0;
    }
    double scale = Math.abs(expected);
    double unit =
        switch (dtype) {
          case FLOAT64 -> Math.ulp(scale);
          case FLOAT32 -> Math.ulp((float) scale);
          case FLOAT16 -> Math.max(0x1p-24, Math.ulp((float) scale) * 0x1p13);
          default -> Math.max(0x1p-133, Math.ulp((float) scale) * 0x1p16);
        };
    if (operation == ScalarOperation.LGAMMA || operation == ScalarOperation.DIGAMMA) {
      // Both have zeros, near which terms cancel.
      double terms = argument < 0 ? Math.abs(argument) * Math.log(2 + Math.abs(argument)) : 1;
      double term = operation == ScalarOperation.LGAMMA ? terms : Math.log(3 + Math.abs(argument));
      unit = Math.max(unit, Math.ulp(Math.min(term, Double.MAX_VALUE)));
    }
    double difference = Math.abs(expected - actual) / unit;
    return Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
  }
}
