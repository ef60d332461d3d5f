package io.headrace.kernels.elementwise;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.BinaryOperator;

/** LogicalAnd, LogicalOr and LogicalNot. */
final class LogicalOps {
  static final List<Op> OPS =
      List.of(
          logical("LogicalAnd", Expression::and),
          logical("LogicalOr", Expression::or),
          Op.define("LogicalNot(x: bool) -> y: bool").scalar((in, _) -> in.getFirst().not()));

  private LogicalOps() {}

  private static Op logical(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: bool, y: bool) -> z: bool")
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }
}
