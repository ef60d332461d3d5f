package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Carrying;
import io.headrace.kernels.kit.Combining;
import io.headrace.kernels.kit.Extremes;
import io.headrace.kernels.kit.Numbers;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.elementwise.Spread;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.List;

/** The largest or the mean of what a window takes in of images, and their gradients. */
final class Pool {
  private final ImageWindow given;
  private final ImageWindow window;
  private final long[] sizes;

  /** A pool of a node, with its attrs ksize and strides. */
  Pool(NodeSpec node) {
    this(
        node.op().name(),
        node.attrs(),
        node.attrs().integers("ksize"),
        node.attrs().integers("strides"));
  }

  /** A pool of the op {@code op} with a window of {@code size}. */
  Pool(String op, Attrs attrs, List<Long> size, List<Long> strides) {
    this.given = new ImageWindow(op, attrs, strides);
    given.checkFormat(attrs.type("T"), StatusCode.INVALID_ARGUMENT);
    this.window = given.withChannelsLast();
    checkSize(given, size);
    if (size.getFirst() != 1 || given.channels(size) != 1) {
      throw StatusException.unimplemented(
          "ksize of %s in the batch and depth dimensions is not supported: %s", op, size);
    }
    this.sizes = space(given, size);
  }

  private static void checkSize(ImageWindow window, List<Long> size) {
    if (size.size() != window.rank() || size.stream().anyMatch(s -> s <= 0)) {
      throw invalidArgument(
          "Sliding window ksize must have %d elements, all positive, and is %s",
          window.rank(), size);
    }
  }

  private static long[] space(ImageWindow window, List<Long> size) {
    return size.stream()
        .skip(window.spaceAxis())
        .limit(window.rank() - 2)
        .mapToLong(s -> s)
        .toArray();
  }

  /** The shape of the result, where the window's size and strides are attrs. */
  static List<Shape> infer(ShapeRule.Inputs in) {
    ImageWindow window = new ImageWindow("the pool", in.attrs());
    return List.of(infer(window, in.shape(0), in.attrs().integers("ksize")));
  }

  /** The shape of the result for images of {@code shape} and a window of {@code size}. */
  static Shape infer(ImageWindow window, Shape shape, List<Long> size) {
    checkSize(window, size);
    Shape images = Shapes.withRank(shape, window.rank());
    return window.outShape(images, window.channels(images), space(window, size));
  }

  /** How the window slides over {@code images}. */
  private SlidingWindow over(Shape images) {
    return window.over(images, sizes);
  }

  /** The shape of the result for images of a shape that has as many dimensions as they must. */
  private Shape outShape(Shape images, String name) {
    window.checkRank(name, images);
    return window.outShape(images, images.size(window.rank() - 1), sizes);
  }

  private int channels(Shape images) {
    return (int) images.size(window.rank() - 1);
  }

  /** The largest of each window. */
  Tensor max(Tensor input, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    DataType dtype = images.dtype();
    int channels = channels(images.shape());
    Object out = TensorLimit.allocate(dtype, shape);
    Object lowest =
        ElementwiseKernel.of(Extremes.lowest(dtype), List.of(DataType.INT32))
            .apply(Tensor.scalar(0))
            .array();
    Spread.fill(lowest, 0, out, 0, shape.elements());
    Object from = images.array();
    int offset = images.offset();
    over(images.shape())
        .slide(
            stop,
            (pixel, place, _) ->
                larger(dtype, out, place * channels, from, offset + pixel * channels, channels));
    return given.restored(Tensor.of(dtype, shape, out), stop);
  }

  private static void larger(
      DataType dtype, Object out, int to, Object in, int from, int channels) {
    if (out instanceof float[] largest) {
      float[] values = (float[]) in;
      for (int c = 0; c < channels; c++) {
        largest[to + c] = Math.max(largest[to + c], values[from + c]);
      }
    } else {
      Combining.MAX.into(dtype, out, to, in, from, channels);
    }
  }

