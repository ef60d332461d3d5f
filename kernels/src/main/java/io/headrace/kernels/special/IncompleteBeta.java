package io.headrace.kernels.special;

import io.headrace.runtime.expression.LogGamma;

/**
 * The regularized incomplete beta function of a, b and an x: a power series where b x is small,
 * otherwise one of two continued fractions, of S. L. Moshier's Cephes Mathematical Library
 * (incbet.c).
 */
final class IncompleteBeta {
  private static final double EPSILON = 0x1p-53;

  /** Convergents of a fraction larger than this are scaled down, those below 1 over it up. */
  private static final double LARGE = 0x1p52;

  private static final int MAX_TERMS = 300;

  private IncompleteBeta() {}

  /** The value: NaN unless a and b are positive and x is in [0, 1]. */
  static double of(double a, double b, double x) {
    if (a <= 0 || b <= 0) {
      return Double.NaN;
    }
    if (x <= 0 || x >= 1) {
      return x == 0 || x == 1 ? x : Double.NaN;
    }
    if (isSeries(b, x)) {
      return series(a, b, x);
    }
    if (x > a / (a + b)) {
      double other = 1 - x;
      double rest = isSeries(a, other) ? series(b, a, other) : byFraction(b, a, other, x);
      return rest <= EPSILON ? 1 - EPSILON : 1 - rest;
    }
    return byFraction(a, b, x, 1 - x);
  }

  private static boolean isSeries(double b, double x) {
    return b * x <= 1 && x <= 0.95;
  }

  /** x^a / B(a, b) times the series 1 / a + (1 - b) x / (a + 1) + ... */
  private static double series(double a, double b, double x) {
    double inverse = 1 / a;
    double product = (1 - b) * x;
    double first = product / (a + 1);
    double term = first;
    double sum = 0;
    for (double n = 2; Math.abs(term) > EPSILON * inverse; n++) {
      product *= (n - b) * x / n;
      term = product / (a + n);
      sum += term;
    }
    sum += first;
    sum += inverse;
    return Math.exp(-logBeta(a, b) + a * Math.log(x) + Math.log(sum));
  }

  private static double logBeta(double a, double b) {
    return -(LogGamma.of(a + b) - LogGamma.of(a) - LogGamma.of(b));
  }

  /**
   * x^a (1 - x)^b / (a B(a, b)) times the fraction that converges faster.
   *
   * @param rest 1 - x
   */
  private static double byFraction(double a, double b, double x, double rest) {
    double fraction =
        x * (a + b - 2) - (a - 1) < 0
            ? fraction(a, a + b, b - 1, 1, x)
            : fraction(a, b - 1, a + b, -1, x / (1 - x)) / rest;
    double log = a * Math.log(x);
    log += b * Math.log(rest) - logBeta(a, b);
    log += Math.log(fraction / a);
    return Math.exp(log);
  }

  /**
   * The continued fraction with the partial numerators -z (a + n) (u + n s) / ((a + 2n) (a + 2n +
   * 1)) and z (n + 1) (v - n s) / ((a + 2n + 1) (a + 2n + 2)), by its convergents p / q.
   */
  private static double fraction(double a, double u, double v, double s, double z) {
    double pBefore = 0;
    double qBefore = 1;
    double p = 1;
    double q = 1;
    double value = 1;
    for (int n = 0; n < MAX_TERMS; n++) {
      double even = a + 2 * n;
      double numerator = -(z * (a + n) * (u + n * s)) / (even * (even + 1));
      double pEven = p + pBefore * numerator;
      double qEven = q + qBefore * numerator;
      numerator = z * (n + 1) * (v - n * s) / ((even + 1) * (even + 2));
      pBefore = pEven;
      qBefore = qEven;
      p = pEven + p * numerator;
      q = qEven + q * numerator;
      if (q != 0) {
        double next = p / q;
        if (Math.abs(value - next) < Math.abs(next) * 3 * EPSILON) {
          return next;
        }
        value = next;
      }
      double scale = scale(p, q);
      pBefore *= scale;
      qBefore *= scale;
      p *= scale;
      q *= scale;
    }
    return value;
  }

  private static double scale(double p, double q) {
    double down = Math.abs(q) + Math.abs(p) > LARGE ? 1 / LARGE : 1;
    boolean isSmall = Math.abs(q) < 1 / LARGE || Math.abs(p) < 1 / LARGE;
    return isSmall ? down * LARGE : down;
  }
}
