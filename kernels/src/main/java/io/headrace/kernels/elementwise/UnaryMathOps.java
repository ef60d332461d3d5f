package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.Declarations.unary;
import static io.headrace.kernels.kit.Declarations.within;
import static io.headrace.runtime.expression.Expression.select;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.function.UnaryOperator;

/** Roots, exponentials, logarithms, trigonometry, rounding, and the activations made of them. */
final class UnaryMathOps {
  private static final double SELU_SCALE = 1.0507009873554805;
  private static final double SELU_SCALE_ALPHA = 1.7580993408473768;

  private static final Op LEAKY_RELU =
      Op.define("LeakyRelu(features: T) -> activations: T")
          .attrs("alpha: float = 0.20000000298023224", "T: floating = float")
          .scalar((in, attrs) -> leakyRelu(in.getFirst(), attrs.floating("alpha")));

  static final List<Op> OPS =
      List.of(
          floating("Sqrt", ScalarOperation.SQRT),
          unary("Rsqrt", "floating", within(DataType.FLOAT64, UnaryMathOps::rsqrt)),
          floating("Exp", ScalarOperation.EXP),
          floating("Expm1", ScalarOperation.EXPM1),
          floating("Log", ScalarOperation.LOG),
          floating("Log1p", ScalarOperation.LOG1P),
          floating("Floor", ScalarOperation.FLOOR),
          floating("Ceil", ScalarOperation.CEIL),
          unary("Rint", "{float, double}", x -> x.apply(ScalarOperation.RINT)),
          unary("Round", "floating", x -> x.apply(ScalarOperation.RINT)),
          floating("Sin", ScalarOperation.SIN),
          floating("Cos", ScalarOperation.COS),
          floating("Tan", ScalarOperation.TAN),
          floating("Asin", ScalarOperation.ASIN),
          floating("Acos", ScalarOperation.ACOS),
          floating("Atan", ScalarOperation.ATAN),
          floating("Sinh", ScalarOperation.SINH),
          floating("Cosh", ScalarOperation.COSH),
          floating("Tanh", ScalarOperation.TANH),
          floating("Erf", ScalarOperation.ERF),
          floating("Erfc", ScalarOperation.ERFC),
          floating("Lgamma", ScalarOperation.LGAMMA),
          floating("Digamma", ScalarOperation.DIGAMMA),
          unary("Asinh", "floating", within(DataType.FLOAT64, UnaryMathOps::asinh)),
          unary("Acosh", "floating", within(DataType.FLOAT64, UnaryMathOps::acosh)),
          unary("Atanh", "floating", within(DataType.FLOAT64, UnaryMathOps::atanh)),
          unary("Sigmoid", "floating", within(DataType.FLOAT64, UnaryMathOps::sigmoid)),
          activation("Relu", "real", x -> x.max(x.same(0))),
          activation("Relu6", "real", x -> x.max(x.same(0)).min(x.same(6))),
          activation("Elu", "floating", within(DataType.FLOAT64, UnaryMathOps::elu)),
          activation("Softplus", "floating", within(DataType.FLOAT64, UnaryMathOps::softplus)),
          activation("Selu", "floating", within(DataType.FLOAT64, UnaryMathOps::selu)),
          LEAKY_RELU,
          activation("Softsign", "floating", x -> x.div(x.same(1).add(x.abs()))));

  private UnaryMathOps() {}

  private static Op floating(String name, ScalarOperation operation) {
    return unary(name, "floating", x -> x.apply(operation));
  }

  private static Op activation(String name, String types, UnaryOperator<Expression> rule) {
    return Op.define(name + "(features: T) -> activations: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  private static Expression rsqrt(Expression x) {
    return x.same(1).div(x.apply(ScalarOperation.SQRT));
  }

  /** sign(x) log(|x| + sqrt(x^2 + 1)), in the form that neither overflows nor cancels. */
  private static Expression asinh(Expression x) {
    Expression one = x.same(1);
    Expression size = x.abs();
    Expression inverse = one.div(size);
    Expression root = one.add(inverse.mul(inverse)).apply(ScalarOperation.SQRT);
    Expression more = size.add(size.div(inverse.add(root)));
    return x.apply(ScalarOperation.SIGN).mul(more.apply(ScalarOperation.LOG1P));
  }

  /** log(x + sqrt(x^2 - 1)), by how much x is more than 1. */
  private static Expression acosh(Expression x) {
    Expression more = x.sub(x.same(1));
    Expression root =
        more.apply(ScalarOperation.SQRT).mul(more.add(more.same(2)).apply(ScalarOperation.SQRT));
    return more.add(root).apply(ScalarOperation.LOG1P);
  }

  /** Half of log((1 + x) / (1 - x)). */
  private static Expression atanh(Expression x) {
    Expression size = x.abs();
    Expression more = size.add(size).div(x.same(1).sub(size));
    return x.apply(ScalarOperation.SIGN).mul(x.same(0.5)).mul(more.apply(ScalarOperation.LOG1P));
  }

  private static Expression sigmoid(Expression x) {
    return x.same(1).div(x.same(1).add(x.neg().apply(ScalarOperation.EXP)));
  }

  private static Expression elu(Expression x) {
    return select(x.lessThan(x.same(0)), x.apply(ScalarOperation.EXPM1), x);
  }

  private static Expression selu(Expression x) {
    Expression below = x.apply(ScalarOperation.EXPM1).mul(x.same(SELU_SCALE_ALPHA));
    return select(x.lessThan(x.same(0)), below, x.mul(x.same(SELU_SCALE)));
  }

  private static Expression leakyRelu(Expression x, float alpha) {
    return select(x.same(0).lessThan(x), x, x.mul(x.same(alpha)));
  }

  /** log(1 + e^x), in the form that neither overflows nor cancels. */
  private static Expression softplus(Expression x) {
    return x.max(x.same(0))
        .add(x.abs().neg().apply(ScalarOperation.EXP).apply(ScalarOperation.LOG1P));
  }
}
