package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Op;
import java.util.ArrayList;
import java.util.List;

/** Case and StatelessCase: one of a list of functions, chosen by an index. */
final class CaseOps {
  private static final String[] CASE_ATTRS = {
    "Tin: list(type)", "Tout: list(type)", "branches: list(func)", "output_shapes: list(shape) = []"
  };

  private CaseOps() {}

  static List<Op> ops() {
    return List.of(choice("Case"), choice("StatelessCase"));
  }

  // The effect of a node is the effect of its functions: neither op is stateful in itself.

  private static Op choice(String name) {
    return Op.define(name + "(branch_index: int32, input: [Tin]) -> output: [Tout]")
        .attrs(CASE_ATTRS)
        .shape(FunctionCalls.DECLARED_SHAPES)
        .runsOnHost()
        .kernel(node -> {
          List<CallableFunction> branches = new ArrayList<>();
          for (FunctionRef branch : node.attrs().functions("branches")) {
            branches.add(node.functions().instantiate(branch));
          }
          return call -> FunctionCalls.forward(call, branch(branches, call.input(0).integer(0)));
        });
  }

  private static CallableFunction branch(List<CallableFunction> branches, long index) {
    return index < 0 || index >= branches.size() ? branches.getLast() : branches.get((int) index);
  }
}
