package io.headrace.runtime.expression;

import static io.headrace.runtime.expression.Expression.select;
import static io.headrace.runtime.expression.ScalarOperation.ATAN2;
import static io.headrace.runtime.expression.ScalarOperation.COPY_SIGN;
import static io.headrace.runtime.expression.ScalarOperation.COS;
import static io.headrace.runtime.expression.ScalarOperation.COSH;
import static io.headrace.runtime.expression.ScalarOperation.EXP;
import static io.headrace.runtime.expression.ScalarOperation.EXPM1;
import static io.headrace.runtime.expression.ScalarOperation.HYPOT;
import static io.headrace.runtime.expression.ScalarOperation.IS_NAN;
import static io.headrace.runtime.expression.ScalarOperation.LOG;
import static io.headrace.runtime.expression.ScalarOperation.LOG1P;
import static io.headrace.runtime.expression.ScalarOperation.SIN;
import static io.headrace.runtime.expression.ScalarOperation.SINH;
import static io.headrace.runtime.expression.ScalarOperation.SQRT;
import static io.headrace.runtime.expression.ScalarOperation.TAN;

import io.headrace.runtime.expression.Expression.Pair;
import io.headrace.runtime.tensor.DataType;
import java.util.function.BinaryOperator;

/**
 * Roots, exponentials, logarithms, trigonometric and hyperbolic functions of complex expressions.
 * They are computed in double precision and rounded once.
 *
 * <p>The inverse functions follow W. Kahan, Branch Cuts for Complex Elementary Functions (1987).
 * Zeros and infinities give the values of Annex G of the C standard, where it determines them.
 */
public final class ComplexFunctions {
  /** Beyond this size the hyperbolic tangent is 1 or -1 in double precision. */
  private static final double TANH_IS_ONE = 22;

  /** The square of a larger number may overflow. */
  private static final double LARGE = 1e150;

  private ComplexFunctions() {}

  /** {@code function} of the parts of {@code z}, in double precision. */
  private static Expression of(Expression z, BinaryOperator<Expression> function) {
    Expression wide = z.convert(DataType.COMPLEX128);
    return function.apply(wide.real(), wide.imaginary()).convert(z.dtype());
  }

  /** The function of x + iy that {@code function} is of y + ix, with its parts exchanged, too. */
  private static Expression exchanged(Expression z, BinaryOperator<Expression> function) {
    return of(
        z,
        (x, y) -> {
          Expression value = function.apply(y, x);
          return new Pair(/* real= */ value.imaginary(), /* imaginary= */ value.real());
        });
  }

  static Expression exp(Expression z) {
    return of(z, ComplexFunctions::exp);
  }

  static Expression expm1(Expression z) {
    return of(z, ComplexFunctions::expm1);
  }

  static Expression log(Expression z) {
    return of(z, ComplexFunctions::log);
  }

  static Expression log1p(Expression z) {
    return of(z, ComplexFunctions::log1p);
  }

  static Expression sqrt(Expression z) {
    return of(z, ComplexFunctions::sqrt);
  }

  /** The reciprocal of the square root of {@code z}; of 0, infinite with an imaginary NaN. */
  public static Expression rsqrt(Expression z) {
    return of(z, ComplexFunctions::rsqrt);
  }

  static Expression sinh(Expression z) {
    return of(z, ComplexFunctions::sinh);
  }

  static Expression cosh(Expression z) {
    return of(z, ComplexFunctions::cosh);
  }

  static Expression tanh(Expression z) {
    return of(z, ComplexFunctions::tanh);
  }

  static Expression sin(Expression z) {
    return exchanged(z, ComplexFunctions::sinh);
  }

  static Expression cos(Expression z) {
    return of(z, (x, y) -> cosh(y.neg(), x));
  }

  static Expression tan(Expression z) {
    return exchanged(z, ComplexFunctions::tanh);
  }

  static Expression asin(Expression z) {
    return of(z, ComplexFunctions::asin);
  }

  static Expression acos(Expression z) {
    return of(z, ComplexFunctions::acos);
  }

  static Expression atan(Expression z) {
    return exchanged(z, ComplexFunctions::atanh);
  }

  /** The inverse hyperbolic sine of {@code z}. */
  public static Expression asinh(Expression z) {
    return exchanged(z, ComplexFunctions::asin);
  }

  /** The inverse hyperbolic cosine of {@code z}. */
  public static Expression acosh(Expression z) {
    return of(z, ComplexFunctions::acosh);
  }

  /** The inverse hyperbolic tangent of {@code z}. */
  public static Expression atanh(Expression z) {
    return of(z, ComplexFunctions::atanh);
  }

