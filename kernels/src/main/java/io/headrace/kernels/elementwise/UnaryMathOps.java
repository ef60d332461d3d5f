package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.gradientOfOutput;
import static io.headrace.kernels.kit.ElementwiseDeclarations.unary;
import static io.headrace.kernels.kit.ElementwiseDeclarations.within;
import static io.headrace.runtime.expression.Expression.select;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * Roots, exponentials, logarithms, trigonometric and hyperbolic functions, rounding, Erf, Lgamma,
 * Digamma and Sigmoid; with the gradients of Tanh, Sigmoid, Sqrt and Rsqrt.
 */
final class UnaryMathOps {
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
          gradientOfOutput("TanhGrad", (y, dy) -> dy.mul(y.same(1).sub(y.mul(y)))),
          gradientOfOutput("SigmoidGrad", (y, dy) -> dy.mul(y).mul(y.same(1).sub(y))),
          gradientOfOutput("SqrtGrad", UnaryMathOps::sqrtGradient),
          gradientOfOutput("RsqrtGrad", (y, dy) -> dy.same(-0.5).mul(dy.mul(y)).mul(y.mul(y))));

  private UnaryMathOps() {}

  private static Op floating(String name, ScalarOperation operation) {
    return unary(name, "floating", x -> x.apply(operation));
  }

  private static Expression rsqrt(Expression x) {
    return x.same(1).div(x.apply(ScalarOperation.SQRT));
  }

  /** sign(x) log(|x| + sqrt(x^2 + 1)), rearranged to avoid overflow and cancellation. */
  private static Expression asinh(Expression x) {
    Expression one = x.same(1);
    Expression size = x.abs();
    Expression inverse = one.div(size);
    Expression root = one.add(inverse.mul(inverse)).apply(ScalarOperation.SQRT);
    Expression more = size.add(size.div(inverse.add(root)));
    return x.apply(ScalarOperation.SIGN).mul(more.apply(ScalarOperation.LOG1P));
  }

  /** log(x + sqrt(x^2 - 1)), computed from x - 1 to avoid cancellation. */
  private static Expression acosh(Expression x) {
    Expression more = x.sub(x.same(1));
    Expression root =
        more.apply(ScalarOperation.SQRT).mul(more.add(more.same(2)).apply(ScalarOperation.SQRT));
    return more.add(root).apply(ScalarOperation.LOG1P);
  }

  /** log((1 + x) / (1 - x)) / 2. */
  private static Expression atanh(Expression x) {
    Expression size = x.abs();
    Expression more = size.add(size).div(x.same(1).sub(size));
    return x.apply(ScalarOperation.SIGN).mul(x.same(0.5)).mul(more.apply(ScalarOperation.LOG1P));
  }

  private static Expression sigmoid(Expression x) {
    return x.same(1).div(x.same(1).add(x.neg().apply(ScalarOperation.EXP)));
  }

  /** 0 where {@code dy} is 0, even if {@code y} is 0. */
  private static Expression sqrtGradient(Expression y, Expression dy) {
    return select(dy.equalTo(dy.same(0)), dy.same(0), dy.same(0.5).mul(dy).div(y));
  }
}
