package io.headrace.kernels.special;

import io.headrace.runtime.expression.Digamma;
import io.headrace.runtime.expression.LogGamma;

/**
 * The regularized incomplete gamma functions of a shape a and an x: the power series for x of at
 * most 1 or a, otherwise the continued fraction, of S. L. Moshier's Cephes Mathematical Library
 * (igam.c). Derivatives by a are those of the expansions' terms (R. J. Moore, Algorithm AS 187,
 * 1982).
 *
 * @param leastFactor the least normal number of the dtype: a common factor x^a e^-x / gamma(a) that
 *     is less counts as 0, as TensorFlow flushes subnormal numbers to zero
 */
record IncompleteGamma(double leastFactor) {
  /** The functions of floats. */
  static final IncompleteGamma OF_FLOATS = new IncompleteGamma(Float.MIN_NORMAL);

  /** The functions of doubles. */
  static final IncompleteGamma OF_DOUBLES = new IncompleteGamma(Double.MIN_NORMAL);

  private static final double EPSILON = 0x1p-53;

  /** Numerators of the fraction larger than this are scaled down, by {@link #SCALE}. */
  private static final double LARGE = 0x1p52;

  private static final double SCALE = 0x1p-52;
  private static final int MAX_TERMS = 2000;
  private static final int MAX_TERMS_OF_DERIVATIVE = 500;

  /** The value of an expansion, less the common factor, and its derivative by a. */
  private record Expansion(double value, double derivative) {}

  /** The lower function, P(a, x): NaN unless a is positive and x is not negative. */
  double lower(double a, double x) {
    if (x == 0) {
      return 0;
    }
    if (isOutside(a, x)) {
      return Double.NaN;
    }
    return x > 1 && x > a ? 1 - byFraction(a, x) : bySeries(a, x);
  }

  /** The upper function, Q(a, x): NaN unless a is positive and x is not negative. */
  double upper(double a, double x) {
    if (isOutside(a, x)) {
      return Double.NaN;
    }
    return x < 1 || x < a ? 1 - bySeries(a, x) : byFraction(a, x);
  }

  /** The derivative of the lower function by a. */
  double lowerByShape(double a, double x) {
    if (x == 0) {
      return 0;
    }
    if (isOutside(a, x)) {
      return Double.NaN;
    }
    boolean isFar = x > 1 && x > a;
    double factor = factor(a, x);
    if (factor == 0 || (isFar && Double.isInfinite(x))) {
      return 0;
    }
    if (isFar) {
      Expansion fraction = fraction(a, x, true);
      double byLog = Math.log(x) - Digamma.of(a);
      return -(fraction.value * (factor * byLog) + fraction.derivative * factor);
    }
    Expansion series = series(a, x, true);
    double byLog = Math.log(x) - Digamma.of(a + 1);
    return series.value * (factor / a * byLog) + series.derivative * (factor / a);
  }

  /**
   * The derivative by a of an x that is drawn from the gamma distribution of shape a: that of the
   * lower function by a, over the density at x, which is its derivative by x (M. Figurnov et al.,
   * Implicit Reparameterization Gradients, 2018).
   */
  double sampleByShape(double a, double x) {
    if (x == 0) {
      return 0;
    }
    if (isOutside(a, x)) {
      return Double.NaN;
    }
    boolean isFar = x > 1 && x > a;
    if ((isFar && Double.isInfinite(x)) || factor(a, x) == 0) {
      return isFar ? -0.0 : 0;
    }
    Expansion expansion = isFar ? fraction(a, x, true) : series(a, x, true);
    double byLog = Math.log(x) - Digamma.of(isFar ? a : a + 1);
    double derivative = expansion.derivative + expansion.value * byLog;
    return isFar ? derivative * x : -derivative * x / a;
  }

  private static boolean isOutside(double a, double x) {
    return x < 0 || a <= 0 || Double.isNaN(a) || Double.isNaN(x);
  }

  private double bySeries(double a, double x) {
    double factor = factor(a, x);
    return factor == 0 ? 0 : series(a, x, false).value * (factor / a);
  }

  private double byFraction(double a, double x) {
    double factor = Double.isInfinite(x) ? 0 : factor(a, x);
    return factor == 0 ? 0 : fraction(a, x, false).value * factor;
  }

  /** x^a e^-x / gamma(a). */
  private double factor(double a, double x) {
    double factor = Math.exp(a * Math.log(x) - x - LogGamma.of(a));
    return factor >= leastFactor ? factor : 0;
  }

  /** 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ... */
  private static Expansion series(double a, double x, boolean isDerived) {
    double divisor = a;
    double term = 1;
    double sum = 1;
    double termDerivative = 0;
    double sumDerivative = 0;
    int limit = isDerived ? MAX_TERMS_OF_DERIVATIVE : MAX_TERMS;
    for (int i = 0; i < limit; i++) {
      divisor += 1;
      double ratio = x / divisor;
      termDerivative = ratio * termDerivative - x / (divisor * divisor) * term;
      sumDerivative += termDerivative;
      term *= ratio;
      sum += term;
      boolean isDone =
          isDerived
              ? Math.abs(termDerivative) <= EPSILON * Math.abs(sumDerivative)
              : term <= EPSILON * sum;
      if (isDone) {
        break;
      }
    }
    return new Expansion(sum, sumDerivative);
  }

  /** The continued fraction by its convergents, the quotients p / q. */
  private static Expansion fraction(double a, double x, boolean isDerived) {
    double y = 1 - a;
    double z = x + y + 1;
    Convergent before = new Convergent(1, x, 0, 0);
    Convergent last = new Convergent(x + 1, z * x, 0, -x);
    double value = last.value();
    double derivative = last.derivative(value);
    int limit = isDerived ? MAX_TERMS_OF_DERIVATIVE : MAX_TERMS;
    for (int count = 1; count <= limit; count++) {
      y += 1;
      z += 2;
      Convergent next = last.next(before, z, y, count);
      if (next.q != 0) {
        double valueBefore = value;
        double derivativeBefore = derivative;
        value = next.value();
        derivative = next.derivative(value);
        boolean isDone =
            isDerived
                ? Math.abs(derivative - derivativeBefore) <= EPSILON
                : Math.abs(valueBefore - value) <= EPSILON * Math.abs(value);
        if (isDone) {
          break;
        }
      }
      boolean isLarge = Math.abs(next.p) > LARGE;
      before = isLarge ? last.scaled() : last;
      last = isLarge ? next.scaled() : next;
    }
    return new Expansion(value, derivative);
  }

  /** A numerator p and a denominator q, with their derivatives by a. */
  private record Convergent(double p, double q, double pDerivative, double qDerivative) {
    double value() {
      return p / q;
    }

    double derivative(double value) {
      return (pDerivative - value * qDerivative) / q;
    }

    Convergent next(Convergent before, double z, double y, double count) {
      double yc = y * count;
      return new Convergent(
          p * z - before.p * yc,
          q * z - before.q * yc,
          pDerivative * z - p - before.pDerivative * yc + before.p * count,
          qDerivative * z - q - before.qDerivative * yc + before.q * count);
    }

    Convergent scaled() {
      return new Convergent(p * SCALE, q * SCALE, pDerivative * SCALE, qDerivative * SCALE);
    }
  }
}
