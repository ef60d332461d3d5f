package io.headrace.runtime.elementwise;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;

/** Converts scalar tensors to constants of expressions. */
public final class ScalarConstants {
  private ScalarConstants() {}

  /** Whether {@code value} is a scalar of a dtype with scalar expressions. */
  public static boolean isScalar(Tensor value) {
    return value.shape().rank() == 0 && Expression.isScalar(value.dtype());
  }

  /** The constant with the element and dtype of {@code value}. */
  public static Expression of(Tensor value) {
    DataType dtype = value.dtype();
    int at = TensorMemory.offset(value);
    return switch (TensorMemory.array(value)) {
      case byte[] a -> Expression.constant(dtype, (long) a[at]);
      case short[] a when dtype == DataType.FLOAT16 ->
          Expression.constant(dtype, (double) Float.float16ToFloat(a[at]));
      case short[] a when dtype == DataType.BFLOAT16 ->
          Expression.constant(dtype, (double) Float.intBitsToFloat(a[at] << 16));
      case short[] a -> Expression.constant(dtype, (long) a[at]);
      case int[] a -> Expression.constant(dtype, (long) a[at]);
      case long[] a -> Expression.constant(dtype, a[at]);
      case float[] a when dtype == DataType.COMPLEX64 ->
          new Expression.Pair(
              Expression.constant(DataType.FLOAT32, (double) a[2 * at]),
              Expression.constant(DataType.FLOAT32, (double) a[2 * at + 1]));
      case double[] a when dtype == DataType.COMPLEX128 ->
          new Expression.Pair(
              Expression.constant(DataType.FLOAT64, a[2 * at]),
              Expression.constant(DataType.FLOAT64, a[2 * at + 1]));
      case float[] a -> Expression.constant(dtype, (double) a[at]);
      case double[] a -> Expression.constant(dtype, a[at]);
      default -> throw new IllegalArgumentException("no constant of " + value);
    };
  }
}
