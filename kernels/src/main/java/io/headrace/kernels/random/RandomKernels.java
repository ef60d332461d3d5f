package io.headrace.kernels.random;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Op declarations and kernels that the random ops share. A stateful op holds a generator seeded by
 * its attrs, and reserves as many blocks per call as TensorFlow's; a stateless op gets key and
 * counter, or seeds to scramble. Both give TensorFlow's bits for TensorFlow's seeds.
 */
public final class RandomKernels {
  /** Blocks that a stateful op reserves for each element of its output. */
  static final long BLOCKS_PER_OUTPUT = 256;

  private static final String[] STATEFUL_FLOAT = {
    "seed: int = 0", "seed2: int = 0", "dtype: floating", "T: {int32, int64}"
  };

  private static final String[] STATELESS_FLOAT = {
    "dtype: floating = float", "Tshape: {int32, int64} = int32"
  };

  private RandomKernels() {}

  /** A distribution: fills arrays with samples. */
  @FunctionalInterface
  public interface Distribution {
    /** Writes {@code n} samples to the array of a tensor of {@code dtype}. */
    void fill(Philox gen, DataType dtype, Object array, int n, Cancellation stop);
  }

  /** A new generator for a node with the attrs seed and seed2. */
  public static SharedPhilox seeded(Attrs attrs, LongSupplier entropy) {
    return new SharedPhilox(
        Philox.ofSeedAttrs(attrs.integer("seed"), attrs.integer("seed2"), entropy));
  }

  /** An op with the input shape, and state. */
  static Op.Builder declaredStateful(String name) {
    return Op.define(name + "(shape: T) -> output: dtype")
        .attrs(STATEFUL_FLOAT)
        .stateful()
        .shape(RandomKernels::shapeOfInput0);
  }

  /**
   * Sets output 0 to a tensor of {@code shape} filled from {@code distribution}, beginning with the
   * generator's next block.
   */
  public static void fill(
      KernelCall call, NodeSpec node, Shape shape, Philox generator, Distribution distribution) {
    DataType dtype = node.outputTypes().getFirst();
    Object array = TensorLimit.allocate(dtype, shape);
    distribution.fill(generator, dtype, array, shape.elements(), call.cancellation());
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  /**
   * The bound of integer samples that {@code value} holds; INVALID_ARGUMENT, naming {@code name},
   * unless it is a scalar of {@code dtype}.
   */
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

  /** An op with the inputs shape, key, counter and alg. */
  static Op.Builder declaredStatelessV2(String name) {
    return Op.define(
            name + "(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype")
        .attrs(STATELESS_FLOAT)
        .shape(RandomKernels::shapeOfInput0);
  }

  /** An op with the inputs shape and seed. */
  static Op.Builder declaredStateless(String name) {
    return Op.define(name + "(shape: T, seed: Tseed) -> output: dtype")
        .attrs(
            "dtype: floating = float", "T: {int32, int64} = int32", "Tseed: {int32, int64} = int64")
        .shape(RandomKernels::shapeOfInput0);
  }

  /** The distribution of all bits of 32-bit or 64-bit integers. */
  public static void bits(Philox gen, DataType dtype, Object array, int n, Cancellation stop) {
    Distributions.bits(gen, array, n, stop);
  }

  /** The shape function of ops whose output has the shape that input 0 holds. */
  static List<Shape> shapeOfInput0(ShapeFunction.Inputs inputs) {
    return List.of(ShapeInputs.inferred(inputs, 0));
  }
}
