package io.headrace.kernels.text;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.Strings;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** Ops that make strings of tensors, or of bytes that text must carry, and back. */
final class ParseTensorOps {
  private ParseTensorOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ParseTensor(serialized: string) -> output: out_type")
            .attrs("out_type: type")
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              DataType dtype = node.attrs().type("out_type");
              return call -> call.setOutput(0, parse(call.input(0), dtype));
            }),
        Op.define("SerializeTensor(tensor: T) -> serialized: string")
            .attrs("T: type")
            .shape(ShapeRules.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.scalar(serialize(call.input(0))))),
        Op.define("DecodeBase64(input: string) -> output: string")
            .shape(ShapeRules.SAME)
            .kernel(_ -> new PerElement(input -> Strings.map(input, ParseTensorOps::decodeBase64))),
        Op.define("EncodeBase64(input: string) -> output: string")
            .attrs("pad: bool = false")
            .shape(ShapeRules.SAME)
            .kernel(node -> {
              Base64.Encoder url = Base64.getUrlEncoder();
              Base64.Encoder encoder = node.attrs().bool("pad") ? url : url.withoutPadding();
              return new PerElement(input -> Strings.map(input, encoder::encode));
            }));
  }

  private static Tensor parse(Tensor serialized, DataType dtype) {
    if (serialized.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "Expected `serialized` to be a scalar, got shape: %s", serialized.shape());
    }
    Tensor tensor = TensorProtos.read(proto(serialized.string(0)));
    if (tensor.dtype() != dtype) {
      throw StatusException.invalidArgument(
          "Type mismatch between parsed tensor (%s) and dtype (%s)",
          tensor.dtype().tfName(), dtype.tfName());
    }
    return tensor;
  }

  private static TensorProto proto(byte[] serialized) {
    try {
      return TensorProto.parseFrom(UnsafeByteOperations.unsafeWrap(serialized));
    } catch (InvalidProtocolBufferException _) {
      throw StatusException.invalidArgument(
          "Could not parse `serialized` as TensorProto: %d bytes", serialized.length);
    }
  }

  private static byte[] serialize(Tensor tensor) {
    // What reads it in Python knows strings only one by one.
    return tensor.dtype() == DataType.STRING
        ? TensorProtos.writeValues(tensor).toByteArray()
        : TensorProtos.write(tensor).toByteArray();
  }

  private static byte[] decodeBase64(byte[] text) {
    int size = text.length;
    // Padding is taken where it completes the last four characters, and only there.
    if (size > 0 && size % 4 == 0 && text[size - 1] == '=') {
      size -= text[size - 2] == '=' ? 2 : 1;
    }
    boolean cut = size % 4 == 1;
    for (int i = 0; i < size - (cut ? 1 : 0); i++) {
      if (!isDigit(text[i])) {
        throw StatusException.invalidArgument("Invalid character found in base64.");
      }
    }
    if (cut) {
      throw StatusException.invalidArgument("Base64 string length cannot be 1 modulo 4.");
    }
    return decodeLeniently(Arrays.copyOf(text, size));
  }

  private static boolean isDigit(byte b) {
    return (b >= 'A' && b <= 'Z')
        || (b >= 'a' && b <= 'z')
        || (b >= '0' && b <= '9')
        || b == '-'
        || b == '_';
  }

  /** Bits left over in the last character are ignored. */
  private static byte[] decodeLeniently(byte[] text) {
    int padding = (4 - text.length % 4) % 4;
    byte[] whole = Arrays.copyOf(text, text.length + padding);
    Arrays.fill(whole, text.length, whole.length, (byte) 'A');
    byte[] decoded = Base64.getUrlDecoder().decode(whole);
    return Arrays.copyOf(decoded, decoded.length - padding);
  }
}
