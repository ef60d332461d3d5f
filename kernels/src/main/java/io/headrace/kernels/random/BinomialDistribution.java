package io.headrace.kernels.random;

import io.headrace.runtime.tensor.DataType;

/**
 * The binomial distribution for one number of trials and one probability. Below 10 expected
 * successes it sums geometric samples (inversion); otherwise it uses Hormann's transformed
 * rejection ("The Generation of Binomial Random Variates", 1993).
 */
final class BinomialDistribution {
  /** Blocks that belong to an output drawn by rejection. */
  private static final long REJECTION_BLOCKS = 256;

  /** Blocks that belong to an output drawn by inversion. */
  private static final long INVERSION_BLOCKS = 42;

  /** Expected successes from which rejection is used. */
  private static final double REJECTION_FROM = 10;

  /** log(k!) minus Stirling's approximation of it, for k from 0 to 9. */
  private static final double[] STIRLING_TAILS = {
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287
  };

  private final double trials;
  private final double probability;

  /** Whether failures are counted, because successes are more likely. */
  private final boolean countsFailures;

  /** The probability of the counted outcome, at most a half. */
  private final double p;

  private final boolean rejects;

  BinomialDistribution(DataType dtype, double trials, double probability) {
    this.trials = trials;
    this.probability = probability;
    this.countsFailures = probability > 0.5;
    this.p = countsFailures ? Distributions.rounded(dtype, 1 - probability) : probability;
    this.rejects = Distributions.rounded(dtype, trials * p) >= REJECTION_FROM;
  }

  /** A sample for element {@code output}. */
  double draw(UniformDraw draw, long output) {
    if (trials <= 0 || probability <= 0) {
      return 0;
    }
    if (probability >= 1) {
      return trials;
    }
    if (Double.isNaN(probability) || !Double.isFinite(trials)) {
      return Double.NaN;
    }
    draw.seek(output * (rejects ? REJECTION_BLOCKS : INVERSION_BLOCKS));
    double count = rejects ? byRejection(draw) : byInversion(draw);
    return countsFailures ? trials - count : count;
  }

  private double byInversion(UniformDraw draw) {
    double sum = 0;
    for (int count = 0; count < UniformDraw.MAX_TRIES; count++) {
      sum += Math.ceil(LibcMath.log(draw.uniform()) / Math.log1p(-p));
      if (sum > trials) {
        return count;
      }
    }
    return Double.NaN;
  }

  private double byRejection(UniformDraw draw) {
    double deviation = Math.sqrt(trials * p * (1 - p));
    double b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double c = trials * p + 0.5;
    double acceptBound = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * deviation;
    for (int tries = 0; tries < UniformDraw.MAX_TRIES; tries++) {
      double u = draw.uniform() - 0.5;
      double v = draw.uniform();
      double shifted = 0.5 - Math.abs(u);
      double k = Math.floor((2 * a / shifted + b) * u + c);
      if (shifted >= 0.07 && v <= acceptBound) {
        return k;
      }
      if (k < 0 || k > trials) {
        continue;
      }
      if (LibcMath.log(v * alpha / (a / (shifted * shifted) + b)) <= bound(k)) {
        return k;
      }
    }
    return Double.NaN;
  }

  /** The log of the probability of k, relative to that of the mode. */
  private double bound(double k) {
    double m = Math.floor((trials + 1) * p);
    double odds = p / (1 - p);
    return (m + 0.5) * LibcMath.log((m + 1) / (odds * (trials - m + 1)))
        + (trials + 1) * LibcMath.log((trials - m + 1) / (trials - k + 1))
        + (k + 0.5) * LibcMath.log(odds * (trials - k + 1) / (k + 1))
        + tail(m)
        + tail(trials - m)
        - tail(k)
        - tail(trials - k);
  }

  /** The error of Stirling's approximation of log(k!). */
  private static double tail(double k) {
    if (k <= 9) {
      return STIRLING_TAILS[(int) k];
    }
    double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
  }
}
