package io.headrace.kernels.special;

import io.headrace.runtime.expression.Digamma;
import io.headrace.runtime.expression.LogGamma;

/**
 * The Hurwitz zeta function, the sum of (k + q)^-x over k, and with it the polygamma functions: the
 * Euler-Maclaurin formula, as in S. L. Moshier's Cephes Mathematical Library (zeta.c).
 */
final class HurwitzZeta {
  private static final double EPSILON = 0x1p-53;

  /** The number of terms that are added up at least, and the last base of a power at least. */
  private static final int TERMS = 9;

  /** (2k)! / B(2k), the divisors of the formula's terms. */
  private static final double[] DIVISORS = {
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1.307674368e12 / 691,
    7.47242496e10,
    -1.067062284288e16 / 3617,
    5.109094217170944E18 / 43867,
    -8.028576626982912E20 / 174611,
    1.5511210043330985E23 / 854513,
    -1.6938241367317436E27 / 236364091
  };

  private HurwitzZeta() {}

  /**
   * The value at {@code x} and {@code q}: infinite at x = 1, NaN below; at a q of 0 or a negative
   * integer infinite for an even x, NaN for others, which it is for other negative q and an x that
   * is not an integer, too.
   */
  static double of(double x, double q) {
    if (x == 1) {
      return Double.POSITIVE_INFINITY;
    }
    if (x < 1) {
      return Double.NaN;
    }
    if (q <= 0) {
      if (q == Math.floor(q)) {
        return Math.rint(x / 2) == x / 2 ? Double.POSITIVE_INFINITY : Double.NaN;
      }
      if (x != Math.floor(x)) {
        return Double.NaN;
      }
    }
    double sum = power(q, -x);
    double base = q;
    double power = 0;
    for (int i = 0; i < TERMS || base <= TERMS; i++) {
      base += 1;
      power = power(base, -x);
      sum += power;
      if (Math.abs(power / sum) < EPSILON) {
        return sum;
      }
    }
    return power == 0 ? sum : withTail(x, base, power, sum);
  }

  /**
   * {@code sum} and the terms from {@code power}, that of {@code base}, on, of which it has half.
   */
  private static double withTail(double x, double base, double power, double sum) {
    double total = sum + power * base / (x - 1) - power / 2;
    double product = 1;
    double term = power;
    for (int i = 0; i < DIVISORS.length; i++) {
      product *= x + 2 * i;
      term /= base;
      double correction = product * term / DIVISORS[i];
      total += correction;
      if (Math.abs(correction / total) < EPSILON) {
        break;
      }
      product *= x + 2 * i + 1;
      term /= base;
    }
    return total;
  }

  /** The n-th derivative of the digamma function at {@code x}; NaN unless n is an integer >= 0. */
  static double polygamma(double n, double x) {
    if (Math.floor(n) != n || n < 0) {
      return Double.NaN;
    }
    if (n == 0) {
      return Digamma.of(x);
    }
    return power(-1, n + 1) * Math.exp(LogGamma.of(n + 1)) * of(n + 1, x);
  }

  /** {@link #polygamma} where the factorial and zeta are rounded to floats, as TensorFlow does. */
  static double polygammaOfFloats(double n, double x) {
    if (Math.floor(n) != n || n <= 0) {
      return polygamma(n, x);
    }
    double factorial = (float) Math.exp(LogGamma.of(n + 1));
    return power(-1, n + 1) * factorial * (float) of(n + 1, x);
  }

  /** C's pow, which is 1 for a base of 1 and any exponent, and for -1 and an infinite one. */
  private static double power(double base, double exponent) {
    boolean isOne = base == 1 || (base == -1 && Double.isInfinite(exponent));
    return isOne ? 1 : Math.pow(base, exponent);
  }
}
