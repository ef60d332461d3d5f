package io.headrace.kernels.sparse;

import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;

/**
 * A tensor as an element of a variant tensor. A serialized sparse tensor consists of three of them.
 *
 * @param tensor the tensor
 */
public record TensorVariant(Tensor tensor) implements Variant {
  /** The type name in TensorFlow's variant registry. */
  private static final String TYPE_NAME = "tensorflow::Tensor";

  @Override
  public VariantTensorDataProto encode() {
    return VariantTensorDataProto.newBuilder()
        .setTypeName(TYPE_NAME)
        .addTensors(TensorProtos.write(tensor))
        .build();
  }

  /** The tensor in variant {@code value}; INVALID_ARGUMENT, naming {@code what}, if it has none. */
  static Tensor of(Object value, String what) {
    return switch (value) {
      case TensorVariant boxed -> boxed.tensor;
      case Encoded(VariantTensorDataProto proto)
          when proto.getTypeName().equals(TYPE_NAME) && proto.getTensorsCount() == 1 ->
          TensorProtos.read(proto.getTensors(0));
      default -> throw StatusException.invalidArgument("Could not get a tensor from %s", what);
    };
  }
}
