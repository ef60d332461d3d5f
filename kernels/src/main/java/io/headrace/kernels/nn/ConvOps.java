package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.linalg.FusedEpilogue;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** The ops Conv2D, Conv3D, Conv and _FusedConv2D, and the gradients of the first two. */
final class ConvOps {
  static final String ROUNDED_ONCE = "16-bit floats are added up as float and rounded once.";

  private static final String[] FLAT = {
    "strides: list(int)",
    "use_cudnn_on_gpu: bool = true",
    "padding: string",
    "explicit_paddings: list(int) = []",
    "data_format: string = \"NHWC\"",
    "dilations: list(int) = [1, 1, 1, 1]"
  };

  private static final String[] VOLUMES = {
    "T: floating",
    "strides: list(int)",
    "padding: string",
    "data_format: string = \"NDHWC\"",
    "dilations: list(int) = [1, 1, 1, 1, 1]"
  };

  private static final String FLAT_TYPES = "T: {half, bfloat16, float, double, int32}";

  private ConvOps() {}

  static List<Op> ops() {
    return List.of(
        forward(
            Op.define("Conv2D(input: T, filter: T) -> output: T").attrs(FLAT_TYPES).attrs(FLAT)),
        inputGradient(
            Op.define(
                    "Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T)"
                        + " -> output: T")
                .attrs(FLAT_TYPES)
                .attrs(FLAT)),
        filterGradient(
            Op.define(
                    "Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T)"
                        + " -> output: T")
                .attrs("T: floating")
                .attrs(FLAT)),
        forward(Op.define("Conv3D(input: T, filter: T) -> output: T").attrs(VOLUMES)),
        inputGradient(
            Op.define(
                    "Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T)"
                        + " -> output: T")
                .attrs("Tshape: {int32, int64} = int32")
                .attrs(VOLUMES)),
        filterGradient(
            Op.define(
                    "Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T)"
                        + " -> output: T")
                .attrs(VOLUMES)),
        ConvNd.op(),
        fused());
  }

  private static Op fused() {
    return Op.define(
            "_FusedConv2D(input: T, filter: T, args: [TArgs], host_args: num_host_args * float)"
                + " -> output: T")
        .attrs("T: {half, float, double}", "TArgs: list(type)", "num_args: int")
        .attrs("num_host_args: int = 0", "filter_format: string = \"HWIO\"")
        .attrs(FLAT)
        .attrs(FusedEpilogue.attrs())
        .shape(ConvOps::infer)
        .remark(ROUNDED_ONCE)
        .kernel(node -> {
          WindowAttrs window = new WindowAttrs(node.op().name(), node.attrs());
          checkFused(node);
          FusedEpilogue epilogue = new FusedEpilogue(node, node.attrs().type("T"));
          return call -> {
            Cancellation stop = call.cancellation();
            Tensor result =
                epilogue.of(
                    convolved(call, window),
                    call,
                    2,
                    argument -> window.channelsLast("args", argument, stop));
            call.setOutput(0, window.restoreFormat(result, stop));
          };
        });
  }

  private static void checkFused(NodeSpec node) {
    String format = node.attrs().string("filter_format");
    if (!format.equals("HWIO")) {
      throw invalidArgument(
          "_FusedConv2D on the CPU only supports filters as HWIO, not %s", format);
    }
    DataType dtype = node.attrs().type("T");
    if (node.attrs().types("TArgs").stream().anyMatch(type -> type != dtype)) {
      throw invalidArgument(
          "node %s: the args of _FusedConv2D must be of the dtype %s of its input, not %s",
          node.name(), dtype.tfName(), node.attrs().types("TArgs"));
    }
  }

  /** Computes the output of a call, given the window of the node's attrs. */
  @FunctionalInterface
  private interface Body {
    Tensor of(KernelCall call, WindowAttrs window);
  }

  private static Op gradient(Op.Builder op, Body rule) {
    return op.remark(ROUNDED_ONCE)
        .kernel(node -> {
          WindowAttrs window = new WindowAttrs(node.op().name(), node.attrs());
          window.checkFormat(node.attrs().type("T"), StatusCode.INVALID_ARGUMENT);
          return call -> call.setOutput(0, rule.of(call, window));
        });
  }

