package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * The ops Multinomial and StatelessMultinomial: for each row of logits, classes by inversion of the
 * cumulative distribution. Rows draw their uniform samples one after the other from one stream.
 */
final class MultinomialOps {
  /** Blocks that the stateful op reserves for each output. */
  private static final long BLOCKS_PER_OUTPUT = 256;

  private static final String REMARK =
      "TensorFlow's classes in rows after the first depend on how it splits rows among threads,"
          + " where they are many.";

  private MultinomialOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        Op.define("Multinomial(logits: T, num_samples: int32) -> output: output_dtype")
            .attrs(
                "seed: int = 0",
                "seed2: int = 0",
                "T: floating",
                "output_dtype: {int32, int64} = int64")
            .stateful()
            .shape(MultinomialOps::rule)
            .remark(REMARK)
            .kernel(node -> {
              SharedPhilox shared =
                  new SharedPhilox(
                      Philox.ofSeedAttrs(
                          node.attrs().integer("seed"), node.attrs().integer("seed2"), entropy));
              return call ->
                  draw(call, node, outputs -> shared.reserve(outputs * BLOCKS_PER_OUTPUT));
            }),
        Op.define(
                "StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed)"
                    + " -> output: output_dtype")
            .attrs(
                "T: floating",
                "Tseed: {int32, int64} = int64",
                "output_dtype: {int32, int64} = int64")
            .shape(MultinomialOps::rule)
            .remark(REMARK)
            .kernel(node ->
                call -> {
                  Philox generator = StatelessSeeds.scramble(call.input(2));
                  draw(call, node, _ -> generator);
                }));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape logits = Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 0);
    OptionalLong samples = Shapes.constantScalar(in, 1);
    return List.of(Shape.of(logits.size(0), samples.orElse(Shape.UNKNOWN_DIMENSION)));
  }

  private static void draw(KernelCall call, NodeSpec node, LongFunction<Philox> generator) {
    Tensor logits = call.input(0);
    int samples = samples(logits, call.input(1));
    int rows = (int) logits.shape().size(0);
    DataType dtype = node.attrs().type("output_dtype");
    Shape shape = Shape.of(rows, samples);
    Object array = TensorLimit.allocate(dtype, shape);
    if (shape.elements() > 0) {
      // A uniform double takes two 32-bit samples; a block has four.
      long outputs = 2L * rows * ((samples + 3L) / 4 * 4);
      PhiloxStream stream = new PhiloxStream(generator.apply(outputs));
      for (int row = 0; row < rows; row++) {
        call.cancellation().check();
        double[] cumulative = cumulative(logits.row(row));
        for (int i = 0; i < samples; i++) {
          int drawn =
              upperBound(cumulative, stream.nextDouble() * cumulative[cumulative.length - 1]);
          set(array, row * samples + i, drawn);
        }
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  private static int samples(Tensor logits, Tensor count) {
    if (logits.shape().rank() != 2) {
      throw invalidArgument("logits should be a matrix, got shape %s", logits.shape());
    }
    if (count.shape().rank() != 0) {
      throw invalidArgument("num_samples should be a scalar, got shape %s", count.shape());
    }
    int samples = (int) count.integer(0);
    if (samples < 0) {
      throw invalidArgument("num_samples should be non-negative, got %d", samples);
    }
    if (logits.shape().size(1) <= 0) {
      throw invalidArgument("num_classes should be positive, got %d", logits.shape().size(1));
    }
    return samples;
  }

  private static void set(Object array, int at, int value) {
    if (array instanceof int[] ints) {
      ints[at] = value;
    } else {
      ((long[]) array)[at] = value;
    }
  }

  /** The unnormalized cumulative distribution; logits that are not finite have probability 0. */
  private static double[] cumulative(Tensor logits) {
    double[] cumulative = new double[logits.elements()];
    double max = lowest(logits.dtype());
    for (int i = 0; i < cumulative.length; i++) {
      cumulative[i] =
          NumericElements.floating(
              logits.dtype(), TensorMemory.array(logits), TensorMemory.offset(logits) + i);
      if (Double.isFinite(cumulative[i])) {
        max = Math.max(max, cumulative[i]);
      }
    }
    double total = 0;
    for (int i = 0; i < cumulative.length; i++) {
      if (Double.isFinite(cumulative[i])) {
        total += Math.exp(cumulative[i] - max);
      }
      cumulative[i] = total;
    }
    return cumulative;
  }

  private static double lowest(DataType dtype) {
    return switch (dtype) {
      case FLOAT64 -> -Double.MAX_VALUE;
      case FLOAT16 -> -65504;
      default -> -Float.MAX_VALUE;
    };
  }

  /** The index of the first element greater than {@code value}; the length if there is none. */
  private static int upperBound(double[] ascending, double value) {
    int from = 0;
    int to = ascending.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (ascending[middle] > value) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }
}
