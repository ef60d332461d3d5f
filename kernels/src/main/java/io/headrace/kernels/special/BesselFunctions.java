package io.headrace.kernels.special;

import static io.headrace.kernels.special.Approximation.rational;

/**
 * Bessel functions of the first kind (J) and of the second kind (Y), of orders 0 and 1: the
 * rational approximations of S. L. Moshier's Cephes Mathematical Library (j0.c, j1.c). Beyond 5
 * they are those of the Hankel expansion's two factors.
 */
final class BesselFunctions {
  private static final double SPLIT = 5;

  /** Squares of the first two zeros of J0. */
  private static final double[] J0_ZEROS = {5.783185962946784, 30.471262343662087};

  /** Squares of the first two zeros of J1. */
  private static final double[] J1_ZEROS = {14.681970642123893, 49.2184563216946};

  private static final double[] J0_NUMERATOR = {
    -4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0
  };

  private static final double[] J0_DENOMINATOR = {
    1.0,
    499.563147152651,
    173785.4016763747,
    48440965.83399621,
    11185553704.535683,
    2112775201154.892,
    310518229857422.56,
    3.1812195594320496E16,
    1.7108629408104315E18
  };

  private static final double[] Y0_NUMERATOR = {
    15592.436785523574,
    -14663929.59039716,
    5435264770.518765,
    -982136065717.9115,
    87590639439536.7,
    -3466283033847297.0,
    4.4273326857256984E16,
    -1.8495080043698668E16
  };

  private static final double[] Y0_DENOMINATOR = {
    1.0,
    1041.2835366425984,
    626107.330137135,
    268919633.39381415,
    86400248710.3935,
    20297961275010.555,
    3171577528429750.5,
    2.5059625617265306E17
  };

  private static final double[] J1_NUMERATOR = {
    -899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0
  };

  private static final double[] J1_DENOMINATOR = {
    1.0,
    620.8364781180543,
    256987.25675774884,
    83514679.14319493,
    22151159547.97925,
    4749141220799.914,
    784369607876235.9,
    8.952223361846274E16,
    5.322786203326801E18
  };

  private static final double[] Y1_NUMERATOR = {
    1263204747.9017804,
    -647355876379.1603,
    114509511541823.73,
    -8127702555013251.0,
    2.024394757135949E17,
    -7.788771962659501E17
  };

  private static final double[] Y1_DENOMINATOR = {
    1.0,
    594.3015923461282,
    235564.09294306856,
    73481194.44597217,
    18760131610.870617,
    3882312774962.3857,
    620557727146953.8,
    6.871410873553005E16,
    3.9727060811656064E18
  };

  private static final Hankel ORDER_0 =
      new Hankel(
          new double[] {
            0.0007969367292973471,
            0.08283523921074408,
            1.239533716464143,
            5.447250030587687,
            8.74716500199817,
            5.303240382353949,
            1.0
          },
          new double[] {
            0.0009244088105588637,
            0.08562884743544745,
            1.2535274390105895,
            5.470977403304171,
            8.761908832370695,
            5.306052882353947,
            1.0
          },
          new double[] {
            -0.011366383889846916,
            -1.2825271867050931,
            -19.553954425773597,
            -93.20601521237683,
            -177.68116798048806,
            -147.07750515495118,
            -51.41053267665993,
            -6.050143506007285
          },
          new double[] {
            1.0,
            64.3178256118178,
            856.4300259769806,
            3882.4018360540163,
            7240.467741956525,
            5930.727011873169,
            2062.0933166032783,
            242.0057402402914
          },
          Math.PI / 4);

  private static final Hankel ORDER_1 =
      new Hankel(
          new double[] {
            0.0007621256162081731,
            0.07313970569409176,
            1.1271960812968493,
            5.112079511468076,
            8.424045901417724,
            5.214515986823615,
            1.0
          },
          new double[] {
            0.0005713231280725487,
            0.06884559087544954,
            1.105142326340617,
            5.073863861286015,
            8.399855543276042,
            5.209828486823619,
            1.0
          },
          new double[] {
            0.05108625947501766,
            4.982138729512334,
            75.82382841325453,
            366.7796093601508,
            710.8563049989261,
            597.4896124006136,
            211.68875710057213,
            25.207020585802372
          },
          new double[] {
            1.0,
            74.23732770356752,
            1056.4488603826283,
            4986.410583376536,
            9562.318924047562,
            7997.041604473507,
            2826.1927851763908,
            336.0936078106983
          },
          2.356194490192345);

  private BesselFunctions() {}

  static double j0(double x) {
    double size = Math.abs(x);
    if (!(size <= SPLIT)) {
      return ORDER_0.cosine(size);
    }
    double square = size * size;
    if (size < 1e-5) {
      return 1 - square / 4;
    }
    double zeros = (square - J0_ZEROS[0]) * (square - J0_ZEROS[1]);
    return zeros * rational(square, J0_NUMERATOR, J0_DENOMINATOR);
  }

  static double y0(double x) {
    if (!(x <= SPLIT)) {
      return ORDER_0.sine(x);
    }
    return x <= 0
        ? Double.NEGATIVE_INFINITY
        : rational(x * x, Y0_NUMERATOR, Y0_DENOMINATOR) + 2 / Math.PI * Math.log(x) * j0(x);
  }

  static double j1(double x) {
    double size = Math.abs(x);
    if (!(size <= SPLIT)) {
      double value = ORDER_1.cosine(size);
      return x < 0 ? -value : value;
    }
    double square = size * size;
    double odd = rational(square, J1_NUMERATOR, J1_DENOMINATOR) * x;
    return odd * (square - J1_ZEROS[0]) * (square - J1_ZEROS[1]);
  }

  static double y1(double x) {
    if (!(x <= SPLIT)) {
      return ORDER_1.sine(x);
    }
    return x <= 0
        ? Double.NEGATIVE_INFINITY
        : rational(x * x, Y1_NUMERATOR, Y1_DENOMINATOR) * x
            + 2 / Math.PI * (j1(x) * Math.log(x) - 1 / x);
  }

  /**
   * The expansion for large arguments: sqrt(2 / (pi x)) times P cos(x - phase) - (5 / x) Q sin(x -
   * phase), or for Y, P sin(x - phase) + (5 / x) Q cos(x - phase). P and Q are functions of 25 /
   * x^2.
   */
  private static final class Hankel {
    private final double[] pNumerator;
    private final double[] pDenominator;
    private final double[] qNumerator;
    private final double[] qDenominator;
    private final double phase;

    Hankel(
        double[] pNumerator,
        double[] pDenominator,
        double[] qNumerator,
        double[] qDenominator,
        double phase) {
      this.pNumerator = pNumerator;
      this.pDenominator = pDenominator;
      this.qNumerator = qNumerator;
      this.qDenominator = qDenominator;
      this.phase = phase;
    }

    double cosine(double x) {
      double angle = x - phase;
      return scale(x) * (p(x) * Math.cos(angle) - 5 / x * q(x) * Math.sin(angle));
    }

    double sine(double x) {
      double angle = x - phase;
      return scale(x) * (p(x) * Math.sin(angle) + 5 / x * q(x) * Math.cos(angle));
    }

    private static double scale(double x) {
      return Math.sqrt(2 / Math.PI) / Math.sqrt(x);
    }

    private double p(double x) {
      return rational(25 / (x * x), pNumerator, pDenominator);
    }

    private double q(double x) {
      return rational(25 / (x * x), qNumerator, qDenominator);
    }
  }
}
