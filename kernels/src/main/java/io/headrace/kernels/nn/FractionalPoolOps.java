package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.status.StatusException.unimplemented;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.kernels.random.Philox;
import io.headrace.kernels.random.SharedPhilox;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * FractionalMaxPool and FractionalAvgPool: pooling over random regions, by which images shrink by a
 * ratio that is no integer.
 */
final class FractionalPoolOps {
  /** The dtypes of fractional pooling and its gradients. */
  static final String TYPES = "T: {float, double, int32, int64}";

  private static final int RANK = 4;

  /** Pools images over regions. */
  @FunctionalInterface
  private interface Body {
    Object of(KernelCall call, FractionalRegions regions, Shape result);
  }

  private FractionalPoolOps() {}

  /** The ops; {@code entropy} seeds the generators of nodes without seed attrs. */
  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        op("FractionalMaxPool", "max", FractionalPoolOps::largest, entropy),
        op("FractionalAvgPool", "average", FractionalPoolOps::mean, entropy));
  }

  private static Op op(String name, String kind, Body body, LongSupplier entropy) {
    return Op.define(
            name
                + "(value: T) -> (output: T, row_pooling_sequence: int64,"
                + " col_pooling_sequence: int64)")
        .attrs(
            "pooling_ratio: list(float)",
            "pseudo_random: bool = false",
            "overlapping: bool = false",
            "deterministic: bool = false",
            "seed: int = 0",
            "seed2: int = 0",
            TYPES)
        .remark("The shapes of the sequences are inferred with their ends, unlike TensorFlow's.")
        .shape(FractionalPoolOps::rule)
        .kernel(node -> pool(node, kind, body, entropy));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape images = Shapes.withRank(in.shape(0), RANK);
    List<Float> ratios = in.attrs().floats("pooling_ratio");
    check(ratios);
    Shape result = images;
    for (int i = 0; i < RANK; i++) {
      if (images.size(i) >= 0) {
        result = Shapes.withSize(result, i, size(images.size(i), ratios.get(i)));
      }
    }
    return List.of(
        result, Shape.of(Shapes.add(result.size(1), 1)), Shape.of(Shapes.add(result.size(2), 1)));
  }

  private static void check(List<Float> ratios) {
    if (ratios.size() != RANK) {
      throw invalidArgument("pooling_ratio field must specify 4 dimensions");
    }
    for (float ratio : ratios) {
      if (!(ratio >= 1)) {
        throw invalidArgument(
            "pooling_ratio cannot be smaller than 1, got: %s", TensorText.number(ratio, false));
      }
    }
  }

  private static long size(long in, float ratio) {
    return (long) Math.floor(in / ratio);
  }

  private static Kernel.Sync pool(NodeSpec node, String kind, Body body, LongSupplier entropy) {
    Attrs attrs = node.attrs();
    List<Float> ratios = attrs.floats("pooling_ratio");
    check(ratios);
    if (ratios.getFirst() != 1f || ratios.getLast() != 1f) {
      throw unimplemented(
          "Fractional %s pooling is not yet supported on the batch nor channel dimension.", kind);
    }
    long seed = attrs.integer("seed");
    long seed2 = attrs.integer("seed2");
    boolean deterministic = attrs.bool("deterministic");
    if (!deterministic && (seed != 0 || seed2 != 0)) {
      throw invalidArgument("Both seed and seed2 should be 0 if deterministic is false.");
    }
    // One generator, which each call copies, or one for each call.
    Philox first = Philox.ofSeedAttrs(seed, seed2, entropy);
    boolean pseudoRandom = attrs.bool("pseudo_random");
    boolean overlapping = attrs.bool("overlapping");
    return call -> {
      Shape shape = call.input(0).shape();
      Shape result = result(shape, ratios);
      SharedPhilox generator =
          new SharedPhilox(deterministic ? first.copy() : Philox.ofSeedAttrs(0, 0, entropy));
      long[][] sequences = new long[2][];
      for (int i = 0; i < sequences.length; i++) {
        int in = (int) shape.size(i + 1);
        int out = (int) result.size(i + 1);
        sequences[i] = PoolingSequences.of(in, out, pseudoRandom, generator);
      }
      FractionalRegions regions =
          FractionalRegions.of(shape, sequences[0], sequences[1], overlapping);
      Object pooled = body.of(call, regions, result);
      call.setOutput(0, Tensor.wrap(call.input(0).dtype(), result, pooled));
      call.setOutput(1, Tensor.vector(sequences[0]));
      call.setOutput(2, Tensor.vector(sequences[1]));
    };
  }

  private static Shape result(Shape shape, List<Float> ratios) {
    if (shape.rank() != RANK) {
      throw invalidArgument("tensor_in must be 4-dimensional");
    }
    Shape result = shape;
    for (int i = 0; i < RANK; i++) {
      if (shape.size(i) < ratios.get(i)) {
        throw invalidArgument(
            "Pooling ratio is higher than input dimension size for dimension %d. Input dim size:"
                + " %d pooling ratio: %s",
            i, shape.size(i), TensorText.number(ratios.get(i), false));
      }
      result = Shapes.withSize(result, i, size(shape.size(i), ratios.get(i)));
    }
    return result;
  }

  private static Object largest(KernelCall call, FractionalRegions regions, Shape result) {
    Object largest = TensorLimit.allocate(call.input(0).dtype(), result);
    switch (largest) {
      case float[] a -> Arrays.fill(a, -Float.MAX_VALUE);
      case double[] a -> Arrays.fill(a, -Double.MAX_VALUE);
      case int[] a -> Arrays.fill(a, Integer.MIN_VALUE);
      case long[] a -> Arrays.fill(a, Long.MIN_VALUE);
      default -> throw new AssertionError(largest.getClass());
    }
    combine(Combiner.MAX, call, regions, largest);
    return largest;
  }

  private static Object mean(KernelCall call, FractionalRegions regions, Shape result) {
    Object sums = TensorLimit.allocate(call.input(0).dtype(), result);
    combine(Combiner.ADD, call, regions, sums);
    int channels = (int) result.size(RANK - 1);
    int count = regions.count();
    for (int region = 0; region < count; region++) {
      int size = regions.size(region);
      for (int i = region * channels; i < (region + 1) * channels; i++) {
        switch (sums) {
          case float[] a -> a[i] /= size;
          case double[] a -> a[i] /= size;
          case int[] a -> a[i] /= size;
          case long[] a -> a[i] /= size;
          default -> throw new AssertionError(sums.getClass());
        }
      }
    }
    return sums;
  }

  private static void combine(
      Combiner combiner, KernelCall call, FractionalRegions regions, Object results) {
    Tensor images = call.input(0);
    int channels = (int) images.shape().size(RANK - 1);
    regions.visit(
        call.cancellation(),
        (pixel, region) ->
            combiner.into(
                images.dtype(),
                results,
                region * channels,
                TensorMemory.array(images),
                TensorMemory.offset(images) + pixel * channels,
                channels));
  }
}
