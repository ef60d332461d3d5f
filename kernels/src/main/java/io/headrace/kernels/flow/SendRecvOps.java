package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * _Send, _Recv and their host forms: transfers of a tensor between the partitions of a graph,
 * through the rendezvous of the step. The executor implements them.
 */
final class SendRecvOps {
  private static final String REMARK = "In the graphs of sessions; not in functions.";

  private static final String[] TRANSFER_ATTRS = {
    "tensor_name: string",
    "send_device: string",
    "send_device_incarnation: int",
    "recv_device: string",
    "client_terminated: bool = false"
  };

  private SendRecvOps() {}

  static List<Op> ops() {
    return List.of(send("_Send"), send("_HostSend"), receive("_Recv"), receive("_HostRecv"));
  }

  private static Op send(String name) {
    return Op.define(name + "(tensor: T)")
        .attrs("T: type")
        .attrs(TRANSFER_ATTRS)
        .stateful()
        .touches(Touch.NETWORK)
        .shape(_ -> List.of())
        .runsOnHost()
        .remark(REMARK)
        .structural();
  }

  private static Op receive(String name) {
    return Op.define(name + "() -> tensor: tensor_type")
        .attrs("tensor_type: type")
        .attrs(TRANSFER_ATTRS)
        .stateful()
        .touches(Touch.NETWORK)
        .shape(_ -> List.of(Shape.UNKNOWN))
        .runsOnHost()
        .remark(REMARK)
        .structural();
  }
}
