package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * GetSessionHandle, GetSessionTensor and DeleteSessionTensor: tensors that stay on their device
 * between the steps of a session.
 */
final class SessionTensorOps {
  private SessionTensorOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("GetSessionHandle(value: T) -> handle: string")
            .attrs("T: type")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .remark("TensorFlow's servers refuse it; there it works in local sessions only.")
            .kernel(SessionTensorOps::keep),
        Op.define("GetSessionHandleV2(value: T) -> handle: resource")
            .attrs("T: type")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .remark("Refused, as by TensorFlow's servers: use GetSessionHandle.")
            .stateless(_ -> refuse()),
        Op.define("GetSessionTensor(handle: string) -> value: dtype")
            .attrs("dtype: type")
            .stateful()
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(SessionTensorOps::get),
        Op.define("DeleteSessionTensor(handle: string)")
            .stateful()
            .stateless(call -> call.step().tensors().delete(handle(call.input(0)))));
  }

  private static Kernel.Sync keep(NodeSpec node) {
    return call -> {
      String handle = call.step().tensors().keep(node.name(), call.device(), call.input(0));
      call.setOutput(0, Tensor.scalar(handle));
    };
  }

  /**
   * GetSessionHandleV2 is refused: no op accepts its resource handle, and only TensorFlow's local
   * sessions create one.
   */
  private static void refuse() {
    throw StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "GetSessionHandle called on null session state: GetSessionHandleV2 keeps tensors of local"
            + " sessions only, and GetSessionHandle those of a server's, too");
  }

  private static Kernel.Sync get(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    return call -> {
      Tensor tensor = call.step().tensors().get(handle(call.input(0)));
      if (tensor.dtype() != dtype) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "Output 0 of type %s does not match declared output type %s for node %s",
            tensor.dtype().tfName(),
            dtype.tfName(),
            node.name());
      }
      call.setOutput(0, tensor);
    };
  }

  private static String handle(Tensor handle) {
    if (handle.shape().rank() != 0) {
      throw invalidArgument(
          "the handle of a tensor must be a scalar, not %s", handle.typeAndShape());
    }
    return ByteStrings.text(handle.string(0));
  }
}
