package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** ToBool: the truth value of a tensor as the condition of an If. */
final class ToBoolOps {
  private ToBoolOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ToBool(input: T) -> output: bool")
            .attrs("T: type")
            .shape(ShapeFunctions.SCALAR)
            .stateless(
                call -> call.setOutput(0, Tensor.scalar(FunctionCalls.isTrue(call.input(0))))));
  }
}
