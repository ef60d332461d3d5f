package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Carrying;
import io.headrace.kernels.linalg.MatrixProduct;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * A convolution of images of one shape with a filter of another, and its gradients: each a product
 * of matrices, of which the {@link Patches} of the images are one. What is too large is multiplied
 * in steps of some places. Made for one call; used by one thread.
 */
final class Convolution {
  /** Elements of the patches that are multiplied at once. */
  private static final int PATCH_ELEMENTS = 1 << 20;

  private final DataType dtype;
  private final Shape images;
  private final Shape filter;
  private final Patches patches;
  private final int depth;
  private final Cancellation stop;
  private @Nullable Object buffer;

  /** INVALID_ARGUMENT if the shapes do not go together. */
  Convolution(DataType dtype, ImageWindow attrs, Shape images, Shape filter, Cancellation stop) {
    this.dtype = dtype;
    this.images = attrs.checkRank("input", images);
    this.filter = attrs.checkRank("filter", filter);
    this.stop = stop;
    if (filter.elements() == 0) {
      throw invalidArgument(
          "filter must not have zero elements (i.e. all dimensions must be non-zero)");
    }
    int space = attrs.rank() - 2;
    long channels = images.size(space + 1);
    if (channels != filter.size(space)) {
      throw invalidArgument(
          "input and filter must have the same depth: %d vs %d", channels, filter.size(space));
    }
    long[] sizes = filter.sub(0, space).dimensions();
    this.patches = new Patches(attrs.over(images, sizes), (int) channels);
    this.depth = (int) filter.size(space + 1);
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
    Object in = Carrying.widen(input);
    Object right = Carrying.widen(weights);
    for (int first = 0; first < places(); first += step()) {
      int count = Math.min(step(), places() - first);
      Object left = gathered(in, first, count);
      new MatrixProduct(count, patches.size(), depth, stop)
          .add(left, start(left, in, first), right, 0, sums, first * depth);
    }
    return tensor(outShape(), sums);
  }

  /** The gradient of the images, of that of the result and {@code weights}. */
  Tensor ofImages(Tensor gradient, Tensor weights) {
    Object sums = newSums(images);
    Object dy = Carrying.widen(gradient);
    Object right = Carrying.widen(weights);
    boolean direct = patches.window().isIdentity();
    for (int first = 0; first < places(); first += step()) {
      int count = Math.min(step(), places() - first);
      Object products = direct ? sums : Carrying.newArray(dtype, count * patches.size());
      new MatrixProduct(count, depth, patches.size(), stop)
          .transposeRight()
          .add(dy, first * depth, right, 0, products, direct ? first * patches.size() : 0);
      if (!direct) {
        patches.scatter(products, first, count, sums);
      }
    }
    return tensor(images, sums);
  }

  /** The gradient of the weights, of that of the result and the images. */
  Tensor ofWeights(Tensor gradient, Tensor input) {
    Object sums = newSums(filter);
    Object dy = Carrying.widen(gradient);
    Object in = Carrying.widen(input);
    for (int first = 0; first < places(); first += step()) {
      int count = Math.min(step(), places() - first);
      Object left = gathered(in, first, count);
      new MatrixProduct(patches.size(), count, depth, stop)
          .transposeLeft()
          .add(left, start(left, in, first), dy, first * depth, sums, 0);
    }
    return tensor(filter, sums);
  }

  private Object newSums(Shape shape) {
    TensorLimit.check(dtype, shape);
    return Carrying.newArray(dtype, shape.elements());
  }

  private Tensor tensor(Shape shape, Object sums) {
    return Tensor.of(dtype, shape, Carrying.narrow(dtype, sums));
  }

  private int places() {
    return patches.window().places();
  }

  /** Places in one product. */
  private int step() {
    return Math.clamp(PATCH_ELEMENTS / patches.size(), 1, Math.max(1, places()));
  }

  /** The patches at these places; the images themselves where they are that. */
  private Object gathered(Object in, int first, int count) {
    if (patches.window().isIdentity()) {
      return in;
    }
    if (buffer == null) {
      buffer = Carrying.newArray(dtype, Math.multiplyExact(step(), patches.size()));
    }
    patches.gather(in, first, count, buffer);
    return buffer;
  }

  @SuppressWarnings("ReferenceEquality") // that very array, where nothing had to be gathered
  private int start(Object gathered, Object in, int first) {
    return gathered == in ? first * patches.size() : 0;
  }
}
