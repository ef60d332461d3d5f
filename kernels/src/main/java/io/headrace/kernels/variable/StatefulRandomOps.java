package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.random.BinomialDraw;
import io.headrace.kernels.random.Distributions;
import io.headrace.kernels.random.Philox;
import io.headrace.kernels.random.RandomKernels;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * Random ops whose state is a variable, as of tf.random.Generator: RngReadAndSkip, RngSkip,
 * StatefulUniform and the like. The state is int64[3], the two halves of the counter and the key of
 * a {@link Philox}; each number skips 256 blocks.
 */
final class StatefulRandomOps {
  private static final int STATE_SIZE = 3;
  private static final long BLOCKS_PER_OUTPUT = 256;
  private static final int PHILOX = 1;
  private static final int THREEFRY = 2;
  private static final int AUTO_SELECT = 3;

  private StatefulRandomOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("RngReadAndSkip(resource: resource, alg: int32, delta: uint64) -> value: int64")
            .stateful()
            .shape(_ -> List.of(Shape.of(STATE_SIZE)))
            .stateless(StatefulRandomOps::readAndSkip),
        Op.define("RngSkip(resource: resource, algorithm: int64, delta: int64)")
            .stateful()
            .shape(_ -> List.of())
            .stateless(call -> {
              checkAlgorithm(scalar(call, 1));
              reserve(call, TensorMemory.array(scalar(call, 2)) instanceof long[] a ? a[0] : 0);
            }),
        drawing("StatefulUniform", "dtype: floating = float", Distributions::uniform),
        drawing("StatefulStandardNormalV2", "dtype: floating = float", Distributions::normal),
        drawing(
            "StatefulTruncatedNormal", "dtype: floating = float", Distributions::truncatedNormal),
        drawing(
            "StatefulUniformFullInt",
            "dtype: {int32, int64, uint32, uint64} = uint64",
            RandomKernels::bits),
        Op.define(
                "StatefulUniformInt(resource: resource, algorithm: int64, shape: shape_dtype,"
                    + " minval: dtype, maxval: dtype) -> output: dtype")
            .attrs("dtype: {int32, int64} = int64", "shape_dtype: {int32, int64} = int64")
            .stateful()
            .shape(StatefulRandomOps::shapeOfInput2)
            .kernel(node -> call -> drawBetween(call, node)),
        Op.define(
                "StatefulRandomBinomial(resource: resource, algorithm: int64, shape: S, counts: T,"
                    + " probs: T) -> output: dtype")
            .attrs(
                "S: {int32, int64}",
                "T: {half, float, double} = double",
                "dtype: {half, float, double, int32, int64} = int64")
            .stateful()
            .shape(StatefulRandomOps::shapeOfInput2)
            .remark(
                BinomialDraw.REMARK
                    + " The state advances even where a tensor shares its memory; TensorFlow then"
                    + " changes that tensor instead. A shape may be int64, which ends TensorFlow's"
                    + " process.")
            .kernel(node -> call -> drawBinomial(call, node.outputTypes().getFirst())));
  }

  private static Op drawing(String name, String dtype, RandomKernels.Distribution distribution) {
    return Op.define(
            name + "(resource: resource, algorithm: int64, shape: shape_dtype) -> output: dtype")
        .attrs(dtype, "shape_dtype: {int32, int64} = int64")
        .stateful()
        .shape(StatefulRandomOps::shapeOfInput2)
        .kernel(node ->
            call -> {
              checkAlgorithm(scalar(call, 1));
              Shape shape = ShapeInputs.shape(call.input(2));
              RandomKernels.fill(call, node, shape, reserve(call, shape.elements()), distribution);
            });
  }

  private static List<Shape> shapeOfInput2(ShapeFunction.Inputs inputs) {
    return List.of(ShapeInputs.inferred(inputs, 2));
  }

  private static void drawBetween(KernelCall call, NodeSpec node) {
    checkAlgorithm(scalar(call, 1));
    DataType dtype = node.attrs().type("dtype");
    long min = RandomKernels.bound(call.input(3), "minval", dtype);
    long max = RandomKernels.bound(call.input(4), "maxval", dtype);
    if (min >= max) {
      throw invalidArgument("Need minval < maxval, got %d >= %d", min, max);
    }
    Shape shape = ShapeInputs.shape(call.input(2));
    Object array = TensorLimit.allocate(dtype, shape);
    Philox generator = reserve(call, shape.elements());
    Distributions.uniform(generator, array, shape.elements(), min, max - min, call.cancellation());
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  private static void readAndSkip(KernelCall call) {
    checkAlgorithm(scalar(call, 1));
    Philox before = reserve(call, ((long[]) TensorMemory.array(scalar(call, 2)))[0]);
    call.setOutput(0, Tensor.vector(before.counterLow(), before.counterHigh(), before.key()));
  }

  private static void drawBinomial(KernelCall call, DataType dtype) {
    BinomialDraw draw = BinomialDraw.of(call.input(2), call.input(3), call.input(4));
    Tensor algorithm = call.input(1);
    if (algorithm.shape().rank() != 0) {
      throw invalidArgument("algorithm must be of shape [], not %s", algorithm.shape());
    }
    if (algorithm.integer(0) != PHILOX) {
      throw invalidArgument("Unsupported algorithm id: %d", algorithm.integer(0));
    }
    // TensorFlow reserves as many numbers, fewer than it may draw.
    long outputs = draw.batches() * 2 * 100 * (draw.samplesPerBatch() + 3) / 4;
    call.setOutput(0, draw.samples(dtype, reserve(call, outputs), call));
  }

  private static Tensor scalar(KernelCall call, int index) {
    Tensor value = call.input(index);
    if (value.shape().rank() != 0) {
      throw invalidArgument("input %d (0-based) must have shape [], not %s", index, value.shape());
    }
    return value.compact();
  }

  private static void checkAlgorithm(Tensor algorithm) {
    long id = algorithm.integer(0);
    if (id == THREEFRY) {
      throw StatusException.unimplemented(
          "the ThreeFry algorithm (2) is not supported on a CPU; use Philox (%d)", PHILOX);
    }
    if (id != PHILOX && id != AUTO_SELECT) {
      throw invalidArgument("Unsupported algorithm id: %d", id);
    }
  }

  /**
   * Reserves {@code outputs} numbers: advances the state variable of input 0 past them, and returns
   * the generator at the state before.
   */
  private static Philox reserve(KernelCall call, long outputs) {
    VariableResource variable = VariableResource.of(call.input(0));
    return generator(variable.update(state -> skipped(check(variable, state), outputs)));
  }

  private static Tensor check(VariableResource variable, Tensor state) {
    if (state.dtype() != DataType.INT64) {
      throw invalidArgument(
          "dtype of RNG state variable must be int64, not %s: variable %s",
          state.dtype().tfName(), variable.name());
    }
    if (state.shape().rank() != 1) {
      throw invalidArgument(
          "RNG state must have one and only one dimension, not %d: variable %s",
          state.shape().rank(), variable.name());
    }
    if (state.elements() < STATE_SIZE) {
      throw invalidArgument(
          "For the Philox algorithm, the size of state must be at least %d; got %d: variable %s",
          STATE_SIZE, state.elements(), variable.name());
    }
    return state;
  }

  private static Tensor skipped(Tensor state, long outputs) {
    Philox after = generator(state);
    after.skip(outputs * BLOCKS_PER_OUTPUT);
    long[] values = state.integers();
    values[0] = after.counterLow();
    values[1] = after.counterHigh();
    return Tensor.wrap(DataType.INT64, state.shape(), values);
  }

  private static Philox generator(Tensor state) {
    return Philox.ofKeyAndCounter(state.integer(2), state.integer(0), state.integer(1));
  }
}
