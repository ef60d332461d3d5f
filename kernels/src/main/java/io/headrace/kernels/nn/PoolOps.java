package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The ops MaxPool*, AvgPool* and their gradients, for images and volumes. */
final class PoolOps {
  static final String FLAT = "data_format: string = \"NHWC\"";
  static final String VOLUMES = "data_format: string = \"NDHWC\"";
  private static final String EXPLICIT = "explicit_paddings: list(int) = []";
  static final String[] WINDOW = {"ksize: list(int)", "strides: list(int)", "padding: string"};

  private static final String[] ARGMAX = {"T: real", "include_batch_in_index: bool = false"};

  /** The dtypes of MaxPool and MaxPoolV2. */
  private static final String MAX_TYPES =
      "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = float";

  private PoolOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MaxPool(input: T) -> output: T")
            .attrs(WINDOW)
            .attrs(MAX_TYPES, EXPLICIT, FLAT)
            .shape(PoolOps::inferMax)
            .kernel(PoolOps::max),
        op(
            Op.define("MaxPool3D(input: T) -> output: T")
                .attrs("T: {half, bfloat16, float}", VOLUMES)
                .shape(Pool::infer),
            PoolOps::max),
        op(
            Op.define("AvgPool(value: T) -> output: T")
                .attrs("T: floating", FLAT)
                .shape(Pool::infer)
                .remark(ConvOps.ROUNDED_ONCE),
            PoolOps::mean),
        op(
            Op.define("AvgPool3D(input: T) -> output: T")
                .attrs("T: floating", VOLUMES)
                .shape(Pool::infer)
                .remark(ConvOps.ROUNDED_ONCE),
            PoolOps::mean),
        op(
            Op.define("MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> output: T")
                .attrs("T: real = float", EXPLICIT, FLAT)
                .shape(in -> List.of(Shapes.withRank(in.shape(0), 4))),
            PoolOps::maxGradient),
        op(
            Op.define(
                    "MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> output: T")
                .attrs(
                    "T: {half, bfloat16, float} = float",
                    "TInput: {half, bfloat16, float} = float",
                    VOLUMES)
                .shape(in -> List.of(Shapes.withRank(in.shape(0), 5))),
            PoolOps::maxGradientOfVolumes),
        op(
            Op.define("AvgPoolGrad(orig_input_shape: int32, grad: T) -> output: T")
                .attrs("T: floating", FLAT)
                .shape(in -> List.of(Shapes.withRank(ShapeInputs.inferred(in, 0), 4)))
                .remark(ConvOps.ROUNDED_ONCE),
            PoolOps::meanGradient),
        op(
            Op.define("AvgPool3DGrad(orig_input_shape: int32, grad: T) -> output: T")
                .attrs("T: floating", VOLUMES)
                .shape(in -> List.of(Shapes.withRank(ShapeInputs.inferred(in, 0), 5)))
                .remark(ConvOps.ROUNDED_ONCE),
            PoolOps::meanGradient),
        Op.define("MaxPoolWithArgmax(input: T) -> (output: T, argmax: Targmax)")
            .attrs(WINDOW)
            .attrs(ARGMAX)
            .attrs("Targmax: {int32, int64} = int64")
            .shape(in -> {
              Shape shape = Pool.infer(in).getFirst();
              return List.of(shape, shape);
            })
            .kernel(PoolOps::withArgmax),
        Op.define("MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax) -> output: T")
            .attrs(WINDOW)
            .attrs(ARGMAX)
            .attrs("Targmax: {int32, int64}")
            .remark("An index of no element is INVALID_ARGUMENT; it ends TensorFlow's process.")
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 4)))
            .kernel(PoolOps::argmaxGradient),
        Op.define("MaxPoolV2(input: T, ksize: int32, strides: int32) -> output: T")
            .attrs(MAX_TYPES, "padding: string", FLAT)
            .shape(in -> inferV2(in, 1))
            .kernel(PoolOps::maxV2),
        Op.define(
                "MaxPoolGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32,"
                    + " strides: int32) -> output: T")
            .attrs("T: real = float", "padding: string", FLAT)
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 4)))
            .kernel(node -> call -> call.setOutput(0, maxGradientV2(node, call))));
  }

  /** Computes the output of a call with the pool of its node. */
  @FunctionalInterface
  private interface Body {
    Tensor of(KernelCall call, Pool pool);
  }

  private static Op op(Op.Builder op, Body rule) {
    return op.attrs(WINDOW)
        .kernel(node -> {
          Pool pool = new Pool(node);
          return call -> call.setOutput(0, rule.of(call, pool));
        });
  }

  /** The pool with ksize from input {@code index}, and strides from the next one. */
  static Pool pool(NodeSpec node, KernelCall call, int index) {
    List<Long> size = numbers(call.input(index));
    return new Pool(node.op().name(), node.attrs(), size, numbers(call.input(index + 1)));
  }

  private static Kernel.Sync max(NodeSpec node) {
    Attrs attrs = node.attrs();
    List<Long> size = attrs.integers("ksize");
    if (DepthMaxPool.poolsDepth(attrs, size)) {
      DepthMaxPool pool =
          new DepthMaxPool(node.op().name(), attrs, size, attrs.integers("strides"));
      return call -> call.setOutput(0, pool.of(call.input(0), call.cancellation()));
    }
    Pool pool = new Pool(node);
    return call -> call.setOutput(0, max(call, pool));
  }

  private static Kernel.Sync maxV2(NodeSpec node) {
    return call -> {
      List<Long> size = numbers(call.input(1));
      if (DepthMaxPool.poolsDepth(node.attrs(), size)) {
        List<Long> strides = numbers(call.input(2));
        DepthMaxPool pool = new DepthMaxPool(node.op().name(), node.attrs(), size, strides);
        call.setOutput(0, pool.of(call.input(0), call.cancellation()));
      } else {
        call.setOutput(0, max(call, pool(node, call, 1)));
      }
    };
  }

  /** The shape of the result for a node with the attrs ksize and strides. */
  static List<Shape> inferMax(ShapeFunction.Inputs in) {
    Attrs attrs = in.attrs();
    List<Long> size = attrs.integers("ksize");
    return DepthMaxPool.poolsDepth(attrs, size)
        ? List.of(
            new DepthMaxPool("the pool", attrs, size, attrs.integers("strides")).shape(in.shape(0)))
        : Pool.infer(in);
  }

  private static Kernel.Sync withArgmax(NodeSpec node) {
    Pool pool = new Pool(node);
    boolean acrossBatch = node.attrs().bool("include_batch_in_index");
    DataType type = node.outputTypes().get(1);
    return call -> {
      if (call.input(0).elements() == 0) {
        throw invalidArgument("tensor_in must not be empty (2)");
      }
      Pool.MaxWithArgmax maxima =
          pool.maxWithArgmax(call.input(0), acrossBatch, call.cancellation());
      call.setOutput(0, maxima.values);
      call.setOutput(1, IntegerTensors.of(type, maxima.values.shape(), maxima.indices));
    };
  }

  private static Kernel.Sync argmaxGradient(NodeSpec node) {
    Pool pool = new Pool(node);
    boolean acrossBatch = node.attrs().bool("include_batch_in_index");
    return call ->
        call.setOutput(
            0,
            pool.argmaxGradient(
                call.input(0).shape(),
                call.input(1),
                call.input(2),
                acrossBatch,
                call.cancellation()));
  }

  /** The elements of a tensor that TensorFlow takes as a vector whatever its rank. */
  static List<Long> numbers(Tensor tensor) {
    return Arrays.stream(tensor.integers()).boxed().toList();
  }

  /** The shape of the result for a window in the inputs from {@code index} on. */
  static List<Shape> inferV2(ShapeFunction.Inputs in, int index) {
    Shape images = Shapes.withRank(in.shape(0), 4);
    Tensor size = in.constant(index);
    Tensor strides = in.constant(index + 1);
    if (size == null || strides == null) {
      return List.of(Shape.UNKNOWN);
    }
    Attrs attrs = in.attrs();
    List<Long> sizes = numbers(size);
    if (DepthMaxPool.poolsDepth(attrs, sizes)) {
      DepthMaxPool pool = new DepthMaxPool("the pool", attrs, sizes, numbers(strides));
      return List.of(pool.shape(images));
    }
    WindowAttrs window = new WindowAttrs("the pool", attrs, numbers(strides));
    return List.of(Pool.infer(window, images, sizes));
  }

  private static Tensor max(KernelCall call, Pool pool) {
    return pool.max(call.input(0), call.cancellation());
  }

  private static Tensor mean(KernelCall call, Pool pool) {
    return pool.mean(call.input(0), call.cancellation());
  }

  private static Tensor maxGradient(KernelCall call, Pool pool) {
    return pool.maxGradient(call.input(0), call.input(1), call.input(2), call.cancellation());
  }

  private static Tensor maxGradientV2(NodeSpec node, KernelCall call) {
    List<String> names = List.of("tensor_in", "tensor_out", "out_backprop");
    for (int i = 0; i < names.size(); i++) {
      if (call.input(i).shape().rank() != 4) {
        throw invalidArgument("%s must be 4-dimensional", names.get(i));
      }
    }
    return maxGradient(call, pool(node, call, 3));
  }

  private static Tensor maxGradientOfVolumes(KernelCall call, Pool pool) {
    return pool.maxGradientOfVolumes(
        call.input(0), call.input(1), call.input(2), call.cancellation());
  }

  private static Tensor meanGradient(KernelCall call, Pool pool) {
    Shape images = ShapeInputs.shape(call.input(0));
    return pool.meanGradient(images, call.input(1), call.cancellation());
  }
}
