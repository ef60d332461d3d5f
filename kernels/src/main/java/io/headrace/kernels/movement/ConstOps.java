package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Const: the tensor of attr {@code value}. */
final class ConstOps {
  private ConstOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Const() -> output: dtype")
            .attrs("value: tensor", "dtype: type")
            .shape(in -> List.of(in.attrs().tensor("value").shape()))
            .runsOnHost()
            .kernel(RowKernel.made(ConstOps::constant)));
  }

  private static RowKernel.Body constant(NodeSpec node) {
    Tensor value = node.attrs().tensor("value");
    DataType dtype = node.outputTypes().getFirst();
    if (value.dtype() != dtype) {
      throw invalidArgument(
          "node %s: the value is %s, and attr dtype says %s", node.name(), value, dtype.tfName());
    }
    return rows -> {
      rows.setSame(0, value);
      return true;
    };
  }
}
