package io.headrace.kernels.special;

import static io.headrace.kernels.special.Approximation.rational;

/**
 * Spence's integral, the dilogarithm of 1 - x: the rational approximation of S. L. Moshier's Cephes
 * Mathematical Library (spence.c), about 1, to which arguments are reduced.
 */
final class SpenceIntegral {
  private static final double AT_ZERO = Math.PI * Math.PI / 6;

  private static final double[] NUMERATOR = {
    4.6512858607399003E-5,
    0.007315890452380947,
    0.13384763957830903,
    0.8796913117545303,
    2.7114985119655346,
    4.256971560081218,
    3.297713409852251,
    1.0
  };

  private static final double[] DENOMINATOR = {
    0.0006909904889125533,
    0.02540437639325444,
    0.2829748606025681,
    1.4117259775183106,
    3.6380053334513707,
    5.03278880143317,
    3.547713409852251,
    1.0
  };

  private SpenceIntegral() {}

  /** The value at {@code x}, NaN below 0. */
  static double of(double x) {
    if (x < 0) {
      return Double.NaN;
    }
    if (x == 0) {
      return AT_ZERO;
    }
    if (x == 1) {
      return 0;
    }
    double near = x < 2 ? x : 1 / x;
    double offset = offset(near);
    double value = -offset * rational(offset, NUMERATOR, DENOMINATOR);
    double log = Math.log(near);
    if (near < 0.5) {
      value = -log * Math.log1p(-near) + AT_ZERO - value;
    }
    return x > 1.5 ? -0.5 * log * log - value : value;
  }

  private static double offset(double near) {
    if (near > 1.5) {
      return 1 / near - 1;
    }
    return near < 0.5 ? -near : near - 1;
  }
}
