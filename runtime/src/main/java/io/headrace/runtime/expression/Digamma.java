package io.headrace.runtime.expression;

/**
 * The digamma function, the derivative of log gamma, to double precision: the asymptotic series for
 * large arguments; the recurrence and the reflection formula reduce other arguments to these.
 */
public final class Digamma {
  /** The argument from which the series has full precision. */
  private static final double SERIES_FROM = 12;

  /** B(2k) / 2k, the coefficients of the series. */
  private static final double[] SERIES = {
    1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12
  };

  private Digamma() {}

  /** The value at {@code x}: NaN at 0, at the negative integers and at negative infinity. */
  public static double of(double x) {
    if (x <= 0) {
      return x == Math.rint(x) ? Double.NaN : of(1 - x) - Math.PI / tanOfPi(x);
    }
    double sum = 0;
    double large = x;
    for (; large < SERIES_FROM; large++) {
      sum += 1 / large;
    }
    return series(large) - sum;
  }

  /** tan(pi x), reduced to the fraction of x. */
  private static double tanOfPi(double x) {
    return Math.tan(Math.PI * (x - Math.rint(x)));
  }

  private static double series(double x) {
    double square = 1 / (x * x);
    double sum = 0;
    for (int k = SERIES.length - 1; k >= 0; k--) {
      sum = (sum + SERIES[k]) * square;
    }
    return Math.log(x) - 0.5 / x - sum;
  }
}
