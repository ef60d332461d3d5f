package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import java.util.List;

/**
 * ControlTrigger: a node that runs after its control inputs, dead ones included. The executor
 * implements it.
 */
final class ControlTriggerOps {
  private ControlTriggerOps() {}

  static List<Op> ops() {
    return List.of(Op.define("ControlTrigger()").shape(_ -> List.of()).runsOnHost().structural());
  }
}
