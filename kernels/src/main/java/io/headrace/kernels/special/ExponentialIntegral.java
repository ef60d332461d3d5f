package io.headrace.kernels.special;

import static io.headrace.kernels.special.Approximation.rational;

/**
 * The exponential integral Ei of a positive number: the rational approximations of S. L. Moshier's
 * Cephes Mathematical Library (ei.c).
 */
final class ExponentialIntegral {
  private static final double EULER = 0.5772156649015329;

  private static final double[] NUMERATOR_BELOW_2 = {
    -5.350447357812543,
    218.50491688166133,
    -4176.572384826693,
    55411.76756393557,
    -331338.13311781443,
    1592627.1633849454
  };

  private static final double[] DENOMINATOR_BELOW_2 = {
    1.0,
    -52.505479591128626,
    1259.6161867867906,
    -17565.495819735348,
    149306.2117002726,
    -729494.9239640528,
    1592627.1633849454
  };

  private static final double[] NUMERATOR_BELOW_4 = {
    0.019818085032596897,
    -1.2716456259849176,
    -2.0881603356812284,
    2.7555445091879367,
    -0.44095070487016,
    0.046656238059358916,
    -0.0015450426796734852,
    7.059980605299618E-5
  };

  private static final double[] DENOMINATOR_BELOW_4 = {
    1.0,
    1.4764986709149215,
    0.5629177174822436,
    0.16990178978793072,
    0.02291647179034212,
    0.0044501504397287525,
    0.00017274396122065214,
    3.953167195549672E-5
  };

  private static final double[] NUMERATOR_BELOW_8 = {
    -1.3732153758712087,
    -0.7084559133740839,
    1.580806855547941,
    -0.2601500427425623,
    0.029946746941137137,
    -0.001038086040188744,
    4.371064420753005E-5,
    2.141783679522603E-6
  };

  private static final double[] DENOMINATOR_BELOW_8 = {
    1.0,
    0.8585231423622028,
    0.4483285822873995,
    0.07687932158124476,
    0.024498682410218877,
    0.0008832165941927797,
    0.00045909522995113536,
    -4.729848351866523E-6,
    2.66519553739071E-6
  };

  private static final double[] NUMERATOR_BELOW_16 = {
    -2.1069346016919166,
    1.7327338696646881,
    -0.2423619178935842,
    0.02322724180937566,
    0.00023728804404931798,
    -8.343219561192553E-5,
    1.3634087956052505E-5,
    -3.655412321999254E-7,
    1.4649417339759612E-8,
    6.17640786371036E-10
  };

  private static final double[] DENOMINATOR_BELOW_16 = {
    1.0,
    -0.2298062239901678,
    0.11050770414740378,
    -0.015665429666307924,
    0.002761106850817353,
    -0.00020891480122840484,
    1.7085289388076754E-5,
    -4.4593117963566865E-7,
    1.3946349303538475E-8,
    6.150865933977338E-10
  };

  private static final double[] NUMERATOR_BELOW_32 = {
    -0.24581193676740204,
    -0.14833822533220778,
    0.07248291795735552,
    -0.013483156873809405,
    0.001342775069788637,
    -7.942465637159712E-5,
    2.644179518984236E-6,
    -4.239473659313765E-8
  };

  private static final double[] DENOMINATOR_BELOW_32 = {
    1.0,
    -0.10442259084438711,
    -0.26764531281014026,
    0.09695000254621984,
    -0.01601745692712991,
    0.001496414899205908,
    -8.462452563778485E-5,
    2.7289384034767266E-6,
    -4.239462431819542E-8
  };

  private static final double[] NUMERATOR_BELOW_64 = {
    0.12125611181054567,
    -0.5823133179043894,
    0.2348887314557017,
    -0.030400343181132484,
    0.0015100821468651906,
    -2.5231370954995714E-5
  };

  private static final double[] DENOMINATOR_BELOW_64 = {
    1.0,
    -1.002252150365854,
    0.2928709694872224,
    -0.03337004338674008,
    0.0015605448811273888,
    -2.5231370936032347E-5
  };

  private static final double[] NUMERATOR_FAR = {
    -0.7657847078286127,
    0.6886192415566705,
    -0.2132598113545206,
    0.033461075523841935,
    -0.003076541477344756,
    0.00017471193164549074,
    -6.1037116822741705E-6,
    1.218032765428652E-7,
    -1.0860761027932903E-9
  };

  private static final double[] DENOMINATOR_FAR = {
    1.0,
    -1.8888028686623086,
    1.066691687211409,
    -0.27519159823063805,
    0.039308526882338234,
    -0.003414684558602365,
    0.00018668443707035555,
    -6.345146083130515E-6,
    1.239754287483207E-7,
    -1.0860761027931265E-9
  };

  private ExponentialIntegral() {}

  /** The value at {@code x}: NaN below 0, and negative infinity at 0. */
  static double of(double x) {
    if (x < 0) {
      return Double.NaN;
    }
    if (x < 2) {
      return x * rational(x, NUMERATOR_BELOW_2, DENOMINATOR_BELOW_2) + EULER + Math.log(x);
    }
    double inverse = 1 / x;
    return Math.exp(x) * inverse * (inverse * factor(x, inverse) + 1);
  }

  private static double factor(double x, double inverse) {
    if (x < 4) {
      return rational(inverse, NUMERATOR_BELOW_4, DENOMINATOR_BELOW_4);
    }
    if (x < 8) {
      return rational(inverse, NUMERATOR_BELOW_8, DENOMINATOR_BELOW_8);
    }
    if (x < 16) {
      return rational(inverse, NUMERATOR_BELOW_16, DENOMINATOR_BELOW_16);
    }
    if (x < 32) {
      return rational(inverse, NUMERATOR_BELOW_32, DENOMINATOR_BELOW_32);
    }
    return x < 64
        ? rational(inverse, NUMERATOR_BELOW_64, DENOMINATOR_BELOW_64)
        : rational(inverse, NUMERATOR_FAR, DENOMINATOR_FAR);
  }
}
