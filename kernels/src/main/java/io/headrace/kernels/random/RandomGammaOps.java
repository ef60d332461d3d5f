package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The ops RandomGamma, StatelessRandomGammaV2 and V3, by Marsaglia and Tsang's method ("A Simple
 * Method for Generating Gamma Variables", 2000). Each output element has 256 blocks of its own.
 */
final class RandomGammaOps {
  private static final long BLOCKS_PER_OUTPUT = 256;

  /** Outputs between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 12;

  private RandomGammaOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        Op.define("RandomGamma(shape: S, alpha: T) -> output: T")
            .attrs(
                "seed: int = 0", "seed2: int = 0", "S: {int32, int64}", "T: {half, float, double}")
            .stateful()
            .shape(in -> List.of(Shapes.concat(ShapeInputs.inferred(in, 0), in.shape(1))))
            .kernel(node -> {
              SharedPhilox shared =
                  new SharedPhilox(
                      Philox.ofSeedAttrs(
                          node.attrs().integer("seed"), node.attrs().integer("seed2"), entropy));
              return call -> {
                Tensor alpha = call.input(1);
                Shape shape = Shapes.concat(ShapeInputs.shape(call.input(0)), alpha.shape());
                Philox generator =
                    shape.elements() == 0
                        ? shared.reserve(0)
                        : shared.reserve(shape.elements() * BLOCKS_PER_OUTPUT);
                fill(call, shape, generator, alpha);
              };
            }),
        Op.define("StatelessRandomGammaV2(shape: T, seed: Tseed, alpha: dtype) -> output: dtype")
            .attrs(
                "dtype: {half, float, double}",
                "T: {int32, int64}",
                "Tseed: {int32, int64} = int64")
            .shape(RandomKernels::shapeOfInput0)
            .stateless(call -> fillStateless(call, StatelessGenerator.SEED, call.input(2))),
        Op.define(
                "StatelessRandomGammaV3(shape: shape_dtype, key: uint64, counter: uint64,"
                    + " alg: int32, alpha: dtype) -> output: dtype")
            .attrs("dtype: {half, float, double}", "shape_dtype: {int32, int64} = int32")
            .shape(RandomKernels::shapeOfInput0)
            .stateless(
                call -> fillStateless(call, StatelessGenerator.KEY_COUNTER_ALG, call.input(4))));
  }

  private static void fillStateless(KernelCall call, StatelessGenerator generator, Tensor alpha) {
    generator.check(call);
    Shape shape = ShapeInputs.shape(call.input(0));
    if (shape.elements() == 0) {
      Object none = TensorLimit.allocate(alpha.dtype(), shape);
      call.setOutput(0, Tensor.wrap(alpha.dtype(), shape, none));
      return;
    }
    Shape ends = alpha.shape();
    int from = shape.rank() - ends.rank();
    if (from < 0 || !shape.dropFirst(from).equals(ends)) {
      throw invalidArgument("Shape passed in must end with broadcasted shape.");
    }
    fill(call, shape, generator.find(call), alpha);
  }

  private static void fill(KernelCall call, Shape shape, Philox base, Tensor alpha) {
    DataType dtype = alpha.dtype();
    Object array = TensorLimit.allocate(dtype, shape);
    int alphas = alpha.elements();
    int each = alphas == 0 ? 0 : shape.elements() / alphas;
    Draw draw = new Draw(base);
    for (int a = 0; a < alphas; a++) {
      double value =
          NumericElements.floating(
              dtype, TensorMemory.array(alpha), TensorMemory.offset(alpha) + a);
      for (int i = 0; i < each; i++) {
        int output = a * each + i;
        if (output % CANCELLATION_STEP == 0) {
          call.cancellation().check();
        }
        draw.seek(output);
        Distributions.set(dtype, array, i * alphas + a, flushSubnormal(dtype, draw.gamma(value)));
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  /** Flushes subnormal floats to zero, as TensorFlow's threads do. */
  private static double flushSubnormal(DataType dtype, double value) {
    return dtype == DataType.FLOAT32 && value < Float.MIN_NORMAL ? 0 : value;
  }

  /** The samples of one call. The two samples of a block come in reverse order. */
  private static final class Draw {
    private static final int MAX_TRIES = 100_000;

    private final Philox base;
    private final int[] block = new int[Philox.BLOCK];
    private final double[] normals = new double[2];
    private final double[] uniforms = new double[2];
    private Philox generator;
    private int normalsLeft;
    private int uniformsLeft;

    Draw(Philox base) {
      this.base = base;
      this.generator = base;
    }

    /** Moves to the blocks of output element {@code index}. */
    void seek(int index) {
      generator = base.copy();
      generator.skip(index * BLOCKS_PER_OUTPUT);
      normalsLeft = 0;
      uniformsLeft = 0;
    }

    private double normal() {
      if (normalsLeft == 0) {
        generator.next(block);
        Distributions.boxMuller(DataType.FLOAT64, block, 0, normals);
        normalsLeft = 2;
      }
      return normals[--normalsLeft];
    }

    private double uniform() {
      if (uniformsLeft == 0) {
        generator.next(block);
        uniforms[0] = Distributions.unitDouble(block[0], block[1]);
        uniforms[1] = Distributions.unitDouble(block[2], block[3]);
        uniformsLeft = 2;
      }
      return uniforms[--uniformsLeft];
    }

    double gamma(double alpha) {
      if (alpha == 1) {
        return -Math.log1p(-uniform());
      }
      double d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3);
      double c = 1.0 / 3 / Math.sqrt(d);
      for (int tries = 0; tries < MAX_TRIES; tries++) {
        double x = normal();
        double v = 1 + c * x;
        if (v <= 0) {
          continue;
        }
        v = v * v * v;
        double u = uniform();
        if (u < 1 - 0.0331 * (x * x) * (x * x)
            || LibcMath.log(u) < 0.5 * x * x + d * (1 - v + LibcMath.log(v))) {
          return alpha < 1 ? d * v * Math.pow(uniform(), 1 / alpha) : d * v;
        }
      }
      return Double.NaN; // only if alpha is NaN or negative
    }
  }
}
