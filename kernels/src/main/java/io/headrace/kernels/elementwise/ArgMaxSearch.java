package io.headrace.kernels.elementwise;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;

/**
 * The search of ArgMax and ArgMin along a dimension. The first of equal elements wins; NaNs lose to
 * all numbers, and the index is 0 if all elements are NaN.
 */
final class ArgMaxSearch {
  /** A strict order of elements. */
  @FunctionalInterface
  private interface Order {
    /** Whether the element at {@code a} is beyond that at {@code b}; false if either is NaN. */
    boolean isBeyond(int a, int b);
  }

  private ArgMaxSearch() {}

  /**
   * The index of the extreme element along {@code dimension}, for each element of {@code input}'s
   * shape without that dimension.
   *
   * @param output int16, uint16, int32 or int64: the dtype of the returned array
   */
  static Object of(
      Tensor input, int dimension, DataType output, boolean largest, Cancellation cancellation) {
    int length = (int) input.shape().size(dimension);
    int width = input.shape().dropFirst(dimension + 1).elements();
    int outer = input.shape().sub(0, dimension).elements();
    Object positions = output.kind().newArray(outer * width);
    Order ascending = order(input);
    Order order = largest ? ascending : (a, b) -> ascending.isBeyond(b, a);
    for (int o = 0; o < outer; o++) {
      cancellation.check();
      for (int i = 0; i < width; i++) {
        int first = TensorMemory.offset(input) + o * length * width + i;
        set(positions, o * width + i, find(order, isNan(input), first, length, width));
      }
    }
    return positions;
  }

  private static int find(Order order, Order nan, int first, int length, int step) {
    int best = 0;
    for (int k = 1; k < length; k++) {
      int at = first + k * step;
      int known = first + best * step;
      boolean better = order.isBeyond(at, known);
      if (better || (nan.isBeyond(known, known) && !nan.isBeyond(at, at))) {
        best = k;
      }
    }
    return nan.isBeyond(first + best * step, first + best * step) ? 0 : best;
  }

  /** A test of the first argument for NaN; the second is ignored. */
  private static Order isNan(Tensor input) {
    return switch (TensorMemory.array(input)) {
      case float[] a -> (i, _) -> Float.isNaN(a[i]);
      case double[] a -> (i, _) -> Double.isNaN(a[i]);
      case short[] a when input.dtype().isFloating() -> (i, _) -> isNan(input.dtype(), a[i]);
      default -> (_, _) -> false;
    };
  }

  private static boolean isNan(DataType dtype, short bits) {
    return Float.isNaN(toFloat(dtype, bits));
  }

  private static float toFloat(DataType dtype, short bits) {
    return dtype == DataType.FLOAT16
        ? Float.float16ToFloat(bits)
        : Float.intBitsToFloat(bits << 16);
  }

  private static Order order(Tensor input) {
    DataType dtype = input.dtype();
    boolean unsigned = dtype.isUnsigned();
    return switch (TensorMemory.array(input)) {
      case byte[] a when unsigned -> (i, j) -> (a[i] & 0xff) > (a[j] & 0xff);
      case byte[] a -> (i, j) -> a[i] > a[j];
      case short[] a when dtype.isFloating() ->
          (i, j) -> toFloat(dtype, a[i]) > toFloat(dtype, a[j]);
      case short[] a when unsigned -> (i, j) -> (a[i] & 0xffff) > (a[j] & 0xffff);
      case short[] a -> (i, j) -> a[i] > a[j];
      case int[] a when unsigned -> (i, j) -> Integer.compareUnsigned(a[i], a[j]) > 0;
      case int[] a -> (i, j) -> a[i] > a[j];
      case long[] a when unsigned -> (i, j) -> Long.compareUnsigned(a[i], a[j]) > 0;
      case long[] a -> (i, j) -> a[i] > a[j];
      case float[] a -> (i, j) -> a[i] > a[j];
      case double[] a -> (i, j) -> a[i] > a[j];
      default -> throw new IllegalArgumentException("no order over " + dtype);
    };
  }

  private static void set(Object positions, int index, int value) {
    switch (positions) {
      case short[] a -> a[index] = (short) value;
      case int[] a -> a[index] = value;
      case long[] a -> a[index] = value;
      default -> throw new IllegalArgumentException("positions in a " + positions.getClass());
    }
  }
}
