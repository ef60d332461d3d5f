package io.headrace.kernels.protobuf;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.headrace.proto.tensorflow.Example;
import io.headrace.proto.tensorflow.Feature;
import io.headrace.proto.tensorflow.Features;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Serializes tf.Examples to the bytes that TensorFlow makes of JSON: every number of a list has a
 * tag of its own.
 */
final class UnpackedExample {
  private UnpackedExample() {}

  /** Writes the fields of a message. */
  @FunctionalInterface
  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  static byte[] serialize(Example example) {
    try {
      return bytes(out -> {
        if (example.hasFeatures()) {
          writeMessage(1, inner -> writeFeatures(example.getFeatures(), inner), out);
        }
      });
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
  }

  private static byte[] bytes(Fields fields) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    fields.writeTo(out);
    out.flush();
    return bytes.toByteArray();
  }

  private static void writeMessage(int number, Fields fields, CodedOutputStream out)
      throws IOException {
    out.writeTag(number, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeByteArrayNoTag(bytes(fields));
  }

  private static void writeFeatures(Features features, CodedOutputStream out) throws IOException {
    for (var feature : features.getFeatureMap().entrySet()) {
      Fields entry =
          inner -> {
            inner.writeString(1, feature.getKey());
            writeMessage(2, value -> writeFeature(feature.getValue(), value), inner);
          };
      writeMessage(1, entry, out);
    }
  }

  private static void writeFeature(Feature feature, CodedOutputStream out) throws IOException {
    switch (feature.getKindCase()) {
      case BYTES_LIST -> writeMessage(1, list -> writeBytes(feature, list), out);
      case FLOAT_LIST -> writeMessage(2, list -> writeFloats(feature, list), out);
      case INT64_LIST -> writeMessage(3, list -> writeIntegers(feature, list), out);
      case KIND_NOT_SET -> {}
    }
  }

  private static void writeBytes(Feature feature, CodedOutputStream out) throws IOException {
    for (ByteString value : feature.getBytesList().getValueList()) {
      out.writeBytes(1, value);
    }
  }

  private static void writeFloats(Feature feature, CodedOutputStream out) throws IOException {
    for (float value : feature.getFloatList().getValueList()) {
      out.writeFloat(1, value);
    }
  }

  private static void writeIntegers(Feature feature, CodedOutputStream out) throws IOException {
    for (long value : feature.getInt64List().getValueList()) {
      out.writeInt64(1, value);
    }
  }
}
