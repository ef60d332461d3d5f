package io.headrace.runtime.expression;

/** Functions that {@link Math} does not have, to double precision. */
final class SpecialFunctions {
  /** The bound below which erf uses the series, and from which it uses the continued fraction. */
  private static final double SERIES_LIMIT = 2.5;

  /** The bound below which 1 - erf(x) loses at most one digit. */
  private static final double COMPLEMENT_LIMIT = 0.8;

  /** The bound from which erf(x) rounds to 1. */
  private static final double ONE_FROM = 6;

  /** The bound from which erfc(x) rounds to 0. */
  private static final double ZERO_FROM = 28;

  private static final double SQRT_PI = Math.sqrt(Math.PI);

  private SpecialFunctions() {}

  /** The error function. */
  static double erf(double x) {
    double size = Math.abs(x);
    if (Double.isNaN(x) || size < SERIES_LIMIT) {
      return series(x);
    }
    return size >= ONE_FROM ? Math.signum(x) : Math.signum(x) * (1 - complement(size));
  }

  /** The complementary error function, precise where it is small. */
  static double erfc(double x) {
    if (Double.isNaN(x) || Math.abs(x) < COMPLEMENT_LIMIT) {
      return 1 - series(x);
    }
    if (x < 0) {
      return x <= -ONE_FROM ? 2 : 2 - complement(-x);
    }
    return x >= ZERO_FROM ? 0 : complement(x);
  }

  /** The natural logarithm of the absolute value of the gamma function. */
  static double logGamma(double x) {
    return LogGamma.of(x);
  }

  /** The derivative of {@link #logGamma}. */
  static double digamma(double x) {
    return Digamma.of(x);
  }

  /** 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)): no term cancels another. */
  private static double series(double x) {
    double term = x;
    double sum = x;
    for (int n = 1; Math.abs(term) > Math.abs(sum) * 0x1p-54; n++) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return 2 / SQRT_PI * Math.exp(-x * x) * sum;
  }

  /** 1 - erf(x), as exp(-x^2)/sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))). */
  private static double complement(double x) {
    double fraction = x;
    for (int k = terms(x); k >= 1; k--) {
      fraction = x + k / 2.0 / fraction;
    }
    double square = x * x;
    double lost = Math.fma(x, x, -square); // the rounding error of the square
    return Math.exp(-square) * (1 - lost) / SQRT_PI / fraction;
  }

  /** The number of terms: the error after n terms is about exp(-2 x sqrt(2 n)). */
  private static int terms(double x) {
    double root = 20 / x;
    return (int) (root * root / 2) + 10;
  }
}
