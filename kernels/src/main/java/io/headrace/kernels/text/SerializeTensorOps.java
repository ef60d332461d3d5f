package io.headrace.kernels.text;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;

/** SerializeTensor: a tensor as a serialized TensorProto. {@link ParseTensorOps} reads it. */
final class SerializeTensorOps {
  private SerializeTensorOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("SerializeTensor(tensor: T) -> serialized: string")
            .attrs("T: type")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.wrap(serialize(call.input(0))))));
  }

  private static byte[] serialize(Tensor tensor) {
    // Readers in Python parse strings only from string_val, not from tensor_content.
    return tensor.dtype() == DataType.STRING
        ? TensorProtos.writeValues(tensor).toByteArray()
        : TensorProtos.write(tensor).toByteArray();
  }
}
