package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.Declarations.binary;
import static io.headrace.kernels.kit.Declarations.unary;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.BinaryOperator;

/** Logic of bools, and of the bits of integers. */
final class LogicalOps {
  static final List<Op> OPS =
      List.of(
          logical("LogicalAnd", Expression::and),
          logical("LogicalOr", Expression::or),
          Op.define("LogicalNot(x: bool) -> y: bool").scalar((in, _) -> in.getFirst().not()),
          binary("BitwiseAnd", "integer", Expression::and),
          binary("BitwiseOr", "integer", Expression::or),
          binary("BitwiseXor", "integer", (x, y) -> x.apply(ScalarOperation.XOR, y)),
          unary("Invert", "integer", x -> x.apply(ScalarOperation.INVERT)),
          binary("LeftShift", "integer", (x, y) -> x.apply(ScalarOperation.SHIFT_LEFT, y)),
          binary("RightShift", "integer", (x, y) -> x.apply(ScalarOperation.SHIFT_RIGHT, y)));

  private LogicalOps() {}

  private static Op logical(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: bool, y: bool) -> z: bool")
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }
}
