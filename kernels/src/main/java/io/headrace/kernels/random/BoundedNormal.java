package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.function.DoubleConsumer;

/**
 * A normal distribution between bounds, by rejection: of normal samples if the bounds are wide, of
 * uniform ones if they are narrow, else of exponential ones (C. Robert, "Simulation of Truncated
 * Normal Variables", 1995). Each step is rounded to the dtype, as in TensorFlow, since samples are
 * compared with each other.
 */
final class BoundedNormal {
  private static final int MAX_TRIES = 1000;

  /** How far from the mean, in deviations, a bound is for normal samples to be drawn. */
  private static final double WIDE = 1.3;

  private final DataType dtype;
  private final double mean;

  /** The standard deviation; negative if the distribution is mirrored. */
  private final double deviation;

  /** The bounds of the standardized distribution. */
  private final double least;

  private final double most;

  /** The samples of the last two blocks. */
  private final double[] samples = new double[Philox.BLOCK];

  private final double[] others = new double[Philox.BLOCK];
  private final int[] block = new int[Philox.BLOCK];
  private int tries;

  /** INVALID_ARGUMENT unless the deviation is positive and the bounds are apart. */
  BoundedNormal(DataType dtype, double mean, double deviation, double least, double most) {
    boolean isBounded = Double.isFinite(least) || Double.isFinite(most);
    if (!(deviation > 0 && least < most && isBounded)) {
      throw invalidArgument("Invalid parameters");
    }
    this.dtype = dtype;
    this.mean = mean;
    boolean isMirrored = least == Double.NEGATIVE_INFINITY || most < mean;
    this.deviation = isMirrored ? -deviation : deviation;
    this.least = standardized(isMirrored ? most : least);
    this.most = standardized(isMirrored ? least : most);
  }

  private double standardized(double bound) {
    return round(round(bound - mean) / deviation);
  }

  private double round(double x) {
    return Distributions.rounded(dtype, x);
  }

  private double exp(double x) {
    return dtype == DataType.FLOAT64 ? LibcMath.exp(x) : round(LibcMath.exp((float) x));
  }

  private double log(double x) {
    return dtype == DataType.FLOAT64 ? LibcMath.log(x) : round(LibcMath.log((float) x));
  }

  /** Gives {@code count} samples from the next block of {@code generator} on to {@code sink}. */
  void draw(Philox generator, int count, Cancellation stop, DoubleConsumer sink) {
    double wide = round(WIDE);
    Proposal proposal;
    if ((least < -wide && most >= 0) || (most > wide && least <= 0)) {
      proposal = this::proposeNormal;
    } else if (round(most - least) < cutoff()) {
      proposal = this::proposeUniform;
    } else {
      proposal = this::proposeExponential;
    }
    tries = 0;
    for (int left = count; left > 0; ) {
      stop.check();
      left -= proposal.propose(generator, left, sink);
    }
  }

  /** A way to draw samples, of which some are accepted. */
  @FunctionalInterface
  private interface Proposal {
    /** Gives at most {@code limit} samples to {@code sink}, and returns how many. */
    int propose(Philox generator, int limit, DoubleConsumer sink);
  }

  /** The distance of the bounds below which uniform samples are accepted more often. */
  private double cutoff() {
    double root = root();
    double exponent = round(round(least * round(least - root)) / 4);
    return round(round(2 * exp(round(0.5 + exponent))) / round(least + root));
  }

  private double root() {
    return round(Math.sqrt(round(round(least * least) + 4)));
  }

  private int proposeNormal(Philox generator, int limit, DoubleConsumer sink) {
    generator.next(block);
    Distributions.normal(dtype, block, samples);
    int accepted = 0;
    for (int i = 0; i < Distributions.samplesPerBlock(dtype); i++) {
      if (samples[i] >= least && samples[i] <= most) {
        accept(samples[i], sink);
        if (++accepted == limit) {
          break;
        }
      } else if (++tries > MAX_TRIES) {
        throw failure("TruncatedNormal randn rejection sampler failed to accept a sample.");
      }
    }
    return accepted;
  }

  private int proposeUniform(Philox generator, int limit, DoubleConsumer sink) {
    generator.next(block);
    Distributions.uniform(dtype, block, samples);
    generator.next(block);
    Distributions.uniform(dtype, block, others);
    double width = round(most - least);
    double highest = least < 0 ? 0 : round(least * least);
    int accepted = 0;
    for (int i = 0; i < Distributions.samplesPerBlock(dtype); i++) {
      double z = round(round(samples[i] * width) + least);
      double density = exp(round(round(highest - round(z * z)) / 2));
      if (others[i] <= density) {
        accept(z, sink);
        if (++accepted == limit) {
          break;
        }
      } else if (++tries >= MAX_TRIES) {
        throw failure("TruncatedNormal uniform rejection sampler failed to  accept a sample.");
      }
    }
    return accepted;
  }

  private int proposeExponential(Philox generator, int limit, DoubleConsumer sink) {
    generator.next(block);
    Distributions.uniform(dtype, block, samples);
    double rate = round(round(least + root()) / 2);
    int accepted = 0;
    for (int i = 0; i < Distributions.samplesPerBlock(dtype); i += 2) {
      double z = round(round(-log(samples[i]) / rate) + least);
      double x = least < rate ? round(rate - z) : round(least - rate);
      double density = exp(round(round(-x * x) / 2));
      if (samples[i + 1] <= density && z < most) {
        accept(z, sink);
        if (++accepted == limit) {
          break;
        }
      } else if (++tries >= MAX_TRIES) {
        throw failure(
            "TruncatedNormal exponential distribution rejection sampler failed to accept a"
                + " sample.");
      }
    }
    return accepted;
  }

  private void accept(double sample, DoubleConsumer sink) {
    sink.accept(round(round(sample * deviation) + mean));
    tries = 0;
  }

  private static StatusException failure(String message) {
    return StatusException.of(StatusCode.INTERNAL, "%s", message);
  }
}