  /** e^(w log z), which is NaN where both are 0. */
  static Expression pow(Expression z, Expression w) {
    Expression base = z.convert(DataType.COMPLEX128);
    Expression exponent = w.convert(DataType.COMPLEX128);
    Expression power = exponent.mul(base.apply(LOG)).apply(EXP);
    return power.convert(z.dtype());
  }

  private static Expression isInfinite(Expression x) {
    return x.abs().equalTo(x.same(Double.POSITIVE_INFINITY));
  }

  private static Expression isZero(Expression x) {
    return x.equalTo(x.same(0));
  }

  /** e^x (cos y + i sin y). An infinite x decides whatever the angle is. */
  private static Expression exp(Expression x, Expression y) {
    Expression size = x.apply(EXP);
    Expression cosine = y.apply(COS);
    return new Pair(select(undirected(x, cosine), size, size.mul(cosine)), sineOf(size, x, y));
  }

  /** Whether x is infinite and the angle, of which the cosine is given, is not a number. */
  private static Expression undirected(Expression x, Expression cosine) {
    return isInfinite(x).and(cosine.apply(IS_NAN));
  }

  /** {@code size}, which is e^x, times sin y. */
  private static Expression sineOf(Expression size, Expression x, Expression y) {
    Expression vanishes = isZero(y).or(x.equalTo(x.same(Double.NEGATIVE_INFINITY)));
    Expression zero = select(isZero(y), y, y.same(0));
    return select(vanishes, zero, size.mul(y.apply(SIN)));
  }

  /** The real part is (e^x - 1) cos y + (cos y - 1), without cancellation. */
  private static Expression expm1(Expression x, Expression y) {
    Expression half = y.mul(y.same(0.5)).apply(SIN);
    Expression less = half.mul(half).mul(y.same(2));
    Expression real = x.apply(EXPM1).mul(y.apply(COS)).sub(less);
    return new Pair(real, sineOf(x.apply(EXP), x, y));
  }

  private static Expression log(Expression x, Expression y) {
    return new Pair(x.apply(HYPOT, y).apply(LOG), y.apply(ATAN2, x));
  }

  /** Near 0, the real part is log(1 + (x (x + 2) + y^2)) / 2. */
  private static Expression log1p(Expression x, Expression y) {
    Expression more = x.add(x.same(1));
    Expression near = x.mul(x.add(x.same(2))).add(y.mul(y)).apply(LOG1P).mul(x.same(0.5));
    Expression isNear = x.abs().max(y.abs()).lessThan(x.same(0.5));
    Expression far = more.apply(HYPOT, y).apply(LOG);
    return new Pair(select(isNear, near, far), y.apply(ATAN2, more));
  }

  private static Expression sqrt(Expression x, Expression y) {
    Expression half = x.same(0.5);
    Expression larger = x.abs().mul(half).add(x.apply(HYPOT, y).mul(half)).apply(SQRT);
    Expression quotient = y.abs().mul(half).div(larger);
    Expression smaller = select(isZero(larger), larger, select(isInfinite(y), y.abs(), quotient));
    Expression isLeft = x.lessThan(x.same(0));
    return new Pair(
        select(isLeft, smaller, larger), select(isLeft, larger, smaller).apply(COPY_SIGN, y));
  }

  private static Expression rsqrt(Expression x, Expression y) {
    Expression root = sqrt(x, y);
    Expression size = root.real().apply(HYPOT, root.imaginary());
    Expression real = root.real().div(size).div(size);
    Expression imaginary = root.imaginary().neg().div(size).div(size);
    Expression zero = x.same(0);
    Expression vanishes = isInfinite(size);
    return new Pair(
        select(vanishes, zero, select(isZero(size), x.same(Double.POSITIVE_INFINITY), real)),
        select(vanishes, zero, imaginary));
  }

  private static Expression sinh(Expression x, Expression y) {
    Expression cosine = y.apply(COS);
    Expression real = x.apply(SINH).mul(cosine);
    return new Pair(
        select(undirected(x, cosine).or(isZero(x)), x, real),
        select(isZero(y), y, x.apply(COSH).mul(y.apply(SIN))));
  }

  private static Expression cosh(Expression x, Expression y) {
    Expression cosine = y.apply(COS);
    Expression zero = y.same(0).apply(COPY_SIGN, x).mul(y.same(1).apply(COPY_SIGN, y));
    return new Pair(
        select(undirected(x, cosine), x.abs(), x.apply(COSH).mul(cosine)),
        select(isZero(x).or(isZero(y)), zero, x.apply(SINH).mul(y.apply(SIN))));
  }

