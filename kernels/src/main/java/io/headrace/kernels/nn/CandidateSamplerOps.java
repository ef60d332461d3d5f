package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.KeyIndex;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.random.Philox;
import io.headrace.kernels.random.PhiloxStream;
import io.headrace.kernels.random.SharedPhilox;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * The ops UniformCandidateSampler and LogUniformCandidateSampler: negative classes for sampled
 * losses, with the expected count of each true and sampled class. The log-uniform distribution is
 * approximately Zipf's, over classes from 0 on.
 */
final class CandidateSamplerOps {
  /** 32-bit samples that a call reserves for each candidate. */
  private static final long SAMPLES_PER_CLASS = 2048;

  /** Tries between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 16;

  private CandidateSamplerOps() {}

  /** A distribution over classes. */
  private interface Sampler {
    long sample(PhiloxStream stream);

    float probability(long value);
  }

  private record Uniform(long range) implements Sampler {
    @Override
    public long sample(PhiloxStream stream) {
      return stream.nextBelow(range);
    }

    @Override
    public float probability(long value) {
      return (float) (1.0 / range);
    }
  }

  private record LogUniform(long range, double logRange) implements Sampler {
    LogUniform(long range) {
      this(range, Math.log1p((double) range));
    }

    @Override
    public long sample(PhiloxStream stream) {
      return ((long) Math.exp(stream.nextDouble() * logRange) - 1) % range;
    }

    @Override
    public float probability(long value) {
      return (float) (Math.log((value + 2.0) / (value + 1.0)) / logRange);
    }
  }

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        sampling("UniformCandidateSampler", Uniform::new, entropy),
        sampling("LogUniformCandidateSampler", LogUniform::new, entropy));
  }

  private static Op sampling(String name, LongFunction<Sampler> sampler, LongSupplier entropy) {
    return Op.define(
            name
                + "(true_classes: int64) -> (sampled_candidates: int64,"
                + " true_expected_count: float, sampled_expected_count: float)")
        .attrs(
            "num_true: int",
            "num_sampled: int",
            "unique: bool",
            "range_max: int",
            "seed: int = 0",
            "seed2: int = 0")
        .stateful()
        .shape(CandidateSamplerOps::rule)
        .kernel(node -> kernel(node, sampler, entropy));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape sampled = Shape.of(in.attrs().integer("num_sampled"));
    Shape classes = Shapes.withRank(in.shape(0), 2);
    return List.of(sampled, Shape.of(classes.size(0), in.attrs().integer("num_true")), sampled);
  }

  private static Kernel.Sync kernel(
      NodeSpec node, LongFunction<Sampler> samplers, LongSupplier entropy) {
    Attrs attrs = node.attrs();
    long range = attrs.integer("range_max");
    if (range <= 0) {
      throw invalidArgument("range_max must be positive, and is %d", range);
    }
    Sampler sampler = samplers.apply(range);
    SharedPhilox shared =
        new SharedPhilox(
            Philox.ofSeedAttrs(attrs.integer("seed"), attrs.integer("seed2"), entropy));
    return call -> {
      check(call.input(0), attrs, range);
      sample(call, attrs, sampler, shared);
    };
  }

  private static void check(Tensor classes, Attrs attrs, long range) {
    if (classes.shape().rank() != 2) {
      throw invalidArgument("true_classes must be a matrix, and is %s", classes);
    }
    long columns = attrs.integer("num_true");
    if (classes.shape().size(1) != columns) {
      throw invalidArgument(
          "true_classes must have num_true columns, expected: %d was: %d",
          classes.shape().size(1), columns);
    }
    if (attrs.bool("unique") && attrs.integer("num_sampled") > range) {
      throw invalidArgument("Sampler's range is too small.");
    }
    for (int i = 0; i < classes.elements(); i++) {
      long value = classes.integer(i);
      if (value < 0 || value >= range) {
        throw invalidArgument("`true_candidate` out of range [0, %d), received %d", range, value);
      }
    }
  }

  private static void sample(KernelCall call, Attrs attrs, Sampler sampler, SharedPhilox shared) {
    int count = (int) attrs.integer("num_sampled");
    Shape shape = Shape.of(count);
    long[] sampled = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    PhiloxStream stream = new PhiloxStream(shared.reserveSamples(SAMPLES_PER_CLASS * count));
    int tries = count;
    if (attrs.bool("unique")) {
      tries = sampleUnique(call, sampler, stream, sampled);
    } else {
      for (int i = 0; i < count; i++) {
        sampled[i] = sampler.sample(stream);
      }
    }
    Tensor candidates = Tensor.wrap(DataType.INT64, shape, sampled);
    call.setOutput(0, candidates);
    call.setOutput(1, expected(call.input(0), sampler, count, tries));
    call.setOutput(2, expected(candidates, sampler, count, tries));
  }

  /** Fills {@code sampled} with distinct classes by rejection; returns the number of tries. */
  private static int sampleUnique(
      KernelCall call, Sampler sampler, PhiloxStream stream, long[] sampled) {
    KeyIndex used = KeyIndex.of(DataType.INT64);
    long[] value = new long[1];
    int tries = 0;
    while (used.size() < sampled.length) {
      if (tries % CANCELLATION_STEP == 0) {
        call.cancellation().check();
      }
      tries = Math.addExact(tries, 1);
      value[0] = sampler.sample(stream);
      int before = used.size();
      used.put(value, 0);
      if (used.size() > before) {
        sampled[before] = value[0];
      }
    }
    return tries;
  }

  /** The expected count of each class in {@code tries} tries that gave {@code count} samples. */
  private static Tensor expected(Tensor classes, Sampler sampler, int count, int tries) {
    float[] expected = (float[]) TensorLimit.allocate(DataType.FLOAT32, classes.shape());
    for (int i = 0; i < expected.length; i++) {
      float p = sampler.probability(classes.integer(i));
      expected[i] =
          tries == count ? p * count : -(float) Math.expm1(tries * (float) Math.log1p(-p));
    }
    return Tensor.wrap(DataType.FLOAT32, classes.shape(), expected);
  }
}
