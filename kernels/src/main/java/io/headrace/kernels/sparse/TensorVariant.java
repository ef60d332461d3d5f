package io.headrace.kernels.sparse;

import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.tensor.Variant;

/**
 * A tensor as the value of an element of a variant tensor, as serialized sparse tensors hold three.
 *
 * @param tensor the tensor
 */
public record TensorVariant(Tensor tensor) implements Variant {
  /** The name under which TensorFlow registered it. */
  private static final String TYPE_NAME = "tensorflow::Tensor";

  @Override
  public VariantTensorDataProto encode() {
    return VariantTensorDataProto.newBuilder()
        .setTypeName(TYPE_NAME)
        .addTensors(TensorProtos.write(tensor))
        .build();
  }

  /** The tensor that {@code value} is; INVALID_ARGUMENT, saying {@code what} it is, if none. */
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
