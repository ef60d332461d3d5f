package io.headrace.kernels.special;

import static io.headrace.kernels.special.Approximation.rational;

/**
 * The quantile function of the normal distribution, and with it the inverse of the error function:
 * the rational approximations of S. L. Moshier's Cephes Mathematical Library (ndtri.c).
 */
final class NormalQuantile {
  /** e^-2: between this and 1 less this the approximation is that about the median. */
  private static final double TAIL = 0.1353352832366127;

  private static final double SQRT_TWO_PI = 2.5066282746310007;

  private static final double[] CENTER_NUMERATOR = {
    -59.96335010141079,
    98.00107541859997,
    -56.67628574690703,
    13.931260938727968,
    -1.2391658386738125
  };

  private static final double[] CENTER_DENOMINATOR = {
    1.0,
    1.9544885833814176,
    4.676279128988815,
    86.36024213908905,
    -225.46268785411937,
    200.26021238006066,
    -82.03722561683334,
    15.90562251262117,
    -1.1833162112133
  };

  private static final double[] TAIL_NUMERATOR = {
    4.0554489230596245,
    31.525109459989388,
    57.16281922464213,
    44.08050738932008,
    14.684956192885803,
    2.1866330685079025,
    -0.1402560791713545,
    -0.03504246268278482,
    -0.0008574567851546854
  };

  private static final double[] TAIL_DENOMINATOR = {
    1.0,
    15.779988325646675,
    45.39076351288792,
    41.3172038254672,
    15.04253856929075,
    2.504649462083094,
    -0.14218292285478779,
    -0.03808064076915783,
    -0.0009332594808954574
  };

  private static final double[] FAR_NUMERATOR = {
    3.2377489177694603,
    6.915228890689842,
    3.9388102529247444,
    1.3330346081580755,
    0.20148538954917908,
    0.012371663481782003,
    0.00030158155350823543,
    2.6580697468673755E-6,
    6.239745391849833E-9
  };

  private static final double[] FAR_DENOMINATOR = {
    1.0,
    6.02427039364742,
    3.6798356385616087,
    1.3770209948908132,
    0.21623699359449663,
    0.013420400608854318,
    0.00032801446468212774,
    2.8924786474538068E-6,
    6.790194080099813E-9
  };

  private NormalQuantile() {}

  /** The value that a normal number is below with {@code probability}; NaN outside [0, 1]. */
  static double of(double probability) {
    if (probability == 0) {
      return Double.NEGATIVE_INFINITY;
    }
    if (probability == 1) {
      return Double.POSITIVE_INFINITY;
    }
    boolean isLower = probability <= 1 - TAIL;
    double smaller = isLower ? probability : 1 - probability;
    if (smaller > TAIL) {
      double distance = smaller - 0.5;
      double square = distance * distance;
      double part = square * rational(square, CENTER_NUMERATOR, CENTER_DENOMINATOR);
      return (distance + distance * part) * SQRT_TWO_PI;
    }
    double size = tail(smaller);
    return isLower ? -size : size;
  }

  private static double tail(double probability) {
    double x = Math.sqrt(-2 * Math.log(probability));
    double inverse = 1 / x;
    double correction =
        x < 8
            ? rational(inverse, TAIL_NUMERATOR, TAIL_DENOMINATOR)
            : rational(inverse, FAR_NUMERATOR, FAR_DENOMINATOR);
    return x - Math.log(x) / x - inverse * correction;
  }

  /** The inverse of the error function; NaN outside [-1, 1]. */
  static double erfinv(double x) {
    return of(0.5 * x + 0.5) * Math.sqrt(0.5);
  }

  /** The same where the probability is rounded to a float, as TensorFlow does. */
  static double erfinvOfFloat(double x) {
    return of((float) (0.5 * x + 0.5)) * Math.sqrt(0.5);
  }
}
