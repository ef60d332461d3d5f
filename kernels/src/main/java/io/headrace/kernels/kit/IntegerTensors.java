package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** Makes tensors of int32 or int64, as the type attr of a node demands. */
public final class IntegerTensors {
  private IntegerTensors() {}

  /** A scalar of {@code type}, int32 or int64. */
  public static Tensor scalar(DataType type, long value) {
    return vector(type, value).reshape(Shape.SCALAR);
  }

  /** A vector of {@code type}, int32 or int64, which may keep {@code values} as its array. */
  public static Tensor vector(DataType type, long... values) {
    return of(type, Shape.of(values.length), values);
  }

  /** A tensor of {@code type}, int32 or int64, which may keep {@code values} as its array. */
  public static Tensor of(DataType type, Shape shape, long[] values) {
    if (type == DataType.INT64) {
      return Tensor.wrap(type, shape, values);
    }
    int[] ints = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      ints[i] = (int) values[i];
    }
    return Tensor.wrap(type, shape, ints);
  }
}
