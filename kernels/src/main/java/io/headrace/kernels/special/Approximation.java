package io.headrace.kernels.special;

/** Evaluates the approximations that special functions are made of. */
final class Approximation {
  private Approximation() {}

  /** The polynomial with {@code coefficients}, of the highest power first. */
  static double polynomial(double x, double[] coefficients) {
    double sum = 0;
    for (double coefficient : coefficients) {
      sum = sum * x + coefficient;
    }
    return sum;
  }

  /** The quotient of two {@linkplain #polynomial polynomials}. */
  static double rational(double x, double[] numerator, double[] denominator) {
    return polynomial(x, numerator) / polynomial(x, denominator);
  }

  /**
   * The Chebyshev series with {@code coefficients}, of the highest order first, at {@code x} in
   * [-2, 2], by Clenshaw's recurrence; the last coefficient counts half.
   */
  static double chebyshev(double x, double[] coefficients) {
    double last = 0;
    double before = 0;
    double sum = 0;
    for (double coefficient : coefficients) {
      before = last;
      last = sum;
      sum = x * last - before + coefficient;
    }
    return (sum - before) / 2;
  }
}
