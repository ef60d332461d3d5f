package io.headrace.kernels.random;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Random ops, with TensorFlow's bits for TensorFlow's seeds. A stateful op holds a generator of its
 * own, seeded by its attrs, and takes from it as many blocks a call as TensorFlow's; a stateless
 * one is handed key and counter, or seeds to scramble.
 */
public final class RandomUniformOps {
  /** Blocks that a stateful op takes for each number it makes. */
  private static final long BLOCKS_PER_OUTPUT = 256;

  private static final String[] STATEFUL_FLOAT = {
    "seed: int = 0", "seed2: int = 0", "dtype: floating", "T: {int32, int64}"
  };
  private static final String[] STATELESS_FLOAT = {
    "dtype: floating = float", "Tshape: {int32, int64} = int32"
  };

  private final LongSupplier entropy;

  private RandomUniformOps(LongSupplier entropy) {
    this.entropy = entropy;
  }

  /** Fills the array of a tensor of {@code dtype} with {@code n} numbers. */
  @FunctionalInterface
  public interface Distribution {
    void fill(Philox gen, DataType dtype, Object array, int n, Cancellation stop);
  }

  /** Finds the generator of one call of a stateless op. */
  @FunctionalInterface
  private interface GeneratorOf {
    Philox find(KernelCall call);
  }

