package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** RefSelect: forwards the reference that an index selects. */
final class RefSelectOps {
  private RefSelectOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("RefSelect(index: int32, inputs: N * Ref(T)) -> output: Ref(T)")
            .attrs("T: type", "N: int")
            .shape(RefSelectOps::selectRule)
            .stateless(RefSelectOps::select));
  }

  private static void select(KernelCall call) {
    Tensor index = call.input(0);
    if (index.shape().rank() != 0) {
      throw invalidArgument("Index must be a scalar, but it has shape %s", index.shape());
    }
    long chosen = index.integer(0);
    if (chosen < 0 || chosen >= call.inputs() - 1) {
      throw invalidArgument(
          "Index must be in the range [0, %d) but got %d", call.inputs() - 1, chosen);
    }
    call.setOutput(0, call.input(1 + (int) chosen));
  }

  /** The shape of all references if they agree, otherwise unknown. */
  private static List<Shape> selectRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 0);
    Shape first = in.shape(1);
    for (int i = 2; i < in.count(); i++) {
      if (!first.isKnown() || !first.equals(in.shape(i))) {
        return List.of(Shape.UNKNOWN);
      }
    }
    return List.of(first);
  }
}
