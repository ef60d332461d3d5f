package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** For: a body function repeated for each index from start to limit by delta. */
final class ForOps {
  private ForOps() {}

  static List<Op> ops() {
    return List.of(loop());
  }

  private static Op loop() {
    return Op.define("For(start: int32, limit: int32, delta: int32, input: [T]) -> output: [T]")
        .attrs("T: list(type)", "body: func")
        .kernel(node -> {
          CallableFunction body = FunctionCalls.instantiate(node, "body");
          return call -> count(call, body);
        });
  }

  private static void count(KernelCall call, CallableFunction body) {
    for (int i = 0; i < 3; i++) {
      if (call.input(i).shape().rank() != 0) {
        throw StatusException.invalidArgument(
            "start, limit and delta must be scalars, and input %d has shape %s",
            i, call.input(i).shape());
      }
    }
    long start = call.input(0).integer(0);
    long limit = call.input(1).integer(0);
    long delta = call.input(2).integer(0);
    if (start != limit && (delta == 0 || (delta > 0) != (start < limit))) {
      throw StatusException.invalidArgument(
          "Invalid start/limit/delta: %d %d %d", start, limit, delta);
    }
    List<Tensor> variables = FunctionCalls.arguments(call, 3);
    for (long i = start; delta > 0 ? i < limit : i > limit; i += delta) {
      List<Tensor> inputs = new ArrayList<>();
      inputs.add(Tensor.scalar((int) i));
      inputs.addAll(variables);
      variables = body.call(inputs, call.step());
    }
    FunctionCalls.setOutputs(call, variables);
  }
}
