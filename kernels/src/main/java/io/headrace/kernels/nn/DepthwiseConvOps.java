package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.linalg.FusedEpilogue;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.List;

/** DepthwiseConv2dNative, its fused form and its gradients: a filter for each channel. */
final class DepthwiseConvOps {
  private static final String[] ATTRS = {
    "T: floating",
    "strides: list(int)",
    "padding: string",
    "explicit_paddings: list(int) = []",
    "data_format: string = \"NHWC\"",
    "dilations: list(int) = [1, 1, 1, 1]"
  };

  private DepthwiseConvOps() {}

  static List<Op> ops() {
    return List.of(
        op(
            Op.define("DepthwiseConv2dNative(input: T, filter: T) -> output: T")
                .shape(DepthwiseConvOps::infer),
            DepthwiseConvOps::convolve),
        op(
            Op.define(
                    "DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T,"
                        + " out_backprop: T) -> output: T")
                .shape(in -> List.of(Shapes.withRank(ShapeInputs.inferred(in, 0), 4))),
            DepthwiseConvOps::inputGradient),
        op(
            Op.define(
                    "DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32,"
                        + " out_backprop: T) -> output: T")
                .shape(in -> List.of(Shapes.withRank(ShapeInputs.inferred(in, 1), 4))),
            DepthwiseConvOps::filterGradient),
        fused());
  }

  private static Op fused() {
    return Op.define(
            "_FusedDepthwiseConv2dNative(input: T, filter: T, args: num_args * T) -> output: T")
        .attrs("num_args: int")
        .attrs(
            Arrays.stream(ATTRS)
                .filter(attr -> !attr.startsWith("explicit_paddings"))
                .toArray(String[]::new))
        .attrs(FusedEpilogue.attrs())
        .shape(DepthwiseConvOps::infer)
        .remark(ConvOps.ROUNDED_ONCE)
        .kernel(node -> {
          WindowAttrs window = new WindowAttrs(node.op().name(), node.attrs());
          FusedEpilogue epilogue = new FusedEpilogue(node, node.attrs().type("T"));
          return call -> {
            Cancellation stop = call.cancellation();
            Tensor result =
                epilogue.of(
                    convolved(call, window),
                    call,
                    2,
                    argument -> window.channelsLast("argument", argument, stop));
            call.setOutput(0, window.restoreFormat(result, stop));
          };
        });
  }

  /** Computes the output of a call, given the window of the node's attrs. */
  @FunctionalInterface
  private interface Body {
    Tensor of(KernelCall call, WindowAttrs window);
  }

  private static Op op(Op.Builder op, Body rule) {
    return op.attrs(ATTRS)
        .remark(ConvOps.ROUNDED_ONCE)
        .kernel(node -> {
          WindowAttrs window = new WindowAttrs(node.op().name(), node.attrs());
          return call -> call.setOutput(0, rule.of(call, window));
        });
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape images = Shapes.withRank(in.shape(0), 4);
    Shape filter = Shapes.withRank(in.shape(1), 4);
    WindowAttrs window = new WindowAttrs("the convolution", in.attrs());
    long depth = Shapes.mergeSize(window.channels(images), filter.size(2));
    long channels = Shapes.multiply(depth, filter.size(3));
    return List.of(window.outShape(images, channels, filter.size(0), filter.size(1)));
  }

  /**
   * The window of {@code filter} over {@code images}; INVALID_ARGUMENT if they are incompatible.
   */
  private static SlidingWindow slidingWindow(WindowAttrs attrs, Shape images, Shape filter) {
    attrs.checkRank("input", images);
    attrs.checkRank("filter", filter);
    if (images.size(3) != filter.size(2)) {
      throw invalidArgument(
          "input and filter must have the same depth: %d vs %d", images.size(3), filter.size(2));
    }
    return attrs.slidingWindow(images, filter.size(0), filter.size(1));
  }

  private static Shape outShape(SlidingWindow window, Shape filter) {
    return Shape.of(
        window.images(),
        window.y().out(),
        window.x().out(),
        Shapes.multiply(filter.size(2), filter.size(3)));
  }

  private static Tensor convolve(KernelCall call, WindowAttrs attrs) {
    return attrs.restoreFormat(convolved(call, attrs), call.cancellation());
  }

