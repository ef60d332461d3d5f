package io.headrace.kernels.random;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.runtime.op.DrawingKernel.Draw;
import io.headrace.runtime.op.DrawingKernel.SampleKind;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** The ops RandomUniform, RandomUniformInt and their stateless forms. */
final class RandomUniformOps {
  private RandomUniformOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        DrawKernel.stateful("RandomUniform", SampleKind.UNIFORM, entropy),
        uniformInt(entropy),
        DrawKernel.stateless("StatelessRandomUniform", SampleKind.UNIFORM),
        DrawKernel.statelessV2("StatelessRandomUniformV2", SampleKind.UNIFORM),
        statelessInt(),
        statelessIntV2(),
        statelessFullInt(),
        statelessFullIntV2());
  }

  private static Op uniformInt(LongSupplier entropy) {
    return Op.define("RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> output: Tout")
        .attrs("seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}")
        .stateful()
        .shape(RandomKernels::shapeOfInput0)
        .runsOnGpu("shape", "minval", "maxval")
        .kernel(node -> {
          SharedPhilox generator = RandomKernels.seeded(node.attrs(), entropy);
          return DrawKernel.of(call -> {
            bounds(call, node, 1);
            return between(
                call,
                node,
                1,
                shape -> generator.reserve(shape.elements() * RandomKernels.BLOCKS_PER_OUTPUT));
          });
        });
  }

  private static Kernel.Sync betweenOf(StatelessGenerator generator, NodeSpec node, int low) {
    return DrawKernel.of(call -> {
      generator.check(call);
      return between(call, node, low, _ -> generator.find(call));
    });
  }

  /** Integers from the scalar in input {@code low} up to, excluding, the one in the next input. */
  private static Draw between(
      KernelCall call, NodeSpec node, int low, Function<Shape, Philox> generator) {
    Shape shape = ShapeInputs.shape(call.input(0));
    DataType dtype = node.outputTypes().getFirst();
    if (shape.elements() == 0) {
      return DrawKernel.nothing(dtype, shape);
    }
    Bounds bounds = bounds(call, node, low);
    if (bounds.min() >= bounds.max()) {
      throw StatusException.invalidArgument(
          "Need minval < maxval, got %d >= %d", bounds.min(), bounds.max());
    }
    return DrawKernel.draw(dtype, shape, generator.apply(shape), bounds.min(), bounds.max());
  }

  /** The least sample, and the number behind the greatest. */
  private record Bounds(long min, long max) {}

  /** The scalars in input {@code low} and the next one. */
  private static Bounds bounds(KernelCall call, NodeSpec node, int low) {
    DataType dtype = node.outputTypes().getFirst();
    return new Bounds(
        RandomKernels.bound(call.input(low), "minval", dtype),
        RandomKernels.bound(call.input(low + 1), "maxval", dtype));
  }

  private static Op statelessIntV2() {
    return Op.define(
            "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32,"
                + " minval: dtype, maxval: dtype) -> output: dtype")
        .attrs("dtype: {int32, int64}", "Tshape: {int32, int64} = int32")
        .shape(RandomKernels::shapeOfInput0)
        .runsOnGpu("shape", "key", "counter", "alg", "minval", "maxval")
        .kernel(node -> betweenOf(StatelessGenerator.KEY_COUNTER_ALG, node, 4));
  }

  private static Op statelessInt() {
    return Op.define(
            "StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype)"
                + " -> output: dtype")
        .attrs("dtype: {int32, int64}", "T: {int32, int64}", "Tseed: {int32, int64} = int64")
        .shape(RandomKernels::shapeOfInput0)
        .runsOnGpu("shape", "seed", "minval", "maxval")
        .kernel(node -> betweenOf(StatelessGenerator.SEED, node, 2));
  }

  private static Op statelessFullIntV2() {
    return Op.define(
            "StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64,"
                + " alg: int32) -> output: dtype")
        .attrs("dtype: {int32, int64, uint32, uint64} = uint64", "Tshape: {int32, int64} = int32")
        .shape(RandomKernels::shapeOfInput0)
        .runsOnGpu("shape", "key", "counter", "alg")
        .kernel(node ->
            DrawKernel.stateless(node, StatelessGenerator.KEY_COUNTER_ALG, SampleKind.BITS));
  }

  private static Op statelessFullInt() {
    return Op.define("StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> output: dtype")
        .attrs(
            "dtype: {int32, int64, uint32, uint64} = uint64",
            "T: {int32, int64} = int32",
            "Tseed: {int32, int64, uint32, uint64} = int64")
        .shape(RandomKernels::shapeOfInput0)
        .runsOnGpu("shape", "seed")
        .kernel(node -> DrawKernel.stateless(node, StatelessGenerator.SEED, SampleKind.BITS));
  }
}
