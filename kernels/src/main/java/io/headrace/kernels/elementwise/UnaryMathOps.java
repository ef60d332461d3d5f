package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.gradientOfOutput;
import static io.headrace.kernels.kit.ElementwiseDeclarations.unary;
import static io.headrace.kernels.kit.ElementwiseDeclarations.within;
import static io.headrace.runtime.expression.Expression.select;

import io.headrace.runtime.expression.ComplexFunctions;
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
  private static final String INEXACT = "{floating, complex}";

  static final List<Op> OPS =
      List.of(
          inexact("Sqrt", ScalarOperation.SQRT),
          unary("Rsqrt", INEXACT, within(DataType.FLOAT64, UnaryMathOps::rsqrt)),
          inexact("Exp", ScalarOperation.EXP),
          inexact("Expm1", ScalarOperation.EXPM1),
          inexact("Log", ScalarOperation.LOG),
          inexact("Log1p", ScalarOperation.LOG1P),
          floating("Floor", ScalarOperation.FLOOR),
          floating("Ceil", ScalarOperation.CEIL),
          unary("Rint", "{float, double}", x -> x.apply(ScalarOperation.RINT)),
          unary("Round", "floating", x -> x.apply(ScalarOperation.RINT)),
          inexact("Sin", ScalarOperation.SIN),
          inexact("Cos", ScalarOperation.COS),
          inexact("Tan", ScalarOperation.TAN),
          inexact("Asin", ScalarOperation.ASIN),
          inexact("Acos", ScalarOperation.ACOS),
          inexact("Atan", ScalarOperation.ATAN),
          inexact("Sinh", ScalarOperation.SINH),
          inexact("Cosh", ScalarOperation.COSH),
          inexact("Tanh", ScalarOperation.TANH),
          floating("Erf", ScalarOperation.ERF),
          floating("Erfc", ScalarOperation.ERFC),
          floating("Lgamma", ScalarOperation.LGAMMA),
          floating("Digamma", ScalarOperation.DIGAMMA),
          unary("Asinh", INEXACT, within(DataType.FLOAT64, UnaryMathOps::asinh)),
          unary("Acosh", INEXACT, within(DataType.FLOAT64, UnaryMathOps::acosh)),
          unary("Atanh", INEXACT, within(DataType.FLOAT64, UnaryMathOps::atanh)),
          unary("Sigmoid", INEXACT, within(DataType.FLOAT64, UnaryMathOps::sigmoid)),
          gradientOfOutput("TanhGrad", (y, dy) -> dy.mul(y.same(1).sub(y.mul(y)))),
          gradientOfOutput("SigmoidGrad", UnaryMathOps::sigmoidGradient),
          gradientOfOutput("SqrtGrad", UnaryMathOps::sqrtGradient),
          gradientOfOutput("RsqrtGrad", UnaryMathOps::rsqrtGradient));

  /** Beside the square of a larger number, 1 is nothing; twice it may overflow. */
  private static final double LARGE = 0x1p500;

  private UnaryMathOps() {}

  private static Op floating(String name, ScalarOperation operation) {
    return unary(name, "floating", x -> x.apply(operation));
  }

  private static Op inexact(String name, ScalarOperation operation) {
    return unary(name, INEXACT, x -> x.apply(operation));
  }

  private static Expression rsqrt(Expression x) {
    if (x.dtype().isComplex()) {
      return ComplexFunctions.rsqrt(x);
    }
    return x.same(1).div(x.apply(ScalarOperation.SQRT));
  }

  /** sign(x) log(|x| + sqrt(x^2 + 1)), rearranged to avoid overflow and cancellation. */
  private static Expression asinh(Expression x) {
    if (x.dtype().isComplex()) {
      return ComplexFunctions.asinh(x);
    }
    Expression one = x.same(1);
    Expression size = x.abs();
    Expression inverse = one.div(size);
    Expression root = one.add(inverse.mul(inverse)).apply(ScalarOperation.SQRT);
    Expression more = size.add(size.div(inverse.add(root)));
    return x.apply(ScalarOperation.SIGN).mul(logOfTwice(size, more));
  }

  /** log(1 + more), where {@code more} nears twice a large {@code x}, and may overflow. */
  private static Expression logOfTwice(Expression x, Expression more) {
    Expression far = x.apply(ScalarOperation.LOG).add(x.same(Math.log(2)));
    return select(x.same(LARGE).lessThan(x), far, more.apply(ScalarOperation.LOG1P));
  }

  /** log(x + sqrt(x^2 - 1)), computed from x - 1 to avoid cancellation. */
  private static Expression acosh(Expression x) {
    if (x.dtype().isComplex()) {
      return ComplexFunctions.acosh(x);
    }
    Expression more = x.sub(x.same(1));
    Expression root =
        more.apply(ScalarOperation.SQRT).mul(more.add(more.same(2)).apply(ScalarOperation.SQRT));
    return logOfTwice(x, more.add(root));
  }

  /** log((1 + x) / (1 - x)) / 2. */
  private static Expression atanh(Expression x) {
    if (x.dtype().isComplex()) {
      return ComplexFunctions.atanh(x);
    }
    Expression size = x.abs();
    Expression more = size.add(size).div(x.same(1).sub(size));
    return x.apply(ScalarOperation.SIGN).mul(x.same(0.5)).mul(more.apply(ScalarOperation.LOG1P));
  }

  private static Expression sigmoid(Expression x) {
    Expression sigmoid = x.same(1).div(x.same(1).add(x.neg().apply(ScalarOperation.EXP)));
    return x.dtype().isComplex() ? limited(x, sigmoid) : sigmoid;
  }

  /** e^x instead of {@code sigmoid} where e^-x, the complex divisor, may overflow. */
  private static Expression limited(Expression x, Expression sigmoid) {
    Expression isFar = x.real().lessThan(x.real().same(-700));
    return select(isFar, x.apply(ScalarOperation.EXP), sigmoid);
  }

  private static Expression sigmoidGradient(Expression y, Expression dy) {
    Expression rest = y.same(1).sub(y);
    return y.dtype().isComplex() ? dy.mul(y.mul(rest)) : dy.mul(y).mul(rest);
  }

  /** 0 where {@code dy} is 0, even if {@code y} is 0. */
  private static Expression sqrtGradient(Expression y, Expression dy) {
    Expression half = dy.same(0.5);
    Expression gradient =
        y.dtype().isComplex() ? dy.mul(half.div(y.conjugate())) : half.mul(dy).div(y);
    return select(dy.equalTo(dy.same(0)), dy.same(0), gradient);
  }

  /** 0 where {@code dy} is 0, even if {@code y} is infinite. */
  private static Expression rsqrtGradient(Expression y, Expression dy) {
    Expression inverse = y.conjugate();
    Expression gradient = dy.same(-0.5).mul(dy.mul(inverse)).mul(inverse.mul(inverse));
    return select(dy.equalTo(dy.same(0)), dy.same(0), gradient);
  }
}
