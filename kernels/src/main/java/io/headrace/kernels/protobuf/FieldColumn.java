package io.headrace.kernels.protobuf;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;

/** The output of a field: a row for each message. Used by one thread. */
final class FieldColumn {
  private final DataType dtype;
  private final Shape shape;
  private final Object array;

  /** RESOURCE_EXHAUSTED if it passes the bound on a tensor's bytes. */
  FieldColumn(DataType dtype, Shape shape) {
    this.dtype = dtype;
    this.shape = shape;
    this.array = TensorLimit.allocate(dtype, shape);
  }

  /** The values in a row. */
  int width() {
    return (int) shape.size(shape.rank() - 1);
  }

  void put(int index, Object value) {
    switch (array) {
      case float[] floats -> floats[index] = ((Number) value).floatValue();
      case double[] doubles -> doubles[index] = ((Number) value).doubleValue();
      case int[] ints -> ints[index] = ((Number) value).intValue();
      case long[] longs -> longs[index] = ((Number) value).longValue();
      case byte[] bools -> bools[index] = (byte) ((Boolean) value ? 1 : 0);
      case byte[][] strings -> strings[index] = (byte[]) value;
      default -> throw new AssertionError(dtype);
    }
  }

  Tensor tensor() {
    return Tensor.wrap(dtype, shape, array);
  }
}
