package io.headrace.kernels.text;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;

/** ParseTensor: the tensor of a serialized TensorProto, of the dtype that the node declares. */
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
            }));
  }

  private static Tensor parse(Tensor serialized, DataType dtype) {
    if (serialized.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "Expected `serialized` to be a scalar, got shape: %s", serialized.shape());
    }
    Tensor tensor = tensor(proto(serialized.string(0)));
    if (tensor.dtype() != dtype) {
      throw StatusException.invalidArgument(
          "Type mismatch between parsed tensor (%s) and dtype (%s)",
          tensor.dtype().tfName(), dtype.tfName());
    }
    return tensor;
  }

  private static Tensor tensor(TensorProto proto) {
    try {
      return TensorProtos.read(proto);
    } catch (StatusException e) {
      if (e.code() != StatusCode.UNIMPLEMENTED) {
        throw e;
      }
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "Cannot parse tensor from proto: " + e.message(), e);
    }
  }

  private static TensorProto proto(byte[] serialized) {
    try {
      return TensorProto.parseFrom(UnsafeByteOperations.unsafeWrap(serialized));
    } catch (InvalidProtocolBufferException _) {
      throw StatusException.invalidArgument(
          "Could not parse `serialized` as TensorProto: %d bytes", serialized.length);
    }
  }
}
