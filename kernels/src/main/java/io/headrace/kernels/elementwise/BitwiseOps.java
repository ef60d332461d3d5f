package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.binary;
import static io.headrace.kernels.kit.ElementwiseDeclarations.unary;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import java.util.List;

/** BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift and RightShift. */
final class BitwiseOps {
  static final List<Op> OPS =
      List.of(
          binary("BitwiseAnd", "integer", Expression::and),
          binary("BitwiseOr", "integer", Expression::or),
          binary("BitwiseXor", "integer", (x, y) -> x.apply(ScalarOperation.XOR, y)),
          unary("Invert", "integer", x -> x.apply(ScalarOperation.INVERT)),
          binary("LeftShift", "integer", (x, y) -> x.apply(ScalarOperation.SHIFT_LEFT, y)),
          binary("RightShift", "integer", (x, y) -> x.apply(ScalarOperation.SHIFT_RIGHT, y)));

  private BitwiseOps() {}
}
