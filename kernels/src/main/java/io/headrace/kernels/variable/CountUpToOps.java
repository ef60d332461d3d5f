package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** CountUpTo and ResourceCountUpTo: increment a scalar variable up to a limit. */
final class CountUpToOps {
  private CountUpToOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("CountUpTo(ref: Ref(T)) -> output: T")
            .attrs("limit: int", "T: {int32, int64}")
            .shape(ShapeFunctions.SCALAR)
            .kernel(CountUpToOps::countUpTo),
        Op.define("ResourceCountUpTo(resource: resource) -> output: T")
            .attrs("limit: int", "T: {int32, int64}")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .kernel(CountUpToOps::countUpToByHandle));
  }

  private static Kernel.Sync countUpTo(NodeSpec node) {
    long limit = node.attrs().integer("limit");
    return call -> {
      VariableResource variable = VariableResource.of(call.input(0));
      variable.readReference();
      call.setOutput(0, variable.update(held -> counted(held, limit)));
    };
  }

  private static Kernel.Sync countUpToByHandle(NodeSpec node) {
    long limit = node.attrs().integer("limit");
    DataType dtype = node.attrs().type("T");
    return call -> {
      VariableResource variable = ResourceVariableOps.typed(call.input(0), dtype);
      call.setOutput(0, variable.update(held -> counted(held, limit)));
    };
  }

  private static Tensor counted(Tensor held, long limit) {
    if (held.shape().rank() != 0) {
      throw invalidArgument("input is not a scalar: %s", held.shape());
    }
    long count = held.integer(0);
    if (count >= limit) {
      throw StatusException.of(StatusCode.OUT_OF_RANGE, "Reached limit of %d", limit);
    }
    return held.dtype() == DataType.INT32
        ? Tensor.scalar((int) (count + 1))
        : Tensor.scalar(count + 1);
  }
}