  private static Expression tanh(Expression x, Expression y) {
    Expression one = x.same(1);
    Expression tangent = y.apply(TAN);
    Expression secant = one.add(tangent.mul(tangent));
    Expression sinh = x.apply(SINH);
    Expression cosh = one.add(sinh.mul(sinh)).apply(SQRT);
    Expression size = one.add(secant.mul(sinh).mul(sinh));
    Expression isFar = x.same(TANH_IS_ONE).lessThan(x.abs());
    Expression decay = x.abs().mul(x.same(-2)).apply(EXP).mul(x.same(4));
    Expression far = y.apply(SIN).mul(y.apply(COS)).mul(decay);
    Expression unit = one.apply(COPY_SIGN, x);
    // A finite x does not decide the real part where y is infinite or NaN.
    Expression farReal = select(tangent.apply(IS_NAN).and(isInfinite(x).not()), tangent, unit);
    Expression nearReal = select(isZero(x), x, secant.mul(cosh).mul(sinh).div(size));
    Expression nearImaginary = select(isZero(y), y, tangent.div(size));
    return new Pair(
        select(isFar, farReal, nearReal),
        select(isFar, select(isInfinite(x), x.same(0), far), nearImaginary));
  }

  private static Expression asin(Expression x, Expression y) {
    Expression one = x.same(1);
    Expression less = sqrt(one.sub(x), y.neg());
    Expression more = sqrt(one.add(x), y);
    Expression cosine = less.real().mul(more.real()).sub(less.imaginary().mul(more.imaginary()));
    Expression sine = less.real().mul(more.imaginary()).sub(less.imaginary().mul(more.real()));
    Expression infinite = isInfinite(x).or(isInfinite(y));
    Expression adjacent = select(infinite, y.abs(), cosine);
    return new Pair(
        select(isZero(x), x, x.apply(ATAN2, adjacent)),
        select(infinite, infinity(y), asinhOfReal(sine)));
  }

  private static Expression acos(Expression x, Expression y) {
    Expression one = x.same(1);
    Expression less = sqrt(one.sub(x), y.neg());
    Expression more = sqrt(one.add(x), y);
    Expression angle = less.real().apply(ATAN2, more.real());
    Expression sine = more.real().mul(less.imaginary()).sub(more.imaginary().mul(less.real()));
    Expression infinite = isInfinite(x).or(isInfinite(y));
    Expression real = select(isZero(x), x.same(Math.PI / 2), angle.mul(x.same(2)));
    return new Pair(
        select(infinite, y.abs().apply(ATAN2, x), real),
        select(infinite, infinity(y.neg()), asinhOfReal(sine)));
  }

  private static Expression infinity(Expression sign) {
    return sign.same(Double.POSITIVE_INFINITY).apply(COPY_SIGN, sign);
  }

  private static Expression rightAngle(Expression sign) {
    return sign.same(Math.PI / 2).apply(COPY_SIGN, sign);
  }

  private static Expression acosh(Expression x, Expression y) {
    Expression one = x.same(1);
    Expression less = sqrt(x.sub(one), y);
    Expression more = sqrt(x.add(one), y);
    Expression product = less.real().mul(more.real()).add(less.imaginary().mul(more.imaginary()));
    Expression angle = less.imaginary().apply(ATAN2, more.real());
    Expression infinite = isInfinite(x).or(isInfinite(y));
    Expression imaginary = select(isZero(x), rightAngle(y), angle.mul(x.same(2)));
    return new Pair(
        select(infinite, x.same(Double.POSITIVE_INFINITY), asinhOfReal(product)),
        select(infinite, y.apply(ATAN2, x), imaginary));
  }

  private static Expression atanh(Expression x, Expression y) {
    Expression one = x.same(1);
    Expression size = x.abs();
    Expression left = one.sub(size);
    Expression distance = left.mul(left).add(y.mul(y));
    Expression real = size.mul(x.same(4)).div(distance).apply(LOG1P).mul(x.same(0.25));
    Expression angle =
        y.add(y).apply(ATAN2, left.mul(one.add(size)).sub(y.mul(y))).mul(x.same(0.5));
    Expression isFar = x.same(LARGE).lessThan(size.max(y.abs()));
    return new Pair(
        select(isFar.or(isZero(x)), x.same(0), real).apply(COPY_SIGN, x),
        select(isFar, rightAngle(y), angle));
  }

  private static Expression asinhOfReal(Expression x) {
    Expression size = x.abs();
    Expression square = size.mul(size);
    Expression root = square.add(x.same(1)).apply(SQRT).add(x.same(1));
    Expression near = size.add(square.div(root)).apply(LOG1P);
    Expression far = size.apply(LOG).add(x.same(Math.log(2)));
    return select(x.same(LARGE).lessThan(size), far, near).apply(COPY_SIGN, x);
  }
}