  /** The convolution in channels-last format. */
  private static Tensor convolved(KernelCall call, WindowAttrs attrs) {
    Tensor images = attrs.channelsLast("input", call.input(0), call.cancellation());
    Tensor filter = call.input(1);
    SlidingWindow window = slidingWindow(attrs.withChannelsLast(), images.shape(), filter.shape());
    SlidingAxis y = window.y();
    Shape result = outShape(window, filter.shape());
    DataType dtype = images.dtype();
    TensorLimit.check(dtype, result);
    Object sums = Accumulators.newArray(dtype, result.elements());
    if (result.elements() > 0) {
      attrs.checkFormat(dtype, StatusCode.UNIMPLEMENTED);
      ElementKind kind = dtype == DataType.FLOAT64 ? ElementKind.DOUBLE : ElementKind.FLOAT;
      DepthwiseForward lines =
          new DepthwiseForward(
              kind,
              Accumulators.widen(filter),
              y,
              window.x(),
              (int) filter.shape().size(2),
              (int) filter.shape().size(3));
      Object in = Accumulators.widen(images);
      for (int i = 0; i < window.images() * y.out(); i++) {
        lines.compute(in, i / y.out(), i % y.out(), sums, i * lines.size(), call.cancellation());
      }
    }
    return Tensor.wrap(dtype, result, Accumulators.narrow(dtype, sums));
  }

  private static void checkGradient(Tensor gradient, Shape expected) {
    if (!gradient.shape().equals(expected)) {
      throw invalidArgument(
          "out_backprop must be of the shape of the convolution's result: %s, not %s",
          expected, gradient.shape());
    }
  }

  private static Tensor inputGradient(KernelCall call, WindowAttrs attrs) {
    Shape images = attrs.channelsLast(ShapeInputs.shape(call.input(0)));
    Tensor filter = call.input(1);
    Tensor gradient = attrs.channelsLast("out_backprop", call.input(2), call.cancellation());
    SlidingWindow window = slidingWindow(attrs.withChannelsLast(), images, filter.shape());
    checkGradient(gradient, outShape(window, filter.shape()));
    DataType dtype = filter.dtype();
    if (images.elements() > 0) {
      attrs.checkFormat(dtype, StatusCode.UNIMPLEMENTED);
    }
    TensorLimit.check(dtype, images);
    Object sums = Accumulators.newArray(dtype, images.elements());
    DepthwiseGradient rule = new DepthwiseGradient(filter.shape());
    Object weights = Accumulators.widen(filter);
    Object dy = Accumulators.widen(gradient);
    window.slide(
        call.cancellation(),
        (pixel, position, tap) -> rule.addToPixel(weights, tap, dy, position, sums, pixel));
    Tensor result = Tensor.wrap(dtype, images, Accumulators.narrow(dtype, sums));
    return attrs.restoreFormat(result, call.cancellation());
  }

  private static Tensor filterGradient(KernelCall call, WindowAttrs attrs) {
    Tensor images = attrs.channelsLast("input", call.input(0), call.cancellation());
    Shape filter = ShapeInputs.shape(call.input(1));
    Tensor gradient = attrs.channelsLast("out_backprop", call.input(2), call.cancellation());
    SlidingWindow window = slidingWindow(attrs.withChannelsLast(), images.shape(), filter);
    checkGradient(gradient, outShape(window, filter));
    DataType dtype = images.dtype();
    if (images.shape().elements() > 0 && filter.elements() > 0) {
      attrs.checkFormat(dtype, StatusCode.UNIMPLEMENTED);
    }
    TensorLimit.check(dtype, filter);
    double[] sums = new double[filter.elements()];
    DepthwiseGradient rule = new DepthwiseGradient(filter);
    Object in = Accumulators.widen(images);
    Object dy = Accumulators.widen(gradient);
    window.slide(
        call.cancellation(),
        (pixel, position, tap) -> rule.addToWeights(in, pixel, dy, position, sums, tap));
    Object array = dtype.kind().newArray(sums.length);
    for (int i = 0; i < sums.length; i++) {
      NumericElements.setFloating(dtype, array, i, sums[i]);
    }
    return Tensor.wrap(dtype, filter, array);
  }
}
