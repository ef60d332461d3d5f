package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.BinaryOperator;

/** Assign, AssignAdd and AssignSub: assignment to a variable by reference. */
final class AssignOps {
  private AssignOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Assign(ref: Ref(T), value: T) -> output_ref: Ref(T)")
            .attrs("T: type", "validate_shape: bool = true", "use_locking: bool = true")
            .shape(in -> List.of(in.shape(1)))
            .runsOnHost()
            .kernel(AssignOps::assign),
        update("AssignAdd", Expression::add),
        update("AssignSub", Expression::sub));
  }

  private static Kernel.Sync assign(NodeSpec node) {
    boolean validate = node.attrs().bool("validate_shape");
    return call -> {
      VariableResource variable = VariableResource.of(call.input(0));
      Tensor value = call.input(1);
      Shape shape = variable.shape();
      if (validate && shape.isKnown() && !shape.equals(value.shape())) {
        throw invalidArgument(
            "Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
            shape, value.shape());
      }
      variable.assign(value, false);
      call.setOutput(0, call.input(0));
    };
  }

  private static Op update(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(ref: Ref(T), value: T) -> output_ref: Ref(T)")
        .attrs("T: number", "use_locking: bool = false")
        .shape(in -> List.of(in.shape(1)))
        .runsOnHost()
        .kernel(node -> {
          VariableArithmetic sum = new VariableArithmetic(node, node.attrs().type("T"), name, rule);
          return call -> {
            VariableResource variable = VariableResource.of(call.input(0));
            Tensor by = call.input(1);
            variable.readReference();
            variable.update(held -> sum.of(sameSize(held, by), by, call.step()));
            call.setOutput(0, call.input(0));
          };
        });
  }

  private static Tensor sameSize(Tensor held, Tensor by) {
    if (!held.shape().equals(by.shape())) {
      throw invalidArgument("Parameters and update must be the same size");
    }
    return held;
  }
}
