package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.expression.LogGamma;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The ops RandomPoissonV2 and StatelessRandomPoisson: for rates below 10 by Knuth's product of
 * uniform samples, otherwise by Hormann's transformed rejection ("The Transformed Rejection Method
 * for Generating Poisson Random Variables", 1993). Each output element has 256 blocks of its own.
 */
final class RandomPoissonOps {
  private static final long BLOCKS_PER_OUTPUT = 256;

  /** Outputs between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 6;

  private static final double KNUTH_BELOW = 10;
  private static final String NUMBERS = "{half, float, double, int32, int64}";

  private static final String REMARK =
      "Of a rate that is NaN, infinite, or too large for the dtype, which TensorFlow tries without"
          + " end, NaN or the least integer.";

  private RandomPoissonOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        Op.define("RandomPoissonV2(shape: S, rate: R) -> output: dtype")
            .attrs(
                "seed: int = 0",
                "seed2: int = 0",
                "S: {int32, int64}",
                "R: " + NUMBERS + " = double",
                "dtype: " + NUMBERS + " = int64")
            .stateful()
            .shape(in -> List.of(Shapes.concat(ShapeInputs.inferred(in, 0), in.shape(1))))
            .remark(REMARK)
            .kernel(node -> {
              SharedPhilox shared =
                  new SharedPhilox(
                      Philox.ofSeedAttrs(
                          node.attrs().integer("seed"), node.attrs().integer("seed2"), entropy));
              return call -> {
                Tensor rate = call.input(1);
                Shape shape = Shapes.concat(ShapeInputs.shape(call.input(0)), rate.shape());
                TensorLimit.check(dtype(node), shape);
                Philox generator = shared.reserve(shape.elements() * BLOCKS_PER_OUTPUT);
                fill(call, dtype(node), shape, generator, rate);
              };
            }),
        Op.define("StatelessRandomPoisson(shape: T, seed: Tseed, lam: Rtype) -> output: dtype")
            .attrs(
                "Rtype: " + NUMBERS,
                "dtype: " + NUMBERS,
                "T: {int32, int64}",
                "Tseed: {int32, int64} = int64")
            .shape(RandomKernels::shapeOfInput0)
            .remark(REMARK)
            .kernel(node ->
                call -> {
                  Philox generator = StatelessSeeds.scramble(call.input(1));
                  Shape shape = ShapeInputs.shape(call.input(0));
                  Tensor rate = call.input(2);
                  int from = shape.rank() - rate.shape().rank();
                  boolean fits = from >= 0 && shape.dropFirst(from).equals(rate.shape());
                  if (shape.elements() > 0 && !fits) {
                    throw invalidArgument("Shape passed in must end with broadcasted shape.");
                  }
                  fill(call, dtype(node), shape, generator, rate);
                }));
  }

  private static DataType dtype(NodeSpec node) {
    return node.outputTypes().getFirst();
  }

  private static void fill(
      KernelCall call, DataType dtype, Shape shape, Philox generator, Tensor rate) {
    Object array = TensorLimit.allocate(dtype, shape);
    int rates = rate.elements();
    int each = rates == 0 ? 0 : shape.elements() / rates;
    DataType in = rate.dtype();
    UniformDraw draw = new UniformDraw(generator);
    for (int r = 0; r < rates; r++) {
      double value =
          NumericElements.real(in, TensorMemory.array(rate), TensorMemory.offset(rate) + r);
      Poisson poisson = new Poisson(value, highest(dtype));
      for (int i = 0; i < each; i++) {
        int output = r * each + i;
        if (output % CANCELLATION_STEP == 0) {
          call.cancellation().check();
        }
        draw.seek(output * BLOCKS_PER_OUTPUT);
        UniformDraw.set(dtype, array, i * rates + r, poisson.draw(draw));
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  private static double highest(DataType dtype) {
    return switch (dtype) {
      case FLOAT16 -> 65504;
      case FLOAT32 -> Float.MAX_VALUE;
      case INT32 -> Integer.MAX_VALUE;
      case INT64 -> Long.MAX_VALUE;
      default -> Double.MAX_VALUE;
    };
  }

  /** The Poisson distribution for one rate, computed in double for all dtypes. */
  private static final class Poisson {
    private final double rate;
    private final double highest;
    private final double expOfNegative;
    private final double logOfRate;

    // Named as in Hormann's paper, but for acceptBound.
    private final double a;
    private final double b;
    private final double inverseAlpha;
    private final double acceptBound;

    Poisson(double rate, double highest) {
      this.rate = rate;
      this.highest = highest;
      this.expOfNegative = Math.exp(-rate);
      this.logOfRate = LibcMath.log(rate);
      this.b = 0.931 + 2.53 * Math.sqrt(rate);
      this.a = -0.059 + 0.02483 * b;
      this.inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
      this.acceptBound = 0.9277 - 3.6224 / (b - 2);
    }

    double draw(UniformDraw draw) {
      if (Double.isNaN(rate) || rate == Double.POSITIVE_INFINITY) {
        return Double.NaN;
      }
      return rate < KNUTH_BELOW ? byKnuth(draw) : byRejection(draw);
    }

    private double byKnuth(UniformDraw draw) {
      double product = 1;
      for (int count = 0; count < UniformDraw.MAX_TRIES; count++) {
        product *= draw.uniform();
        if (product <= expOfNegative && count <= highest) {
          return count;
        }
      }
      return Double.NaN;
    }

    private double byRejection(UniformDraw draw) {
      for (int tries = 0; tries < UniformDraw.MAX_TRIES; tries++) {
        double u = draw.uniform() - 0.5;
        double v = draw.uniform();
        double shifted = 0.5 - Math.abs(u);
        double k = Math.floor((2 * a / shifted + b) * u + rate + 0.43);
        if (k > highest) {
          continue;
        }
        if (shifted >= 0.07 && v <= acceptBound) {
          return k;
        }
        if (k < 0 || (shifted < 0.013 && v > shifted)) {
          continue;
        }
        double s = LibcMath.log(v * inverseAlpha / (a / (shifted * shifted) + b));
        double t = -rate + k * logOfRate - LogGamma.of(k + 1);
        if (s <= t) {
          return k;
        }
      }
      return Double.NaN;
    }
  }
}
