package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.kernels.linalg.MatrixProduct;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * A convolution and its gradients as matrix products of the filter and the {@link Im2Col} of the
 * images (im2col). Images are channels last; filters are by row, column, input channel and output
 * channel. Large patch matrices are computed and multiplied in blocks of output positions. Serves
 * one call; not thread-safe.
 */
final class Convolution {
  /** Elements of the largest block of patches. */
  private static final int PATCH_ELEMENTS = 1 << 20;

  private final DataType dtype;
  private final Shape images;
  private final Shape filter;
  private final Im2Col patches;
  private final int depth;
  private final Cancellation stop;
  private @Nullable Object buffer;

  /** INVALID_ARGUMENT if the shapes are incompatible. */
  Convolution(DataType dtype, WindowAttrs attrs, Shape images, Shape filter, Cancellation stop) {
    this.dtype = dtype;
    this.images = attrs.checkRank("input", images);
    this.filter = attrs.checkRank("filter", filter);
    this.stop = stop;
    int space = attrs.rank() - 2;
    if (filter.size(space) == 0) {
      throw invalidArgument("filter depth must be positive, and is 0");
    }
    long channels = images.size(space + 1);
    if (channels != filter.size(space)) {
      throw invalidArgument(
          "input and filter must have the same depth: %d vs %d", channels, filter.size(space));
    }
    long[] sizes = filter.sub(0, space).dimensions();
    this.patches = new Im2Col(attrs.slidingWindow(images, sizes), (int) channels);
    this.depth = (int) filter.size(space + 1);
  }

  /** INVALID_ARGUMENT if a filter that images are to be convolved with has no elements. */
  static void checkFilter(Shape filter) {
    if (filter.elements() == 0) {
      throw invalidArgument(
          "filter must not have zero elements (i.e. all dimensions must be non-zero)");
    }
  }

  /** The shape of the result. */
  Shape outShape() {
    SlidingWindow window = patches.window();
    return images.rank() == 4
        ? Shape.of(window.images(), window.y().out(), window.x().out(), depth)
        : Shape.of(window.images(), window.z().out(), window.y().out(), window.x().out(), depth);
  }

  /** The images of {@code input} convolved with {@code weights}. */
  Tensor of(Tensor input, Tensor weights) {
    Object sums = newSums(outShape());
    if (outShape().elements() == 0) {
      return tensor(outShape(), sums);
    }
    Object in = Accumulators.widen(input);
    Object right = Accumulators.widen(weights);
    for (int first = 0; first < positions(); first += step()) {
      int count = Math.min(step(), positions() - first);
      Object left = gathered(in, first, count);
      new MatrixProduct(count, patches.size(), depth, stop)
          .add(left, start(left, in, first), right, 0, sums, first * depth);
    }
    return tensor(outShape(), sums);
  }

  /** The gradient of the images, given that of the result. */
  Tensor inputGradient(Tensor gradient, Tensor weights) {
    Object sums = newSums(images);
    if (filter.elements() == 0) {
      return tensor(images, sums);
    }
    Object dy = Accumulators.widen(gradient);
    Object right = Accumulators.widen(weights);
    boolean direct = patches.window().isIdentity();
    for (int first = 0; first < positions(); first += step()) {
      int count = Math.min(step(), positions() - first);
      Object products = direct ? sums : Accumulators.newArray(dtype, count * patches.size());
      new MatrixProduct(count, depth, patches.size(), stop)
          .transposeRight()
          .add(dy, first * depth, right, 0, products, direct ? first * patches.size() : 0);
      if (!direct) {
        patches.scatter(products, first, count, sums);
      }
    }
    return tensor(images, sums);
  }

  /** The gradient of the weights, given that of the result. */
  Tensor filterGradient(Tensor gradient, Tensor input) {
    Object sums = newSums(filter);
    if (filter.elements() == 0) {
      return tensor(filter, sums);
    }
    Object dy = Accumulators.widen(gradient);
    Object in = Accumulators.widen(input);
    for (int first = 0; first < positions(); first += step()) {
      int count = Math.min(step(), positions() - first);
      Object left = gathered(in, first, count);
      new MatrixProduct(patches.size(), count, depth, stop)
          .transposeLeft()
          .add(left, start(left, in, first), dy, first * depth, sums, 0);
    }
    return tensor(filter, sums);
  }

  private Object newSums(Shape shape) {
    TensorLimit.check(dtype, shape);
    return Accumulators.newArray(dtype, shape.elements());
  }

  private Tensor tensor(Shape shape, Object sums) {
    return Tensor.wrap(dtype, shape, Accumulators.narrow(dtype, sums));
  }

  private int positions() {
    return patches.window().positions();
  }

  /** Output positions in one block. */
  private int step() {
    return Math.clamp(PATCH_ELEMENTS / patches.size(), 1, Math.max(1, positions()));
  }

  /** The patches of a block; the images themselves if the window is the identity. */
  private Object gathered(Object in, int first, int count) {
    if (patches.window().isIdentity()) {
      return in;
    }
    if (buffer == null) {
      buffer = Accumulators.newArray(dtype, Math.multiplyExact(step(), patches.size()));
    }
    patches.gather(in, first, count, buffer);
    return buffer;
  }

  /** The index of the first element of the block in {@code gathered}. */
  @SuppressWarnings("ReferenceEquality") // the images themselves if the window is the identity
  private int start(Object gathered, Object in, int first) {
    return gathered == in ? first * patches.size() : 0;
  }
}
