package io.headrace.kernels.variable;

import io.headrace.runtime.device.VariableReference;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** TemporaryVariable and DestroyTemporaryVariable: a variable of one step. */
final class TemporaryVariableOps {
  private TemporaryVariableOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("TemporaryVariable() -> ref: Ref(dtype)")
            .attrs("shape: shape", "dtype: type", "var_name: string = ''")
            .stateful()
            .shape(in -> List.of(in.attrs().shape("shape")))
            .kernel(TemporaryVariableOps::temporary),
        Op.define("DestroyTemporaryVariable(ref: Ref(T)) -> value: T")
            .attrs("T: type", "var_name: string")
            .shape(ShapeFunctions.SAME)
            .stateless(call -> call.setOutput(0, VariableReference.read(call.input(0)))));
  }

  /** A variable of one step, garbage collected when no edge refers to it. */
  private static Kernel.Sync temporary(NodeSpec node) {
    Attrs attrs = node.attrs();
    String given = attrs.string("var_name");
    String name = given.isEmpty() ? node.name() : given;
    return call ->
        call.setOutput(
            0,
            Tensor.resource(new VariableResource(name, attrs.type("dtype"), attrs.shape("shape"))));
  }
}
