package io.headrace.runtime.tensor;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.status.StatusException;

/**
 * Reads and writes TensorProto in all its forms: {@code tensor_content}, and the {@code *_val}
 * lists whose last value stands for all that follow.
 */
public final class TensorProtos {
  private TensorProtos() {}

  /** The shape, where a size of -1 is an unknown dimension. */
  public static Shape shape(TensorShapeProto proto) {
    if (proto.getUnknownRank()) {
      return Shape.UNKNOWN;
    }
    long[] dimensions = new long[proto.getDimCount()];
    for (int i = 0; i < dimensions.length; i++) {
      dimensions[i] = proto.getDim(i).getSize();
    }
    return Shape.of(dimensions);
  }

  /** The shape as a message. */
  public static TensorShapeProto shape(Shape shape) {
    TensorShapeProto.Builder proto = TensorShapeProto.newBuilder();
    if (shape.isUnknownRank()) {
      return proto.setUnknownRank(true).build();
    }
    for (int i = 0; i < shape.rank(); i++) {
      proto.addDimBuilder().setSize(shape.size(i));
    }
    return proto.build();
  }

  /**
   * The tensor that {@code proto} describes. INVALID_ARGUMENT if its size does not match its shape,
   * RESOURCE_EXHAUSTED if it is too large for one array; both before anything is allocated.
   */
  public static Tensor read(TensorProto proto) {
    DataType dtype = DataType.ofNumber(proto.getDtypeValue());
    Shape shape = shape(proto.getTensorShape());
    if (!shape.isKnown()) {
      throw StatusException.invalidArgument("a tensor's shape must be known, and is %s", shape);
    }
    shape.elements();
    if (!proto.getTensorContent().isEmpty()) {
      return TensorContent.read(dtype, shape, proto.getTensorContent());
    }
    return TensorValueLists.read(dtype, shape, proto);
  }

  /** {@code tensor} in the {@code tensor_content} form, as services send it. */
  public static TensorProto write(Tensor tensor) {
    return TensorProto.newBuilder()
        .setDtypeValue(tensor.dtype().number())
        .setTensorShape(shape(tensor.shape()))
        .setTensorContent(TensorContent.write(tensor))
        .build();
  }

  /** {@code tensor} with its elements in the {@code *_val} lists, one by one. */
  public static TensorProto writeValues(Tensor tensor) {
    TensorProto.Builder proto =
        TensorProto.newBuilder()
            .setDtypeValue(tensor.dtype().number())
            .setTensorShape(shape(tensor.shape()));
    TensorValueLists.write(tensor, proto);
    return proto.build();
  }

  static ByteString wrap(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }
}
