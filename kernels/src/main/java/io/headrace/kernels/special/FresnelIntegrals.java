package io.headrace.kernels.special;

import static io.headrace.kernels.special.Approximation.polynomial;
import static io.headrace.kernels.special.Approximation.rational;

import java.util.function.DoubleUnaryOperator;

/**
 * Fresnel's integrals, of cos(pi/2 t^2) and of sin(pi/2 t^2) from 0 to x: the rational
 * approximations of S. L. Moshier's Cephes Mathematical Library (fresnl.c).
 */
final class FresnelIntegrals {
  /** The square of the argument from which the auxiliary functions f and g are used. */
  private static final double AUXILIARY_FROM = 2.5625;

  /** Beyond this argument the integrals are 1/2. */
  private static final double LIMIT_BEYOND = 36974;

  private static final double[] COS_NUMERATOR = {
    -4.9884311457357354E-8,
    9.504280628298596E-6,
    -0.0006451914356839651,
    0.018884331939670384,
    -0.20552590095501388,
    1.0
  };

  private static final double[] COS_DENOMINATOR = {
    3.99982968972496E-12,
    9.154392157746574E-10,
    1.2500186247959882E-7,
    1.2226278902417902E-5,
    0.0008680295429417843,
    0.04121420907221998,
    1.0
  };

  private static final double[] SIN_NUMERATOR = {
    -2991.8191940101983,
    708840.0452577386,
    -62974148.62058625,
    2548908805.7337637,
    -44297951805.96978,
    318016297876.5678
  };

  private static final double[] SIN_DENOMINATOR = {
    1.0,
    281.3762688899943,
    45584.78108065326,
    5173438.887700964,
    419320245.8981112,
    22441179564.534092,
    607366389490.0846
  };

  private static final double[] F_NUMERATOR = {
    0.4215435550436775,
    0.1434079197807589,
    0.011522095507358577,
    0.000345017939782574,
    4.6361374928786735E-6,
    3.055689837902576E-8,
    1.0230451416490724E-10,
    1.7201074326816183E-13,
    1.3428327623306275E-16,
    3.763297112699879E-20
  };

  private static final double[] F_DENOMINATOR = {
    1.0,
    0.7515863983533789,
    0.11688892585919138,
    0.0064405152650885865,
    0.00015593440916415301,
    1.8462756734893055E-6,
    1.1269922476399903E-8,
    3.6014002958937136E-11,
    5.887545336215784E-14,
    4.5200143407412973E-17,
    1.2544323709001127E-20
  };

  private static final double[] G_NUMERATOR = {
    0.5044420736433832,
    0.1971028335255234,
    0.018764858409257526,
    0.0006840793809153931,
    1.1513882611188428E-5,
    9.828524436884223E-8,
    4.4534441586175015E-10,
    1.0826804113902088E-12,
    1.375554606332618E-15,
    8.363544356306774E-19,
    1.8695871016278324E-22
  };

  private static final double[] G_DENOMINATOR = {
    1.0,
    1.4749575992512833,
    0.33774898912002,
    0.02536037414203388,
    0.0008146791071843061,
    1.2754507566772912E-5,
    1.0431458965757199E-7,
    4.6068072814652043E-10,
    1.1027321506624028E-12,
    1.3879653125957886E-15,
    8.391588162831187E-19,
    1.8695871016278324E-22
  };

  private FresnelIntegrals() {}

  static double cos(double x) {
    return odd(x, FresnelIntegrals::cosOfPositive);
  }

  static double sin(double x) {
    return odd(x, FresnelIntegrals::sinOfPositive);
  }

  private static double odd(double x, DoubleUnaryOperator ofPositive) {
    double size = Math.abs(x);
    double value = size > LIMIT_BEYOND ? 0.5 : ofPositive.applyAsDouble(size);
    return x < 0 ? -value : value;
  }

  private static double cosOfPositive(double x) {
    double square = x * x;
    if (square < AUXILIARY_FROM) {
      double fourth = square * square;
      return x * polynomial(fourth, COS_NUMERATOR) / polynomial(fourth, COS_DENOMINATOR);
    }
    double angle = Math.PI / 2 * square;
    return 0.5 + (f(x) * Math.sin(angle) - g(x) * Math.cos(angle)) / (Math.PI * x);
  }

  private static double sinOfPositive(double x) {
    double square = x * x;
    if (square < AUXILIARY_FROM) {
      double fourth = square * square;
      double cube = x * square;
      return cube * polynomial(fourth, SIN_NUMERATOR) / polynomial(fourth, SIN_DENOMINATOR);
    }
    double angle = Math.PI / 2 * square;
    return 0.5 - (f(x) * Math.cos(angle) + g(x) * Math.sin(angle)) / (Math.PI * x);
  }

  private static double f(double x) {
    double t = 1 / (Math.PI * x * x);
    return 1 - t * t * rational(t * t, F_NUMERATOR, F_DENOMINATOR);
  }

  private static double g(double x) {
    double t = 1 / (Math.PI * x * x);
    return t * rational(t * t, G_NUMERATOR, G_DENOMINATOR);
  }
}
