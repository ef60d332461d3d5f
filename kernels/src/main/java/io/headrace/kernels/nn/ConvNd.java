package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** The Conv op: 2-D or 3-D by the rank of its input, with any number of batch dimensions. */
final class ConvNd {
  private ConvNd() {}

  static Op op() {
    return Op.define("Conv(input: T, filter: T) -> output: T")
        .attrs(
            "T: {half, bfloat16, float, double, int32}",
            "strides: list(int)",
            "padding: string",
            "explicit_paddings: list(int) = []",
            "data_format: string = \"CHANNELS_LAST\"",
            "dilations: list(int) = []",
            "batch_dims: int = 1",
            "groups: int = 1")
        .remark(ConvOps.ROUNDED_ONCE)
        .shape(ConvNd::infer)
        .kernel(ConvNd::kernel);
  }

  private static Kernel.Sync kernel(NodeSpec node) {
    Attrs attrs = node.attrs();
    if (attrs.integer("groups") != 1) {
      throw StatusException.unimplemented("Grouped/Depthwise Convolutions are not supported yet.");
    }
    WindowAttrs.checkPadding(attrs.string("padding"), attrs.integers("explicit_paddings"));
    long batches = attrs.integer("batch_dims");
    if (batches < 0) {
      throw invalidArgument("batch_dims must be non-negative: %d", batches);
    }
    return call -> convolve(call, attrs, (int) batches);
  }

  private static void convolve(KernelCall call, Attrs attrs, int batches) {
    Tensor input = call.input(0);
    Tensor filter = call.input(1);
    int space = input.shape().rank() - batches - 1;
    checkSpace(space);
    int rank = space + 2;
    if (filter.shape().rank() != rank) {
      throw invalidArgument("filter must be %d-dimensional: %s", rank, filter.shape());
    }
    if (!attrs.string("data_format").equals("CHANNELS_LAST")) {
      throw StatusException.unimplemented(
          "Conv on the CPU only supports CHANNELS_LAST, not %s", attrs.string("data_format"));
    }
    WindowAttrs window = WindowAttrs.ofRank("Conv", attrs, rank);
    Shape outer = input.shape().sub(0, batches);
    Shape images = input.shape().dropFirst(batches).prepend(outer.elements());
    long depth = images.size(rank - 1);
    if (depth != filter.shape().size(space)) {
      throw invalidArgument(
          "Input depth must be equal to filter depth: %d vs %d", depth, filter.shape().size(space));
    }
    Convolution.checkFilter(filter.shape());
    Tensor result =
        new Convolution(input.dtype(), window, images, filter.shape(), call.cancellation())
            .of(input.reshape(images), filter);
    Shape shape = Shapes.concat(outer, result.shape().dropFirst(1));
    call.setOutput(0, result.reshape(shape));
  }

  private static void checkSpace(int space) {
    if (space != 2 && space != 3) {
      throw invalidArgument("The input must have 2 or 3 spatial dimensions but got %d", space);
    }
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Attrs attrs = in.attrs();
    int batches = (int) attrs.integer("batch_dims");
    Shape input = in.shape(0);
    boolean isFirst = attrs.string("data_format").equals("CHANNELS_FIRST");
    if (input.isUnknownRank() || in.shape(1).isUnknownRank() || isFirst) {
      return List.of(Shape.UNKNOWN);
    }
    int space = input.rank() - batches - 1;
    checkSpace(space);
    Shape filter = Shapes.withRank(in.shape(1), space + 2);
    Shape images = input.dropFirst(batches).prepend(1);
    Shape one =
        WindowAttrs.ofRank("Conv", attrs, space + 2)
            .outShape(images, filter.size(space + 1), filter.sub(0, space).dimensions());
    return List.of(Shapes.concat(input.sub(0, batches), one.dropFirst(1)));
  }
}
