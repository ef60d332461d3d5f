package io.headrace.runtime.expression;

import static io.headrace.runtime.expression.Expression.select;
import static io.headrace.runtime.expression.ScalarOperation.HYPOT;

import io.headrace.runtime.expression.Expression.Pair;

/** The operations on complex expressions, as expressions of their parts. */
final class ComplexArithmetic {
  private ComplexArithmetic() {}

  /** {@code operation} of {@code z}; throws if complex numbers do not have it. */
  static Expression apply(ScalarOperation operation, Expression z) {
    return switch (operation) {
      case NEG -> new Pair(z.real().neg(), z.imaginary().neg());
      case SIGN -> sign(z);
      case SQRT -> ComplexFunctions.sqrt(z);
      case EXP -> ComplexFunctions.exp(z);
      case EXPM1 -> ComplexFunctions.expm1(z);
      case LOG -> ComplexFunctions.log(z);
      case LOG1P -> ComplexFunctions.log1p(z);
      case SIN -> ComplexFunctions.sin(z);
      case COS -> ComplexFunctions.cos(z);
      case TAN -> ComplexFunctions.tan(z);
      case ASIN -> ComplexFunctions.asin(z);
      case ACOS -> ComplexFunctions.acos(z);
      case ATAN -> ComplexFunctions.atan(z);
      case SINH -> ComplexFunctions.sinh(z);
      case COSH -> ComplexFunctions.cosh(z);
      case TANH -> ComplexFunctions.tanh(z);
      default -> throw new IllegalArgumentException(operation + " of " + z.dtype());
    };
  }

  /** {@code operation} of {@code z} and {@code w}; throws if complex numbers do not have it. */
  static Expression apply(ScalarOperation operation, Expression z, Expression w) {
    return switch (operation) {
      case ADD -> new Pair(z.real().add(w.real()), z.imaginary().add(w.imaginary()));
      case SUB -> new Pair(z.real().sub(w.real()), z.imaginary().sub(w.imaginary()));
      case MUL -> product(z, w);
      case DIV -> quotient(z, w);
      case POW -> ComplexFunctions.pow(z, w);
      case EQUAL -> z.real().equalTo(w.real()).and(z.imaginary().equalTo(w.imaginary()));
      default -> throw new IllegalArgumentException(operation + " of " + z.dtype());
    };
  }

  private static Expression product(Expression z, Expression w) {
    Expression a = z.real();
    Expression b = z.imaginary();
    Expression c = w.real();
    Expression d = w.imaginary();
    return new Pair(a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c)));
  }

  /** z times the conjugate of w over |w|^2, with w scaled by its larger part: as Eigen divides. */
  private static Expression quotient(Expression z, Expression w) {
    Expression scale = w.real().abs().max(w.imaginary().abs());
    Expression c = w.real().div(scale);
    Expression d = w.imaginary().div(scale);
    Expression size = c.mul(c).add(d.mul(d));
    Expression real = z.real().mul(c).add(z.imaginary().mul(d));
    Expression imaginary = z.imaginary().mul(c).sub(z.real().mul(d));
    return new Pair(real.div(size).div(scale), imaginary.div(size).div(scale));
  }

  /** The number of magnitude 1 in the direction of {@code z}; 0 for 0. */
  private static Expression sign(Expression z) {
    Expression size = z.real().apply(HYPOT, z.imaginary());
    Expression inverse = size.same(1).div(size);
    Expression direction = new Pair(z.real().mul(inverse), z.imaginary().mul(inverse));
    return select(size.equalTo(size.same(0)), z.same(0), direction);
  }
}
