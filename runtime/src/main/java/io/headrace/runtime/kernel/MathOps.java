package io.headrace.runtime.kernel;

import static io.headrace.runtime.expression.Expression.select;
import static io.headrace.runtime.kernel.Declarations.unary;
import static io.headrace.runtime.kernel.Declarations.within;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Operation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.function.UnaryOperator;

/** Roots, exponentials, logarithms, trigonometry, rounding, and the activations made of them. */
final class MathOps {
  private static final double SELU_SCALE = 1.0507009873554805;
  private static final double SELU_SCALE_ALPHA = 1.7580993408473768;

  private static final Op LEAKY_RELU =
      Op.define("LeakyRelu(features: T) -> activations: T")
          .attrs("alpha: float = 0.20000000298023224", "T: floating = float")
          .scalar((in, attrs) -> leakyRelu(in.getFirst(), attrs.floating("alpha")));

  static final List<Op> OPS =
      List.of(
          floating("Sqrt", Operation.SQRT),
          unary("Rsqrt", "floating", within(DataType.FLOAT64, MathOps::rsqrt)),
          floating("Exp", Operation.EXP),
          floating("Expm1", Operation.EXPM1),
          floating("Log", Operation.LOG),
          floating("Log1p", Operation.LOG1P),
          floating("Floor", Operation.FLOOR),
          floating("Ceil", Operation.CEIL),
          unary("Rint", "{float, double}", x -> x.apply(Operation.RINT)),
          unary("Round", "floating", x -> x.apply(Operation.RINT)),
          floating("Sin", Operation.SIN),
          floating("Cos", Operation.COS),
          floating("Tan", Operation.TAN),
          floating("Asin", Operation.ASIN),
          floating("Acos", Operation.ACOS),
          floating("Atan", Operation.ATAN),
          floating("Sinh", Operation.SINH),
          floating("Cosh", Operation.COSH),
          floating("Tanh", Operation.TANH),
          floating("Erf", Operation.ERF),
          floating("Erfc", Operation.ERFC),
          floating("Lgamma", Operation.LGAMMA),
          floating("Digamma", Operation.DIGAMMA),
          unary("Asinh", "floating", within(DataType.FLOAT64, MathOps::asinh)),
          unary("Acosh", "floating", within(DataType.FLOAT64, MathOps::acosh)),
          unary("Atanh", "floating", within(DataType.FLOAT64, MathOps::atanh)),
          unary("Sigmoid", "floating", within(DataType.FLOAT64, MathOps::sigmoid)),
          activation("Relu", "real", x -> x.max(x.same(0))),
          activation("Relu6", "real", x -> x.max(x.same(0)).min(x.same(6))),
          activation("Elu", "floating", within(DataType.FLOAT64, MathOps::elu)),
          activation("Softplus", "floating", within(DataType.FLOAT64, MathOps::softplus)),
          activation("Selu", "floating", within(DataType.FLOAT64, MathOps::selu)),
          LEAKY_RELU,
          activation("Softsign", "floating", x -> x.div(x.same(1).add(x.abs()))));

  private MathOps() {}

  private static Op floating(String name, Operation operation) {
    return unary(name, "floating", x -> x.apply(operation));
  }

  private static Op activation(String name, String types, UnaryOperator<Expression> rule) {
    return Op.define(name + "(features: T) -> activations: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  private static Expression rsqrt(Expression x) {
    return x.same(1).div(x.apply(Operation.SQRT));
  }

  /** sign(x) log(|x| + sqrt(x^2 + 1)), in the form that neither overflows nor cancels. */
  private static Expression asinh(Expression x) {
    Expression one = x.same(1);
    Expression size = x.abs();
    Expression inverse = one.div(size);
    Expression root = one.add(inverse.mul(inverse)).apply(Operation.SQRT);
    Expression more = size.add(size.div(inverse.add(root)));
    return x.apply(Operation.SIGN).mul(more.apply(Operation.LOG1P));
  }

  /** log(x + sqrt(x^2 - 1)), by how much x is more than 1. */
  private static Expression acosh(Expression x) {
    Expression more = x.sub(x.same(1));
    Expression root = more.apply(Operation.SQRT).mul(more.add(more.same(2)).apply(Operation.SQRT));
    return more.add(root).apply(Operation.LOG1P);
  }

  /** Half of log((1 + x) / (1 - x)). */
  private static Expression atanh(Expression x) {
    Expression size = x.abs();
    Expression more = size.add(size).div(x.same(1).sub(size));
    return x.apply(Operation.SIGN).mul(x.same(0.5)).mul(more.apply(Operation.LOG1P));
  }

  private static Expression sigmoid(Expression x) {
    return x.same(1).div(x.same(1).add(x.neg().apply(Operation.EXP)));
  }

  private static Expression elu(Expression x) {
    return select(x.lessThan(x.same(0)), x.apply(Operation.EXPM1), x);
  }

  private static Expression selu(Expression x) {
    Expression below = x.apply(Operation.EXPM1).mul(x.same(SELU_SCALE_ALPHA));
    return select(x.lessThan(x.same(0)), below, x.mul(x.same(SELU_SCALE)));
  }

  private static Expression leakyRelu(Expression x, float alpha) {
    return select(x.same(0).lessThan(x), x, x.mul(x.same(alpha)));
  }

  /** log(1 + e^x), in the form that neither overflows nor cancels. */
  private static Expression softplus(Expression x) {
    return x.max(x.same(0)).add(x.abs().neg().apply(Operation.EXP).apply(Operation.LOG1P));
  }
}
