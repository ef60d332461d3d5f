package io.headrace.runtime.expression;

/** Functions that {@link Math} does not have, to double precision. */
final class SpecialFunctions {
  /** Below this the series converges quickly, from here on the continued fraction. */
  private static final double SERIES_LIMIT = 2.5;

  /** From here on the result is 1. */
  private static final double ONE_FROM = 6;

  private static final int FRACTION_TERMS = 60;

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
    for (int k = FRACTION_TERMS; k >= 1; k--) {
      fraction = x + k / 2.0 / fraction;
    }
    return Math.exp(-x * x) / SQRT_PI / fraction;
  }
}