  private static Op forward(Op.Builder op) {
    return op.shape(ConvOps::infer)
        .remark(ROUNDED_ONCE)
        .kernel(node -> {
          WindowAttrs window = new WindowAttrs(node.op().name(), node.attrs());
          return call -> {
            Tensor result = convolved(call, window);
            call.setOutput(0, window.restoreFormat(result, call.cancellation()));
          };
        });
  }

  /**
   * The convolution in channels-last format. As in TensorFlow, a result without elements needs
   * neither a supported format nor, of images, a filter with elements.
   */
  private static Tensor convolved(KernelCall call, WindowAttrs window) {
    Cancellation stop = call.cancellation();
    Tensor images = window.channelsLast("input", call.input(0), stop);
    Tensor filter = call.input(1);
    GroupedConvolution convolution =
        new GroupedConvolution(
            images.dtype(), window.withChannelsLast(), images.shape(), filter.shape(), stop);
    boolean isFlat = window.rank() == 4;
    boolean isEmpty = convolution.outShape().elements() == 0;
    if (!isFlat) {
      Convolution.checkFilter(filter.shape());
    }
    if (!isEmpty) {
      window.checkFormat(
          images.dtype(), isFlat ? StatusCode.UNIMPLEMENTED : StatusCode.INVALID_ARGUMENT);
      Convolution.checkFilter(filter.shape());
    }
    return convolution.of(images, filter);
  }

  private static Op inputGradient(Op.Builder op) {
    return gradient(
        op.shape(ConvOps::inferImages),
        (call, window) -> {
          Cancellation stop = call.cancellation();
          Tensor filter = call.input(1);
          Tensor gradient = window.channelsLast("out_backprop", call.input(2), stop);
          Shape sizes = window.channelsLast(ShapeInputs.shape(call.input(0)));
          Shape images = imageShape(sizes, filter.shape(), gradient.shape());
          return window.restoreFormat(
              new GroupedConvolution(
                      filter.dtype(), window.withChannelsLast(), images, filter.shape(), stop)
                  .inputGradient(gradient, filter),
              stop);
        });
  }

  private static Op filterGradient(Op.Builder op) {
    return gradient(
        op.shape(ConvOps::inferWeights),
        (call, window) -> {
          Cancellation stop = call.cancellation();
          Tensor images = window.channelsLast("input", call.input(0), stop);
          Tensor gradient = window.channelsLast("out_backprop", call.input(2), stop);
          Shape filter = ShapeInputs.shape(call.input(1));
          return new GroupedConvolution(
                  images.dtype(), window.withChannelsLast(), images.shape(), filter, stop)
              .filterGradient(gradient, images);
        });
  }

  /** The shape of the images: {@code sizes}, or where that is height and width only, completed. */
  private static Shape imageShape(Shape sizes, Shape filter, Shape gradient) {
    if (sizes.rank() != 2 || filter.rank() != 4 || gradient.rank() != 4) {
      return sizes;
    }
    return Shape.of(gradient.size(0), sizes.size(0), sizes.size(1), filter.size(2));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    WindowAttrs window = new WindowAttrs("the convolution", in.attrs());
    int space = window.rank() - 2;
    Shape images = Shapes.withRank(in.shape(0), window.rank());
    Shape filter = Shapes.withRank(in.shape(1), window.rank());
    long depth = window.channels(images);
    if (depth > 0 && filter.size(space) > 0) {
      GroupedConvolution.checkMultiple(depth, filter.size(space));
    }
    long[] sizes = filter.sub(0, space).dimensions();
    return List.of(window.outShape(images, filter.size(space + 1), sizes));
  }

  private static List<Shape> inferImages(ShapeFunction.Inputs in) {
    int rank = new WindowAttrs("the convolution", in.attrs()).rank();
    Shape sizes = ShapeInputs.inferred(in, 0);
    Shape filter = Shapes.withRank(in.shape(1), rank);
    Shape gradient = Shapes.withRank(in.shape(2), rank);
    return List.of(Shapes.withRank(imageShape(sizes, filter, gradient), rank));
  }

  private static List<Shape> inferWeights(ShapeFunction.Inputs in) {
    int rank = new WindowAttrs("the convolution", in.attrs()).rank();
    return List.of(Shapes.withRank(ShapeInputs.inferred(in, 1), rank));
  }
}
