package io.headrace.kernels.kit;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The forms in which elementwise ops are declared. */
public final class Declarations {
  private Declarations() {}

  /** An op of two operands of one dtype. */
  public static Op binary(String name, String types, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: T, y: T) -> z: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  /** An op that says yes or no of two operands of one dtype. */
  public static Op test(String name, String types, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: T, y: T) -> z: bool")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  /** An op of one operand. */
  public static Op unary(String name, String types, UnaryOperator<Expression> rule) {
    return Op.define(name + "(x: T) -> y: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  /** An op that says yes or no of one operand. */
  public static Op testOne(String name, String types, Function<Expression, Expression> rule) {
    return Op.define(name + "(x: T) -> y: bool")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  /** {@code rule} in {@code wider}, rounded once to the operands' dtype. */
  public static UnaryOperator<Expression> within(DataType wider, UnaryOperator<Expression> rule) {
    return x -> rule.apply(x.convert(wider)).convert(x.dtype());
  }
}