  /** The mean of each window, of what is no padding. */
  Tensor mean(Tensor input, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    DataType dtype = images.dtype();
    TensorLimit.check(dtype, shape);
    int channels = channels(images.shape());
    Object in = Carrying.widen(images);
    Object sums = Carrying.newArray(dtype, shape.elements());
    SlidingWindow places = over(images.shape());
    places.slide(
        stop, (pixel, place, _) -> add(sums, place * channels, in, pixel * channels, channels));
    divide(sums, counts(places, stop), channels);
    return given.restored(Tensor.of(dtype, shape, Carrying.narrow(dtype, sums)), stop);
  }

  private static void add(Object sums, int to, Object terms, int from, int count) {
    DataType carrier = sums instanceof float[] ? DataType.FLOAT32 : DataType.FLOAT64;
    Combining.ADD.into(carrier, sums, to, terms, from, count);
  }

  /** How many pixels the window takes in at each place. */
  private static int[] counts(SlidingWindow places, Cancellation stop) {
    int[] counts = new int[places.places()];
    places.slide(stop, (_, place, _) -> counts[place]++);
    return counts;
  }

  private static void divide(Object values, int[] counts, int channels) {
    for (int i = 0; i < counts.length * channels; i++) {
      if (values instanceof float[] s) {
        s[i] /= counts[i / channels];
      } else {
        ((double[]) values)[i] /= counts[i / channels];
      }
    }
  }

  /** The gradient of {@link #mean}: each pixel of a window gets its share. */
  Tensor ofMean(Shape inputShape, Tensor outGradient, Cancellation stop) {
    Shape images = given.channelsLast(inputShape);
    Tensor gradient = given.channelsLast("out_backprop", outGradient, stop);
    checkGradient(outShape(images, "orig_input_shape"), gradient);
    DataType dtype = gradient.dtype();
    TensorLimit.check(dtype, images);
    int channels = channels(images);
    SlidingWindow places = over(images);
    Object shares = Carrying.newArray(dtype, gradient.elements());
    add(shares, 0, Carrying.widen(gradient), 0, gradient.elements());
    divide(shares, counts(places, stop), channels);
    Object sums = Carrying.newArray(dtype, images.elements());
    places.slide(
        stop, (pixel, place, _) -> add(sums, pixel * channels, shares, place * channels, channels));
    return given.restored(Tensor.of(dtype, images, Carrying.narrow(dtype, sums)), stop);
  }

  private static void checkGradient(Shape expected, Tensor gradient) {
    if (!gradient.shape().equals(expected)) {
      throw invalidArgument(
          "the gradient must be of the shape of the pool's result: %s, not %s",
          expected, gradient.shape());
    }
  }

