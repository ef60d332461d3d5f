package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.List;

/**
 * Enter, Exit, NextIteration and LoopCond: the frames of a TensorFlow 1 while loop. The executor
 * implements them.
 */
final class EnterExitOps {
  private static final String[] FRAME_ATTRS = {
    "T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"
  };

  private EnterExitOps() {}

  static List<Op> ops() {
    return List.of(
        TensorFlow1ControlFlow.op("Enter(data: T) -> output: T", FRAME_ATTRS),
        TensorFlow1ControlFlow.op("RefEnter(data: Ref(T)) -> output: Ref(T)", FRAME_ATTRS),
        TensorFlow1ControlFlow.op("Exit(data: T) -> output: T", "T: type"),
        TensorFlow1ControlFlow.op("RefExit(data: Ref(T)) -> output: Ref(T)", "T: type"),
        TensorFlow1ControlFlow.op("NextIteration(data: T) -> output: T", "T: type"),
        TensorFlow1ControlFlow.op("RefNextIteration(data: Ref(T)) -> output: Ref(T)", "T: type"),
        Op.define("LoopCond(input: bool) -> output: bool")
            .shape(ShapeFunctions.SCALAR)
            .runsOnHost()
            .structural());
  }
}
