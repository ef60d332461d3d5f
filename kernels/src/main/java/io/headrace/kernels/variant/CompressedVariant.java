package io.headrace.kernels.variant;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.CompressedElement;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Variant;

/**
 * A compressed element as the value of a variant tensor: the output of CompressElement.
 *
 * @param element the element
 */
public record CompressedVariant(CompressedElement element) implements Variant {
  /** TensorFlow's registered type name. */
  private static final String TYPE_NAME = "tensorflow.data.CompressedElement";

  @Override
  public VariantTensorDataProto encode() {
    return VariantTensorDataProto.newBuilder()
        .setTypeName(TYPE_NAME)
        .setMetadata(element.toByteString())
        .build();
  }

  /** {@code value} as a compressed element; INVALID_ARGUMENT for other variants. */
  public static CompressedVariant of(Object value) {
    return switch (value) {
      case CompressedVariant compressed -> compressed;
      case Encoded(VariantTensorDataProto proto) when proto.getTypeName().equals(TYPE_NAME) ->
          new CompressedVariant(parse(proto));
      case Encoded(VariantTensorDataProto proto) -> throw notCompressed(proto.getTypeName());
      default -> throw notCompressed(value.getClass().getSimpleName());
    };
  }

  private static CompressedElement parse(VariantTensorDataProto proto) {
    try {
      return CompressedElement.parseFrom(proto.getMetadata());
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "a variant's metadata is no compressed element", e);
    }
  }

  private static StatusException notCompressed(String what) {
    return StatusException.invalidArgument(
        "Input does not contain a compressed element. Instead got %s", what);
  }
}
