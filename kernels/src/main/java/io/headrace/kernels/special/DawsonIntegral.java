package io.headrace.kernels.special;

import static io.headrace.kernels.special.Approximation.polynomial;
import static io.headrace.kernels.special.Approximation.rational;

/**
 * Dawson's integral, e^(-x^2) times the integral of e^(t^2) from 0 to x: the rational
 * approximations of S. L. Moshier's Cephes Mathematical Library (dawsn.c).
 */
final class DawsonIntegral {
  /** From this argument on the value rounds to 1 / (2 x). */
  private static final double ASYMPTOTIC_FROM = 1e9;

  private static final double[] NEAR_NUMERATOR = {
    1.1368149897175597E-11,
    8.492622676674738E-10,
    1.9443420417555306E-8,
    9.531517412544844E-7,
    3.078283098749132E-6,
    0.00035251336852028877,
    -0.0008501498467244109,
    0.04226182230055466,
    -0.09174803717734524,
    1.0
  };

  private static final double[] NEAR_DENOMINATOR = {
    2.403720730667626E-11,
    1.488646813684934E-9,
    5.212652810105416E-8,
    1.2725847827318697E-6,
    2.324902498207895E-5,
    0.00032552474182605793,
    0.003488058146571626,
    0.027944853119882897,
    0.15887424196012057,
    0.5749186294893204,
    1.0
  };

  private static final double[] MIDDLE_NUMERATOR = {
    0.5089551564179009,
    -0.24475441814269785,
    0.09415123353035344,
    -0.021871125514203903,
    0.003662076123295692,
    -0.0004232091144603888,
    3.5964130479389666E-5,
    -2.1464035171996896E-6,
    9.100107800763914E-8,
    -2.4027452082825098E-9,
    3.592333854409284E-11
  };

  private static final double[] MIDDLE_DENOMINATOR = {
    1.0,
    -0.6318398698733682,
    0.2367067882282487,
    -0.053180636700322324,
    0.008480417185862954,
    -0.0009479967684866654,
    7.810255929445524E-5,
    -4.558751532524426E-6,
    1.8910035811142186E-7,
    -4.913246913319206E-9,
    7.184664032357345E-11
  };

  private static final double[] FAR_NUMERATOR = {
    -0.5905928605347732,
    0.6292352427243688,
    -0.17285897538038814,
    0.016483704782518965,
    -0.0004868276130204627
  };

  private static final double[] FAR_DENOMINATOR = {
    1.0,
    -2.698200571975449,
    1.7327079904594784,
    -0.3937085822819395,
    0.03442789240412334,
    -0.0009736552260409412
  };

  private DawsonIntegral() {}

  static double of(double x) {
    double size = Math.abs(x);
    double value;
    if (size < 3.25) {
      double square = size * size;
      value = size * polynomial(square, NEAR_NUMERATOR) / polynomial(square, NEAR_DENOMINATOR);
    } else if (size < 6.25) {
      value = inInverse(size, MIDDLE_NUMERATOR, MIDDLE_DENOMINATOR);
    } else if (size < ASYMPTOTIC_FROM) {
      value = inInverse(size, FAR_NUMERATOR, FAR_DENOMINATOR);
    } else {
      // TensorFlow does not take the size here, so that the value has the wrong sign below zero.
      value = 0.5 / x;
    }
    return x < 0 ? -value : value;
  }

  private static double inInverse(double x, double[] numerator, double[] denominator) {
    double inverse = 1 / x;
    double square = inverse * inverse;
    return (inverse + square * (rational(square, numerator, denominator) / x)) / 2;
  }
}
