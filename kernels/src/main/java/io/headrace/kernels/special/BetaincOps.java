package io.headrace.kernels.special;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Betainc, whose operands have one shape, or are scalars. */
final class BetaincOps {
  static final List<Op> OPS =
      List.of(
          Op.define("Betainc(a: T, b: T, x: T) -> z: T")
              .attrs("T: {float, double}")
              .shape(BetaincOps::shape)
              .remark(SpecialFunctionOps.EXACT_FLOATS)
              .kernel(BetaincOps::kernel));

  private static final String[] NAMES = {"a", "b", "x"};

  private BetaincOps() {}

  private static List<Shape> shape(ShapeFunction.Inputs in) {
    Shape merged = Shape.UNKNOWN;
    Shape other = Shape.SCALAR;
    int scalars = 0;
    for (int i = 0; i < NAMES.length; i++) {
      Shape shape = in.shape(i);
      if (shape.isUnknownRank()) {
        other = shape;
      } else if (shape.rank() == 0) {
        scalars++;
      } else {
        merged = Shapes.merge(merged, shape);
        other = merged;
      }
    }
    return List.of(scalars >= NAMES.length - 1 ? other : merged);
  }

  private static BroadcastingKernel kernel(NodeSpec node) {
    FunctionKernel elements =
        new FunctionKernel(
            node.inputTypes().getFirst(), in -> IncompleteBeta.of(in[0], in[1], in[2]));
    return (operands, rowsMask, cancellation) -> {
      check(operands, rowsMask);
      return elements.apply(operands, rowsMask, cancellation);
    };
  }

  private static void check(Tensor[] operands, long rowsMask) {
    for (int i = 0; i < NAMES.length; i++) {
      for (int k = i + 1; k < NAMES.length; k++) {
        Shape first = inRow(operands[i], rowsMask >> i & 1);
        Shape second = inRow(operands[k], rowsMask >> k & 1);
        if (first.rank() > 0 && second.rank() > 0 && !first.equals(second)) {
          throw invalidArgument(
              "Shapes of %s and %s are inconsistent: %s vs. %s", NAMES[i], NAMES[k], first, second);
        }
      }
    }
  }

  private static Shape inRow(Tensor operand, long isRows) {
    return operand.shape().dropFirst((int) isRows);
  }
}