  /** The ops; {@code entropy} seeds those for which nobody chose seeds. */
  static List<Op> ops(LongSupplier entropy) {
    RandomUniformOps random = new RandomUniformOps(entropy);
    return List.of(
        random.stateful("RandomUniform", Distributions::uniform),
        random.stateful("RandomStandardNormal", Distributions::normal),
        random.stateful("TruncatedNormal", Distributions::truncatedNormal),
        random.uniformInt(),
        random.shuffle(),
        statelessV2("StatelessRandomUniformV2", Distributions::uniform),
        statelessV2("StatelessRandomNormalV2", Distributions::normal),
        statelessV2("StatelessTruncatedNormalV2", Distributions::truncatedNormal),
        statelessIntV2(),
        statelessFullIntV2(),
        stateless("StatelessRandomUniform", Distributions::uniform),
        stateless("StatelessRandomNormal", Distributions::normal),
        stateless("StatelessTruncatedNormal", Distributions::truncatedNormal),
        statelessInt(),
        statelessFullInt(),
        statelessShuffle(),
        keyCounter(),
        keyCounterAlg(),
        Op.define("StatelessRandomGetAlg() -> alg: int32")
            .shape(ShapeRules.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.scalar(StatelessSeeds.PHILOX))));
  }

  private Philox seeded(Attrs attrs) {
    return Philox.ofSeedAttrs(attrs.integer("seed"), attrs.integer("seed2"), entropy);
  }

  private Op stateful(String name, Distribution distribution) {
    return Op.define(name + "(shape: T) -> output: dtype")
        .attrs(STATEFUL_FLOAT)
        .stateful()
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(node -> {
          SharedPhilox generator = new SharedPhilox(seeded(node.attrs()));
          return call -> {
            Shape shape = ShapeInputs.shape(call.input(0));
            long blocks = shape.elements() * BLOCKS_PER_OUTPUT;
            fill(call, node, shape, generator.reserve(blocks), distribution);
          };
        });
  }

  private Op uniformInt() {
    return Op.define("RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> output: Tout")
        .attrs("seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}")
        .stateful()
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(node -> {
          SharedPhilox generator = new SharedPhilox(seeded(node.attrs()));
          return call ->
              fillBetween(
                  call,
                  node,
                  1,
                  _ ->
                      generator.reserve(
                          ShapeInputs.shape(call.input(0)).elements() * BLOCKS_PER_OUTPUT));
        });
  }

  /** Sets the output to {@code shape} numbers that begin with the next block of the generator. */
  public static void fill(
      KernelCall call, NodeSpec node, Shape shape, Philox generator, Distribution distribution) {
    DataType dtype = node.outputTypes().getFirst();
    Object array = TensorLimit.allocate(dtype, shape);
    distribution.fill(generator, dtype, array, shape.elements(), call.cancellation());
    call.setOutput(0, Tensor.of(dtype, shape, array));
  }

  /** Fills between the scalars that are input {@code low} and the one after it. */
  private static void fillBetween(KernelCall call, NodeSpec node, int low, GeneratorOf generator) {
    Shape shape = ShapeInputs.shape(call.input(0));
    DataType dtype = node.outputTypes().getFirst();
    long min = bound(call.input(low), "minval", dtype);
    long max = bound(call.input(low + 1), "maxval", dtype);
    if (shape.elements() > 0 && min >= max) {
      throw StatusException.invalidArgument("Need minval < maxval, got %d >= %d", min, max);
    }
    Object array = TensorLimit.allocate(dtype, shape);
    if (shape.elements() > 0) {
      Distributions.uniform(
          generator.find(call), array, shape.elements(), min, max - min, call.cancellation());
    }
    call.setOutput(0, Tensor.of(dtype, shape, array));
  }

  public static long bound(Tensor value, String name, DataType dtype) {
    if (value.shape().rank() != 0) {
      throw StatusException.invalidArgument("%s must be 0-D, got shape %s", name, value.shape());
    }
    if (value.dtype() != dtype) {
      throw StatusException.invalidArgument(
          "%s must be %s, and is %s", name, dtype.tfName(), value.dtype().tfName());
    }
    return value.integer(0);
  }

  private static Op statelessV2(String name, Distribution distribution) {
    return Op.define(
            name + "(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype")
        .attrs(STATELESS_FLOAT)
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(node -> filled(node, StatelessSeeds::ofKeyCounterAlg, distribution));
  }

  private static Op stateless(String name, Distribution distribution) {
    return Op.define(name + "(shape: T, seed: Tseed) -> output: dtype")
        .attrs(
            "dtype: floating = float", "T: {int32, int64} = int32", "Tseed: {int32, int64} = int64")
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(node -> filled(node, call -> StatelessSeeds.scramble(call.input(1)), distribution));
  }

  private static Kernel.Sync filled(
      NodeSpec node, GeneratorOf generator, Distribution distribution) {
    return call -> {
      Philox philox = generator.find(call);
      fill(call, node, ShapeInputs.shape(call.input(0)), philox, distribution);
    };
  }

  private static Op statelessIntV2() {
    return Op.define(
            "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32,"
                + " minval: dtype, maxval: dtype) -> output: dtype")
        .attrs("dtype: {int32, int64}", "Tshape: {int32, int64} = int32")
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(node -> call -> fillBetween(call, node, 4, StatelessSeeds::ofKeyCounterAlg));
  }

  private static Op statelessInt() {
    return Op.define(
            "StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype)"
                + " -> output: dtype")
        .attrs("dtype: {int32, int64}", "T: {int32, int64}", "Tseed: {int32, int64} = int64")
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(
            node -> call -> fillBetween(call, node, 2, c -> StatelessSeeds.scramble(c.input(1))));
  }

  private static Op statelessFullIntV2() {
    return Op.define(
            "StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64,"
                + " alg: int32) -> output: dtype")
        .attrs("dtype: {int32, int64, uint32, uint64} = uint64", "Tshape: {int32, int64} = int32")
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(node -> filled(node, StatelessSeeds::ofKeyCounterAlg, RandomUniformOps::bits));
  }

  private static Op statelessFullInt() {
    return Op.define("StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> output: dtype")
        .attrs(
            "dtype: {int32, int64, uint32, uint64} = uint64",
            "T: {int32, int64} = int32",
            "Tseed: {int32, int64, uint32, uint64} = int64")
        .shape(RandomUniformOps::shapeOfInput0)
        .kernel(
            node -> filled(node, c -> StatelessSeeds.scramble(c.input(1)), RandomUniformOps::bits));
  }

  public static void bits(Philox gen, DataType dtype, Object array, int n, Cancellation stop) {
    Distributions.bits(gen, array, n, stop);
  }

  private static Op keyCounter() {
    return Op.define("StatelessRandomGetKeyCounter(seed: Tseed) -> (key: uint64, counter: uint64)")
        .attrs("Tseed: {int32, int64} = int64")
        .shape(_ -> List.of(Shape.of(1), Shape.of(2)))
        .stateless(RandomUniformOps::setKeyAndCounter);
  }

  private static Op keyCounterAlg() {
    return Op.define(
            "StatelessRandomGetKeyCounterAlg(seed: Tseed)"
                + " -> (key: uint64, counter: uint64, alg: int32)")
        .attrs("Tseed: {int32, int64} = int64")
        .shape(_ -> List.of(Shape.of(1), Shape.of(2), Shape.SCALAR))
        .stateless(call -> {
          setKeyAndCounter(call);
          call.setOutput(2, Tensor.scalar(StatelessSeeds.PHILOX));
        });
  }

  private static void setKeyAndCounter(KernelCall call) {
    Philox philox = StatelessSeeds.scramble(call.input(0));
    call.setOutput(0, Tensor.of(DataType.UINT64, Shape.of(1), new long[] {philox.key()}));
    call.setOutput(
        1,
        Tensor.of(
            DataType.UINT64, Shape.of(2), new long[] {philox.counterLow(), philox.counterHigh()}));
  }

  private Op shuffle() {
    return Op.define("RandomShuffle(value: T) -> output: T")
        .attrs("seed: int = 0", "seed2: int = 0", "T: type")
        .stateful()
        .shape(ShapeRules.SAME)
        .kernel(node -> {
          SharedPhilox generator = new SharedPhilox(seeded(node.attrs()));
          return call -> {
            Tensor value = call.input(0);
            boolean shuffles = needsShuffling(value);
            call.setOutput(
                0,
                shuffles
                    ? shuffled(value, generator.reserveSamples(value.shape().size(0) - 1))
                    : value);
          };
        });
  }

  private static Op statelessShuffle() {
    return Op.define(
            "StatelessShuffle(value: T, key: uint64, counter: uint64, alg: int32) -> output: T")
        .attrs("T: type")
        .shape(ShapeRules.SAME)
        .stateless(call -> {
          Philox generator = StatelessSeeds.ofKeyCounterAlg(call);
          Tensor value = call.input(0);
          call.setOutput(0, needsShuffling(value) ? shuffled(value, generator) : value);
        });
  }

  private static boolean needsShuffling(Tensor value) {
    return value.elements() > 1 && value.shape().size(0) > 1;
  }

  /** The rows of {@code value} in the order that {@code generator} draws. */
  private static Tensor shuffled(Tensor value, Philox generator) {
    int[] order = order((int) value.shape().size(0), new PhiloxStream(generator));
    ElementKind kind = value.dtype().kind();
    Object array = TensorLimit.allocate(value.dtype(), value.shape());
    int row = value.elements() / order.length;
    for (int i = 0; i < order.length; i++) {
      kind.copy(value.array(), value.offset() + order[i] * row, array, i * row, row);
    }
    return Tensor.of(value.dtype(), value.shape(), array);
  }

  private static int[] order(int size, PhiloxStream samples) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    for (int i = 0; i < size - 1; i++) {
      int j = i + samples.nextBelow(size - i);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return order;
  }

  static List<Shape> shapeOfInput0(ShapeRule.Inputs inputs) {
    return List.of(ShapeInputs.inferred(inputs, 0));
  }
}
