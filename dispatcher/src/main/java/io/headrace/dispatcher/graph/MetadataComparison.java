package io.headrace.dispatcher.graph;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.tensorflow.StructuredValue;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Compares the metadata of two registrations under one id as TensorFlow does. The element specs are
 * compared as structures: an unset field equals its default, the order of repeated fields does not
 * matter, and doubles are equal to float precision. Compression and cardinality must be equal.
 */
public final class MetadataComparison {
  private MetadataComparison() {}

  /**
   * Requires both metadata to be the same.
   *
   * @throws StatusException INVALID_ARGUMENT, with TensorFlow's message, otherwise
   */
  public static void requireSame(
      String datasetId, DataServiceMetadata existing, DataServiceMetadata given) {
    differenceOfElements(datasetId, existing, given)
        .ifPresent(difference -> {
          throw differs(difference);
        });
    if (existing.getCardinality() != given.getCardinality()) {
      throw differs(
          "cardinality is " + existing.getCardinality() + ", not " + given.getCardinality());
    }
  }

  /** The difference of the elements' specs or compression; empty if both are the same. */
  public static Optional<String> differenceOfElements(
      String datasetId, DataServiceMetadata existing, DataServiceMetadata given) {
    if (!sameSpec(datasetId, existing.getElementSpec(), given.getElementSpec())) {
      return Optional.of("their element specs differ");
    }
    return existing.getCompression() == given.getCompression()
        ? Optional.empty()
        : Optional.of(
            "compression is " + existing.getCompression() + ", not " + given.getCompression());
  }

  private static StatusException differs(String how) {
    return StatusException.invalidArgument(
        "Datasets with the same ID should have the same structure, got diff: %s", how);
  }

  private static boolean sameSpec(String datasetId, ByteString existing, ByteString given) {
    return existing.equals(given)
        || canonical(parse(datasetId, existing)).equals(canonical(parse(datasetId, given)));
  }

  private static StructuredValue parse(String datasetId, ByteString spec) {
    try {
      return StructuredValue.parseFrom(spec);
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Failed to parse element_spec for dataset " + datasetId + ": " + e.getMessage(),
          e);
    }
  }

  /**
   * A canonical text, the same for messages that count as equal; empty for a message of defaults.
   */
  private static String canonical(Message message) {
    StringBuilder text = new StringBuilder();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      String value = field.isRepeated() ? all(message, field) : one(message, field);
      if (!value.isEmpty()) {
        append(text.append(field.getNumber()), value);
      }
    }
    return text.toString();
  }

  private static String all(Message message, FieldDescriptor field) {
    StringBuilder text = new StringBuilder();
    ((List<?>) message.getField(field))
        .stream().map(MetadataComparison::value).sorted().forEach(value -> append(text, value));
    return text.toString();
  }

  private static String one(Message message, FieldDescriptor field) {
    if (field.hasPresence() && !message.hasField(field)) {
      return "";
    }
    Object value = message.getField(field);
    boolean isDefault =
        field.getJavaType() != FieldDescriptor.JavaType.MESSAGE
            && value.equals(field.getDefaultValue());
    return isDefault ? "" : value(value);
  }

  private static String value(Object value) {
    return switch (value) {
      case Message nested -> canonical(nested);
      case Double number -> Float.toString(number.floatValue());
      case ByteString bytes -> bytes.toString(StandardCharsets.ISO_8859_1);
      default -> value.toString();
    };
  }

  /** Appends {@code value} after its length, which makes the text unambiguous. */
  private static void append(StringBuilder text, String value) {
    text.append('[').append(value.length()).append(':').append(value).append(']');
  }
}
