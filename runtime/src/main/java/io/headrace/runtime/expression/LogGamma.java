package io.headrace.runtime.expression;

/**
 * The natural logarithm of the gamma function's absolute value, to double precision: Stirling's
 * series for large arguments, the Taylor series about 2 for arguments near it; the recurrence and
 * the reflection formula reduce other arguments to these.
 */
public final class LogGamma {
  /** The argument from which Stirling's series has full precision. */
  private static final double STIRLING_FROM = 10;

  /** B(2k) / (2k (2k - 1)), the coefficients of Stirling's series. */
  private static final double[] STIRLING = {
    1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156
  };

  private static final double HALF_LOG_TWO_PI = 0.9189385332046728;

  private static final double ONE_LESS_EULER = 0.42278433509846713;

  /** Element k is zeta(k) - 1, from k = 2 on. */
  private static final double[] ZETA_LESS_ONE = zetas(34);

  private LogGamma() {}

  /** The value at {@code x}: infinite at 0 and the negative integers, NaN at NaN. */
  public static double of(double x) {
    if (Double.isNaN(x) || Double.isInfinite(x)) {
      return Math.abs(x);
    }
    if (x <= 0) {
      return reflected(x);
    }
    if (x < 0.5) {
      return aboutTwo(x) - Math.log1p(x) - Math.log(x);
    }
    if (x < 1.5) {
      return aboutTwo(x - 1) - Math.log1p(x - 1);
    }
    return x < STIRLING_FROM ? byRecurrence(x) : stirling(x);
  }

  /** log |gamma(2 + z)|, for |z| of at most one half. */
  private static double aboutTwo(double z) {
    double sum = 0;
    for (int k = ZETA_LESS_ONE.length - 1; k >= 2; k--) {
      double coefficient = ZETA_LESS_ONE[k] / k;
      sum = sum * z + (k % 2 == 0 ? coefficient : -coefficient);
    }
    return z * (ONE_LESS_EULER + z * sum);
  }

  private static double byRecurrence(double x) {
    double near = x;
    double product = 1;
    while (near > 2.5) {
      near -= 1;
      product *= near;
    }
    return aboutTwo(near - 2) + Math.log(product);
  }

  private static double stirling(double x) {
    double square = 1 / (x * x);
    double sum = 0;
    for (int k = STIRLING.length - 1; k >= 0; k--) {
      sum = sum * square + STIRLING[k];
    }
    return (x - 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI + sum / x;
  }

  /** By gamma(x) gamma(-x) = -pi / (x sin(pi x)). */
  private static double reflected(double x) {
    double fraction = x - Math.rint(x);
    if (fraction == 0) {
      return Double.POSITIVE_INFINITY;
    }
    double sine = Math.abs(Math.sin(Math.PI * fraction));
    return Math.log(Math.PI) - Math.log(-x) - Math.log(sine) - of(-x);
  }

  /** The values of {@link #ZETA_LESS_ONE}, by the Euler-Maclaurin formula. */
  private static double[] zetas(int end) {
    double[] zetas = new double[end];
    int n = 100;
    for (int s = 2; s < end; s++) {
      double tail = Math.pow(n, 1 - s) / (s - 1) + Math.pow(n, -s) / 2;
      double derivative = s * Math.pow(n, -s - 1);
      tail += derivative / 12;
      derivative *= (s + 1) * (s + 2) / (double) (n * n);
      tail -= derivative / 720;
      derivative *= (s + 3) * (s + 4) / (double) (n * n);
      tail += derivative / 30240;
      double sum = tail;
      for (int i = n - 1; i >= 2; i--) {
        sum += Math.pow(i, -s);
      }
      zetas[s] = sum;
    }
    return zetas;
  }
}
