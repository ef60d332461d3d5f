package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AttrBounds;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.random.PhiloxStream;
import io.headrace.kernels.random.RandomKernels;
import io.headrace.kernels.random.SharedPhilox;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * UniformCandidateSampler, LearnedUnigramCandidateSampler and the like: negative classes for
 * sampled losses, with the expected count of each true and sampled class.
 */
final class CandidateSamplerOps {
  /** 32-bit samples that a call reserves for each candidate. */
  private static final long SAMPLES_PER_CLASS = 2048;

  static final String RANGE = "range_max: int";

  private CandidateSamplerOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        declared("UniformCandidateSampler", RANGE)
            .kernel(node -> ofRange(node, RangeSampler.Uniform::new, entropy)),
        declared("LogUniformCandidateSampler", RANGE)
            .kernel(node -> ofRange(node, RangeSampler.LogUniform::new, entropy)),
        unigrams("LearnedUnigramCandidateSampler", entropy),
        unigrams("ThreadUnsafeUnigramCandidateSampler", entropy),
        declared("AllCandidateSampler")
            .kernel(node -> {
              RangeSampler all =
                  new RangeSampler.All(AttrBounds.int32AtLeast(1, node.attrs(), "num_sampled"));
              return kernel(node, () -> all, entropy);
            }));
  }

  private static Op unigrams(String name, LongSupplier entropy) {
    return declared(name, RANGE)
        .remark("A range_max of 2^31 - 1 or more is refused, where TensorFlow's process ends.")
        .kernel(node -> ofRange(node, LearnedUnigrams::new, entropy));
  }

  private static Kernel.Sync ofRange(
      NodeSpec node, LongFunction<RangeSampler> samplers, LongSupplier entropy) {
    RangeSampler sampler = samplers.apply(AttrBounds.atLeast(1, node.attrs(), "range_max"));
    return kernel(node, () -> sampler, entropy);
  }

  /** A sampler's op, with {@code attrs} between those that all have. */
  static Op.Builder declared(String name, String... attrs) {
    List<String> all =
        new ArrayList<>(List.of("num_true: int", "num_sampled: int", "unique: bool"));
    all.addAll(List.of(attrs));
    all.addAll(List.of("seed: int = 0", "seed2: int = 0"));
    return Op.define(
            name
                + "(true_classes: int64) -> (sampled_candidates: int64,"
                + " true_expected_count: float, sampled_expected_count: float)")
        .attrs(all.toArray(String[]::new))
        .stateful()
        .shape(CandidateSamplerOps::rule);
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape sampled = Shape.of(in.attrs().integer("num_sampled"));
    Shape classes = Shapes.withRank(in.shape(0), 2);
    return List.of(sampled, Shape.of(classes.size(0), in.attrs().integer("num_true")), sampled);
  }

  /** A kernel that samples from what {@code samplers} gives, which it asks in each call. */
  static Kernel.Sync kernel(NodeSpec node, Supplier<RangeSampler> samplers, LongSupplier entropy) {
    Attrs attrs = node.attrs();
    int count = AttrBounds.int32AtLeast(1, attrs, "num_sampled");
    int columns = AttrBounds.int32AtLeast(1, attrs, "num_true");
    boolean unique = attrs.bool("unique");
    SharedPhilox shared = RandomKernels.seeded(attrs, entropy);
    return call -> {
      Tensor classes = call.input(0);
      RangeSampler sampler = samplers.get();
      check(classes, columns, sampler.range());
      if (unique && count > sampler.range()) {
        throw invalidArgument("Sampler's range is too small.");
      }
      PhiloxStream stream = new PhiloxStream(shared.reserveSamples(SAMPLES_PER_CLASS * count));
      RangeSampler.Samples samples =
          sampler.samples(stream, count, unique, classes, call.cancellation());
      call.setOutput(0, samples.classes());
      call.setOutput(1, samples.trueExpected());
      call.setOutput(2, samples.expected());
    };
  }

  private static void check(Tensor classes, int columns, long range) {
    if (classes.shape().rank() != 2) {
      throw invalidArgument("true_classes must be a matrix, and is %s", classes);
    }
    if (classes.shape().size(1) != columns) {
      throw invalidArgument(
          "true_classes must have num_true columns, expected: %d was: %d",
          classes.shape().size(1), columns);
    }
    for (int i = 0; i < classes.elements(); i++) {
      long value = classes.integer(i);
      if (value < 0 || value >= range) {
        throw invalidArgument("`true_candidate` out of range [0, %d), received %d", range, value);
      }
    }
  }
}
