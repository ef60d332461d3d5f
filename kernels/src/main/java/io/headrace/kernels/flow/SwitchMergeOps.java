package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import java.util.List;

/**
 * Switch and Merge, their forms for references, and _SwitchN: the conditionals of TensorFlow 1. The
 * executor implements them.
 */
final class SwitchMergeOps {
  private SwitchMergeOps() {}

  static List<Op> ops() {
    return List.of(
        TensorFlow1ControlFlow.op(
            "Switch(data: T, pred: bool) -> (output_false: T, output_true: T)", "T: type"),
        TensorFlow1ControlFlow.op(
            "RefSwitch(data: Ref(T), pred: bool)"
                + " -> (output_false: Ref(T), output_true: Ref(T))",
            "T: type"),
        TensorFlow1ControlFlow.op(
            "_SwitchN(data: T, output_index: int32) -> outputs: num_outs * T",
            "num_outs: int",
            "T: type"),
        TensorFlow1ControlFlow.op(
            "Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type", "N: int"),
        TensorFlow1ControlFlow.op(
            "RefMerge(inputs: N * Ref(T)) -> (output: Ref(T), value_index: int32)",
            "T: type",
            "N: int"));
  }
}
