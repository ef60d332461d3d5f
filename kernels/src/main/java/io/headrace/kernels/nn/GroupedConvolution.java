package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;

/**
 * A grouped convolution: the channels of the images are split into contiguous groups, each
 * convolved with its share of the filter's output channels by a {@link Convolution}. The number of
 * groups is the images' depth divided by the filter's; volumes have one. Channels are last. Serves
 * one call; not thread-safe.
 */
final class GroupedConvolution {
  private final DataType dtype;
  private final Shape images;
  private final Shape filter;
  private final int groups;
  private final Cancellation stop;
  private final Convolution convolution;

  /** INVALID_ARGUMENT if the shapes are incompatible. */
  GroupedConvolution(
      DataType dtype, WindowAttrs attrs, Shape images, Shape filter, Cancellation stop) {
    this.dtype = dtype;
    this.images = attrs.checkRank("input", images);
    this.filter = attrs.checkRank("filter", filter);
    this.stop = stop;
    this.groups = attrs.rank() == 4 ? groups(images.size(3), filter.size(2), filter.size(3)) : 1;
    int last = attrs.rank() - 1;
    this.convolution =
        new Convolution(
            dtype,
            attrs,
            Shapes.withSize(images, last, images.size(last) / groups),
            Shapes.withSize(filter, last, filter.size(last) / groups),
            stop);
  }

  private static int groups(long depth, long filterDepth, long outputs) {
    checkMultiple(depth, filterDepth);
    long groups = filterDepth == 0 ? 1 : Math.max(1, depth / filterDepth);
    if (outputs % groups != 0) {
      throw invalidArgument(
          "Depth of output (%d) is not a multiple of the number of groups (%d)", outputs, groups);
    }
    return Math.toIntExact(groups);
  }

  /** INVALID_ARGUMENT unless {@code depth} is a multiple of the filter's depth. */
  static void checkMultiple(long depth, long filterDepth) {
    if (filterDepth != 0 && depth % filterDepth != 0) {
      throw invalidArgument(
          "Depth of input (%d) is not a multiple of input depth of filter (%d)",
          depth, filterDepth);
    }
  }

  /** Computes the result of a group from its shares of the two operands. */
  @FunctionalInterface
  private interface GroupBody {
    Tensor of(Tensor left, Tensor right);
  }

  /** The images of {@code input} convolved with {@code weights}. */
  Tensor of(Tensor input, Tensor weights) {
    return forEachGroup(outShape(), input, weights, convolution::of);
  }

  /** The shape of the result. */
  Shape outShape() {
    Shape part = convolution.outShape();
    int last = part.rank() - 1;
    return Shapes.withSize(part, last, filter.size(last));
  }

  private void checkGradient(Tensor gradient) {
    if (groups > 1 && !WindowAttrs.supportsAllFormatsOnCpu(dtype)) {
      throw invalidArgument(
          "Gradients for grouped convolutions are supported of float and bfloat16, not of %s: the"
              + " images of shape %s and the filter of shape %s make %d groups",
          dtype.tfName(), images, filter, groups);
    }
    if (!gradient.shape().equals(outShape())) {
      throw invalidArgument(
          "out_backprop must be of the shape of the convolution's result: %s, not %s",
          outShape(), gradient.shape());
    }
  }

  /** The gradient of the images, given that of the result. */
  Tensor inputGradient(Tensor gradient, Tensor weights) {
    checkGradient(gradient);
    return forEachGroup(images, gradient, weights, convolution::inputGradient);
  }

  /** The gradient of the weights, given that of the result. */
  Tensor filterGradient(Tensor gradient, Tensor input) {
    checkGradient(gradient);
    return forEachGroup(filter, gradient, input, convolution::filterGradient);
  }

  private Tensor forEachGroup(Shape result, Tensor left, Tensor right, GroupBody part) {
    if (groups == 1) {
      return part.of(left, right);
    }
    int all = (int) result.size(result.rank() - 1);
    Object array = TensorLimit.allocate(dtype, result);
    for (int group = 0; group < groups; group++) {
      Tensor piece = part.of(share(left, group), share(right, group));
      ChannelLayout.join(piece, array, group * (all / groups), all, stop);
    }
    return Tensor.wrap(dtype, result, array);
  }

  private Tensor share(Tensor tensor, int group) {
    int last = tensor.shape().rank() - 1;
    int each = last < 0 ? 0 : (int) tensor.shape().size(last) / groups;
    return ChannelLayout.slice(tensor, group * each, (group + 1) * each, stop);
  }
}
