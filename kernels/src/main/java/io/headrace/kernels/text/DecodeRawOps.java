package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * DecodeRaw and DecodePaddedRaw: the bytes of strings as numbers of a dtype and byte order, in a
 * new last dimension.
 */
final class DecodeRawOps {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  private DecodeRawOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeRaw(bytes: string) -> output: out_type")
            .attrs(
                "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64,"
                    + " complex64, complex128, bool, bfloat16}",
                "little_endian: bool = true")
            .shape(inputs -> List.of(appended(inputs.shape(0), Shape.UNKNOWN_DIMENSION)))
            .kernel(node -> {
              DataType dtype = node.attrs().type("out_type");
              ByteOrder order = order(node);
              return new PerElement(input -> decode(input, dtype, order));
            }),
        Op.define("DecodePaddedRaw(input_bytes: string, fixed_length: int32) -> output: out_type")
            .attrs(
                "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64,"
                    + " bfloat16}",
                "little_endian: bool = true")
            .shape(DecodeRawOps::inferPadded)
            .kernel(node -> {
              DataType dtype = node.attrs().type("out_type");
              ByteOrder order = order(node);
              return call ->
                  call.setOutput(0, decodePadded(call.input(0), call.input(1), dtype, order));
            }));
  }

  private static ByteOrder order(NodeSpec node) {
    return node.attrs().bool("little_endian") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
  }

  private static Shape appended(Shape shape, long size) {
    if (shape.isUnknownRank()) {
      return shape;
    }
    long[] sizes = Arrays.copyOf(shape.dimensions(), shape.rank() + 1);
    sizes[shape.rank()] = size;
    return Shape.of(sizes);
  }

  private static List<Shape> inferPadded(ShapeFunction.Inputs inputs) {
    Tensor length = inputs.constant(1);
    int bytes = inputs.attrs().type("out_type").byteSize();
    long width = length == null ? Shape.UNKNOWN_DIMENSION : wholeLength(length, bytes) / bytes;
    return List.of(appended(inputs.shape(0), width));
  }

  private static Tensor decode(Tensor input, DataType dtype, ByteOrder order) {
    int size = input.elements() == 0 ? 0 : input.string(0).length;
    for (int i = 0; i < input.elements(); i++) {
      if (input.string(i).length != size) {
        throw StatusException.invalidArgument(
            "DecodeRaw requires input strings to all be the same size, but element %d has size %d"
                + " != %d",
            i, size, input.string(i).length);
      }
    }
    if (size % dtype.byteSize() != 0) {
      throw StatusException.invalidArgument(
          "Input to DecodeRaw has length %d that is not a multiple of %d, the size of %s",
          size, dtype.byteSize(), dtype.tfName());
    }
    Shape shape = appended(input.shape(), size / dtype.byteSize());
    Object array = TensorLimit.allocateUnset(dtype, shape);
    int slots = size / dtype.byteSize() * dtype.kind().slots();
    for (int i = 0; i < input.elements(); i++) {
      copy(MemorySegment.ofArray(input.string(i)), order, array, i * slots, slots);
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private static Tensor decodePadded(Tensor input, Tensor length, DataType dtype, ByteOrder order) {
    int size = checkedLength(length, dtype.byteSize());
    Shape shape = appended(input.shape(), size / dtype.byteSize());
    Object array = TensorLimit.allocateUnset(dtype, shape);
    int slots = size / dtype.byteSize();
    byte[] padded = input.elements() == 0 ? ByteStrings.EMPTY : new byte[size];
    for (int i = 0; i < input.elements(); i++) {
      byte[] bytes = input.string(i);
      int copied = Math.min(size, bytes.length);
      System.arraycopy(bytes, 0, padded, 0, copied);
      Arrays.fill(padded, copied, size, (byte) 0);
      copy(MemorySegment.ofArray(padded), order, array, i * slots, slots);
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private static int checkedLength(Tensor length, int bytes) {
    long size = wholeLength(length, bytes);
    if (size <= 0) {
      throw StatusException.invalidArgument("fixed_length (%d) must be greater than zero.", size);
    }
    return (int) size;
  }

  private static long wholeLength(Tensor length, int bytes) {
    if (length.shape().rank() != 0) {
      throw StatusException.invalidArgument("k must be scalar, got shape %s", length.shape());
    }
    long size = length.integer(0);
    if (size % bytes != 0) {
      throw StatusException.invalidArgument(
          "fixed_length (%d) must be a multiple of the size of out_type (%d)", size, bytes);
    }
    return size;
  }

  private static void copy(MemorySegment from, ByteOrder order, Object array, int at, int slots) {
    switch (array) {
      case byte[] a -> MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, a, at, slots);
      case short[] a -> MemorySegment.copy(from, SHORT.withOrder(order), 0, a, at, slots);
      case int[] a -> MemorySegment.copy(from, INT.withOrder(order), 0, a, at, slots);
      case long[] a -> MemorySegment.copy(from, LONG.withOrder(order), 0, a, at, slots);
      case float[] a -> MemorySegment.copy(from, FLOAT.withOrder(order), 0, a, at, slots);
      case double[] a -> MemorySegment.copy(from, DOUBLE.withOrder(order), 0, a, at, slots);
      default -> throw new AssertionError(array.getClass());
    }
  }
}
