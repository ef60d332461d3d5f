package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** While and StatelessWhile: a body function repeated while a condition function holds. */
final class WhileOps {
  private static final String[] LOOP_ATTRS = {
    "T: list(type)",
    "cond: func",
    "body: func",
    "output_shapes: list(shape) = []",
    "parallel_iterations: int = 10"
  };

  private WhileOps() {}

  static List<Op> ops() {
    return List.of(loop("While"), loop("StatelessWhile"));
  }

  // The effect of a node is the effect of its functions: neither op is stateful in itself.

  private static Op loop(String name) {
    return Op.define(name + "(input: [T]) -> output: [T]")
        .attrs(LOOP_ATTRS)
        .shape(FunctionCalls.DECLARED_SHAPES)
        .runsOnHost()
        .kernel(WhileOps::loopKernel);
  }

  private static Kernel.Sync loopKernel(NodeSpec node) {
    CallableFunction condition = FunctionCalls.instantiate(node, "cond");
    CallableFunction body = FunctionCalls.instantiate(node, "body");
    return call -> {
      List<Tensor> variables = FunctionCalls.arguments(call, 0);
      while (FunctionCalls.isTrue(condition.call(variables, call.step()).getFirst())) {
        variables = body.call(variables, call.step());
      }
      FunctionCalls.setOutputs(call, variables);
    };
  }
}
