package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Constants, and ops that pass their inputs on as they are. */
final class IdentityOps {
  private IdentityOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Const() -> output: dtype")
            .attrs("value: tensor", "dtype: type")
            .shape(in -> List.of(in.attrs().tensor("value").shape()))
            .kernel(RowKernel.made(IdentityOps::constant)),
        Op.define("Placeholder() -> output: dtype")
            .attrs("dtype: type", "shape: shape = { unknown_rank: true }")
            .shape(in -> List.of(in.attrs().shape("shape")))
            .kernel(RowKernel.made(IdentityOps::placeholder)),
        Op.define("PlaceholderWithDefault(input: dtype) -> output: dtype")
            .attrs("dtype: type", "shape: shape")
            .shape(in -> List.of(in.attrs().shape("shape")))
            .kernel(RowKernel.of(IdentityOps::pass)),
        unary("Identity(input: T) -> output: T"),
        unary("Snapshot(input: T) -> output: T"),
        unary("StopGradient(input: T) -> output: T"),
        Op.define("PreventGradient(input: T) -> output: T")
            .attrs("T: type", "message: string = ''")
            .shape(ShapeRules.SAME)
            .kernel(RowKernel.of(IdentityOps::pass)),
        Op.define("GuaranteeConst(input: T) -> output: T")
            .attrs("T: type")
            .stateful(Effect.CHECKS)
            .shape(ShapeRules.SAME)
            .kernel(RowKernel.of(IdentityOps::pass)),
        Op.define("IdentityN(input: [T]) -> (output: [T])")
            .attrs("T: list(type)")
            .shape(IdentityOps::sameShapes)
            .kernel(RowKernel.of(IdentityOps::pass)),
        Op.define("NoOp()").shape(_ -> List.of()).kernel(RowKernel.of(_ -> true)));
  }

  private static Op unary(String signature) {
    return Op.define(signature)
        .attrs("T: type")
        .shape(ShapeRules.SAME)
        .kernel(RowKernel.of(IdentityOps::pass));
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

  private static RowKernel.Body placeholder(NodeSpec node) {
    Shape shape = node.attrs().shape("shape");
    return _ -> {
      throw invalidArgument(
          "You must feed a value for placeholder tensor '%s' with dtype %s%s",
          node.name(),
          node.outputTypes().getFirst().tfName(),
          shape.rank() > 0 ? " and shape " + shape : "");
    };
  }

  private static boolean pass(Rows rows) {
    for (int i = 0; i < rows.inputs(); i++) {
      rows.setView(i, i, rows.shape(i));
    }
    return true;
  }

  private static List<Shape> sameShapes(ShapeRule.Inputs in) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < in.count(); i++) {
      shapes.add(in.shape(i));
    }
    return shapes;
  }
}