  /** The gradient of {@link #max}: the first of the largest of a window gets all of it. */
  Tensor ofMax(Tensor input, Tensor output, Tensor outGradient, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Tensor largest = given.channelsLast("tensor_out", output, stop);
    Tensor gradient = given.channelsLast("out_backprop", outGradient, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    checkGradient(shape, gradient);
    checkGradient(shape, largest);
    DataType dtype = gradient.dtype();
    Object sums = TensorLimit.allocate(dtype, images.shape());
    int[] winners = winners(images, shape, stop);
    for (int i = 0; i < winners.length; i++) {
      if (winners[i] >= 0) {
        Combining.ADD.into(dtype, sums, winners[i], gradient.array(), gradient.offset() + i, 1);
      }
    }
    return given.restored(Tensor.of(dtype, images.shape(), sums), stop);
  }

  /** The same, but each of the largest of a window gets all of it: so TensorFlow does volumes. */
  Tensor ofEveryMax(Tensor input, Tensor output, Tensor outGradient, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Tensor largest = given.channelsLast("tensor_out", output, stop);
    Tensor gradient = given.channelsLast("out_backprop", outGradient, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    checkGradient(shape, gradient);
    checkGradient(shape, largest);
    DataType dtype = gradient.dtype();
    Object sums = TensorLimit.allocate(dtype, images.shape());
    int channels = channels(images.shape());
    over(images.shape())
        .slide(
            stop,
            (pixel, place, _) -> {
              for (int c = 0; c < channels; c++) {
                int in = pixel * channels + c;
                int out = place * channels + c;
                if (floating(images, in) == floating(largest, out)) {
                  Combining.ADD.into(dtype, sums, in, gradient.array(), gradient.offset() + out, 1);
                }
              }
            });
    return given.restored(Tensor.of(dtype, images.shape(), sums), stop);
  }

  /**
   * The largest of each window, and which element of its image it is; with {@code acrossBatch}, of
   * all images. Of windows that take in nothing, {@code index} is -1.
   */
  Winners winners(Tensor images, boolean acrossBatch, Cancellation stop) {
    Shape shape = outShape(images.shape(), "tensor_in");
    int[] winners = winners(images, shape, stop);
    Object values = TensorLimit.allocate(images.dtype(), shape);
    long[] indices = new long[winners.length];
    int imageSize = images.shape().dropFirst(1).elements();
    for (int i = 0; i < winners.length; i++) {
      indices[i] = winners[i];
      if (winners[i] >= 0) {
        images.dtype().kind().copy(images.array(), images.offset() + winners[i], values, i, 1);
        indices[i] = acrossBatch ? winners[i] : winners[i] % imageSize;
      }
    }
    return new Winners(Tensor.of(images.dtype(), shape, values), indices);
  }

  /** What {@link #winners} gives: values, and an index for each. */
  static final class Winners {
    final Tensor values;
    final long[] indices;

    private Winners(Tensor values, long[] indices) {
      this.values = values;
      this.indices = indices;
    }
  }

  /**
   * The gradient of {@link #winners}' values: each goes to the element that its index names.
   * INVALID_ARGUMENT if there is none.
   */
  Tensor ofWinners(
      Shape images, Tensor gradient, Tensor argmax, boolean acrossBatch, Cancellation stop) {
    Shape shape = outShape(images, "tensor_in");
    checkShape("grad", shape, gradient);
    checkShape("argmax", shape, argmax);
    DataType dtype = gradient.dtype();
    Object sums = TensorLimit.allocate(dtype, images);
    int places = shape.dropFirst(1).elements();
    int imageSize = images.dropFirst(1).elements();
    for (int i = 0; i < gradient.elements(); i++) {
      stop.check();
      long from = acrossBatch ? 0 : (long) (i / places) * imageSize;
      long at = from + argmax.integer(i);
      if (argmax.integer(i) < 0 || at >= (acrossBatch ? images.elements() : from + imageSize)) {
        throw invalidArgument(
            "argmax[%d] is %d, and there is no such element", i, argmax.integer(i));
      }
      Combining.ADD.into(dtype, sums, (int) at, gradient.array(), gradient.offset() + i, 1);
    }
    return Tensor.of(dtype, images, sums);
  }

  private static void checkShape(String name, Shape expected, Tensor tensor) {
    if (!tensor.shape().equals(expected)) {
      throw invalidArgument(
          "Expected %s shape to be %s, but got %s", name, expected, tensor.shape());
    }
  }

  private static double floating(Tensor tensor, int element) {
    return Numbers.floating(tensor.dtype(), tensor.array(), tensor.offset() + element);
  }

  /** The element of the images that each element of the result is; -1 if none. */
  private int[] winners(Tensor images, Shape out, Cancellation stop) {
    int[] winners = new int[out.elements()];
    Arrays.fill(winners, -1);
    int channels = channels(images.shape());
    over(images.shape())
        .slide(
            stop,
            (pixel, place, _) -> {
              for (int c = 0; c < channels; c++) {
                int at = place * channels + c;
                int candidate = pixel * channels + c;
                if (winners[at] < 0 || isLess(images, winners[at], candidate)) {
                  winners[at] = candidate;
                }
              }
            });
    return winners;
  }

  private static boolean isLess(Tensor values, int a, int b) {
    int i = values.offset() + a;
    int j = values.offset() + b;
    DataType dtype = values.dtype();
    if (values.array() instanceof float[] floats) {
      return floats[i] < floats[j];
    }
    if (dtype.isFloating()) {
      return Numbers.floating(dtype, values.array(), i)
          < Numbers.floating(dtype, values.array(), j);
    }
    long x = Numbers.integer(dtype, values.array(), i);
    long y = Numbers.integer(dtype, values.array(), j);
    return dtype == DataType.UINT64 ? Long.compareUnsigned(x, y) < 0 : x < y;
  }
}
