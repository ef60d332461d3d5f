package io.headrace.runtime.kernel;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.BinaryOperator;

/** Sums, products, quotients, remainders, powers, and the larger or smaller of two. */
final class ArithmeticOps {
  private static final String REAL =
      "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32,"
          + " int64}";

  static final List<Op> OPS =
      List.of(
          binary("AddV2", REAL, Expression::add),
          binary("Sub", REAL, Expression::sub),
          binary("Mul", REAL, Expression::mul));

  private ArithmeticOps() {}

  private static Op binary(String name, String type, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: T, y: T) -> z: T")
        .attrs(type)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }
}
