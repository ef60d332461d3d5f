package io.headrace.runtime.kernel;

import static io.headrace.runtime.kernel.Declarations.binary;
import static io.headrace.runtime.kernel.Declarations.unary;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Operation;
import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.BinaryOperator;

/** Logic of bools, and of the bits of integers. */
final class LogicOps {
  static final List<Op> OPS =
      List.of(
          logical("LogicalAnd", Expression::and),
          logical("LogicalOr", Expression::or),
          Op.define("LogicalNot(x: bool) -> y: bool").scalar((in, _) -> in.getFirst().not()),
          binary("BitwiseAnd", "integer", Expression::and),
          binary("BitwiseOr", "integer", Expression::or),
          binary("BitwiseXor", "integer", (x, y) -> x.apply(Operation.XOR, y)),
          unary("Invert", "integer", x -> x.apply(Operation.INVERT)),
          binary("LeftShift", "integer", (x, y) -> x.apply(Operation.SHIFT_LEFT, y)),
          binary("RightShift", "integer", (x, y) -> x.apply(Operation.SHIFT_RIGHT, y)));

  private LogicOps() {}

  private static Op logical(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: bool, y: bool) -> z: bool")
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }
}
