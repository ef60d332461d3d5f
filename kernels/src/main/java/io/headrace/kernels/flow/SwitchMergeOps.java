package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * Control flow by edges, as in TensorFlow 1, and what carries tensors between devices: what these
 * mean is known to the executor of graphs. Functions can't have them.
 */
final class SwitchMergeOps {
  private static final String REMARK = "In the graphs of sessions; not in functions.";

  private static final String[] FRAME_ATTRS = {
    "T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"
  };

  private static final String[] TRANSFER_ATTRS = {
    "tensor_name: string",
    "send_device: string",
    "send_device_incarnation: int",
    "recv_device: string",
    "client_terminated: bool = false"
  };

  private SwitchMergeOps() {}

  static List<Op> ops() {
    return List.of(
        flow("Switch(data: T, pred: bool) -> (output_false: T, output_true: T)", "T: type"),
        flow(
            "RefSwitch(data: Ref(T), pred: bool)"
                + " -> (output_false: Ref(T), output_true: Ref(T))",
            "T: type"),
        flow(
            "_SwitchN(data: T, output_index: int32) -> outputs: num_outs * T",
            "num_outs: int",
            "T: type"),
        flow("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type", "N: int"),
        flow(
            "RefMerge(inputs: N * Ref(T)) -> (output: Ref(T), value_index: int32)",
            "T: type",
            "N: int"),
        flow("Enter(data: T) -> output: T", FRAME_ATTRS),
        flow("RefEnter(data: Ref(T)) -> output: Ref(T)", FRAME_ATTRS),
        flow("Exit(data: T) -> output: T", "T: type"),
        flow("RefExit(data: Ref(T)) -> output: Ref(T)", "T: type"),
        flow("NextIteration(data: T) -> output: T", "T: type"),
        flow("RefNextIteration(data: Ref(T)) -> output: Ref(T)", "T: type"),
        Op.define("LoopCond(input: bool) -> output: bool")
            .shape(ShapeRules.SCALAR)
            .remark(REMARK)
            .structural(),
        Op.define("ControlTrigger()").shape(_ -> List.of()).remark(REMARK).structural(),
        send("_Send"),
        send("_HostSend"),
        receive("_Recv"),
        receive("_HostRecv"));
  }

  private static Op flow(String signature, String... attrs) {
    return Op.define(signature).attrs(attrs).remark(REMARK).structural();
  }

  private static Op send(String name) {
    return Op.define(name + "(tensor: T)")
        .attrs("T: type")
        .attrs(TRANSFER_ATTRS)
        .stateful()
        .shape(_ -> List.of())
        .remark(REMARK)
        .structural();
  }

  private static Op receive(String name) {
    return Op.define(name + "() -> tensor: tensor_type")
        .attrs("tensor_type: type")
        .attrs(TRANSFER_ATTRS)
        .stateful()
        .shape(_ -> List.of(Shape.UNKNOWN))
        .remark(REMARK)
        .structural();
  }
}
