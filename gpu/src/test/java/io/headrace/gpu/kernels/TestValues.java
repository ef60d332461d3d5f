package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Random;

/** Makes tensors of random elements. */
final class TestValues {
  private final Random random;

  TestValues(long seed) {
    random = new Random(seed);
  }

  /** Random bits, those of NaN among them; for bool 0 and 1. */
  Tensor tensor(DataType dtype, Shape shape) {
    int count = shape.elements();
    Object array = dtype.kind().newArray(count);
    for (int i = 0; i < count; i++) {
      switch (array) {
        case byte[] a ->
            a[i] = (byte) (dtype == DataType.BOOL ? random.nextInt(2) : random.nextInt());
        case short[] a -> a[i] = (short) random.nextInt();
        case int[] a -> a[i] = random.nextInt();
        case long[] a -> a[i] = random.nextLong();
        case float[] a -> a[i] = Float.intBitsToFloat(random.nextInt());
        case double[] a -> a[i] = Double.longBitsToDouble(random.nextLong());
        default -> throw new IllegalArgumentException("elements of " + dtype);
      }
    }
    return Tensor.wrap(dtype, shape, array);
  }

  /** Numbers from {@code low} to {@code high}, of a floating-point or integer dtype. */
  Tensor numbers(DataType dtype, Shape shape, double low, double high) {
    int count = shape.elements();
    Object array = dtype.kind().newArray(count);
    for (int i = 0; i < count; i++) {
      set(array, dtype, i, low + random.nextDouble() * (high - low));
    }
    return Tensor.wrap(dtype, shape, array);
  }

  /** Sets element {@code i} of an array, rounded towards zero. */
  static void set(Object array, DataType dtype, int i, double value) {
    switch (array) {
      case byte[] a -> a[i] = (byte) (long) value;
      case short[] a when dtype == DataType.FLOAT16 -> a[i] = Float.floatToFloat16((float) value);
      case short[] a when dtype == DataType.BFLOAT16 ->
          a[i] = (short) (Float.floatToIntBits((float) value) >> 16);
      case short[] a -> a[i] = (short) (long) value;
      case int[] a -> a[i] = (int) (long) value;
      case long[] a -> a[i] = (long) value;
      case float[] a -> a[i] = (float) value;
      case double[] a -> a[i] = value;
      default -> throw new IllegalArgumentException("elements of " + dtype);
    }
  }

  /** Indices below {@code limit}. */
  Tensor indices(int limit, int count) {
    return Tensor.vector(random.ints(count, 0, limit).toArray());
  }

  /** Element {@code i} of a tensor of floats. */
  static double number(Tensor tensor, int i) {
    int at = TensorMemory.offset(tensor) + i;
    return switch (TensorMemory.array(tensor)) {
      case float[] a -> a[at];
      case double[] a -> a[at];
      case short[] a when tensor.dtype() == DataType.FLOAT16 -> Float.float16ToFloat(a[at]);
      case short[] a -> Float.intBitsToFloat(a[at] << 16);
      default -> throw new IllegalArgumentException("no floats: " + tensor.dtype());
    };
  }

  static Tensor bools(boolean... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) (values[i] ? 1 : 0);
    }
    return Tensor.wrap(DataType.BOOL, Shape.of(values.length), bytes);
  }

  /** A vector of integers as another dtype. */
  static Tensor cast(Tensor integers, DataType dtype) {
    Object array = dtype.kind().newArray(integers.elements());
    for (int i = 0; i < integers.elements(); i++) {
      set(array, dtype, i, (double) integers.integer(i));
    }
    return Tensor.wrap(dtype, integers.shape(), array);
  }
}
