package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.DataTypeLimits;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.BroadcastCopy;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** Max and average pooling of images or volumes, with or without argmax, and the gradients. */
final class Pool {
  /** An element of volumes counts as a window's maximum if it is nearer than this. */
  private static final float NEAR = 1e-5f;

  /** The window in the data_format of the node. */
  private final WindowAttrs given;

  /** The same window in channels-last format. */
  private final WindowAttrs window;

  private final long[] sizes;

  /** The pool of a node with the attrs ksize and strides. */
  Pool(NodeSpec node) {
    this(
        node.op().name(),
        node.attrs(),
        node.attrs().integers("ksize"),
        node.attrs().integers("strides"));
  }

  /** The pool of a node of {@code op} with a window of {@code size}. */
  Pool(String op, Attrs attrs, List<Long> size, List<Long> strides) {
    WindowAttrs.checkPool(op, attrs, size, strides);
    this.given = new WindowAttrs(op, attrs, strides);
    this.window = given.withChannelsLast();
    checkSize(given, size);
    this.sizes = space(given, size);
  }

  private static void checkSize(WindowAttrs window, List<Long> size) {
    if (size.size() != window.rank() || size.stream().anyMatch(s -> s <= 0)) {
      throw invalidArgument(
          "Sliding window ksize must have %d elements, all positive, and is %s",
          window.rank(), size);
    }
  }

  private static long[] space(WindowAttrs window, List<Long> size) {
    return size.stream()
        .skip(window.spaceAxis())
        .limit(window.rank() - 2)
        .mapToLong(s -> s)
        .toArray();
  }

  /** The shape of the result for a node with the attrs ksize and strides. */
  static List<Shape> infer(ShapeFunction.Inputs in) {
    WindowAttrs window = new WindowAttrs("the pool", in.attrs());
    return List.of(infer(window, in.shape(0), in.attrs().integers("ksize")));
  }

  /** The shape of the result for images of {@code shape} and a window of {@code size}. */
  static Shape infer(WindowAttrs window, Shape shape, List<Long> size) {
    checkSize(window, size);
    Shape images = Shapes.withRank(shape, window.rank());
    return window.outShape(images, window.channels(images), space(window, size));
  }

  /** The window's positions over {@code images}. */
  SlidingWindow slidingWindow(Shape images) {
    return window.slidingWindow(images, sizes);
  }

  /** The shape of the result; INVALID_ARGUMENT, naming {@code name}, if the rank is wrong. */
  Shape outShape(Shape images, String name) {
    window.checkRank(name, images);
    return window.outShape(images, images.size(window.rank() - 1), sizes);
  }

  private int channels(Shape images) {
    return (int) images.size(window.rank() - 1);
  }

  /** Max pooling. */
  Tensor max(Tensor input, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    DataType dtype = images.dtype();
    int channels = channels(images.shape());
    Object out = TensorLimit.allocate(dtype, shape);
    Object lowest = lowest(dtype);
    Object from = TensorMemory.array(images);
    int offset = TensorMemory.offset(images);
    SlidingWindow positions = slidingWindow(images.shape());
    BroadcastCopy.fill(dtype.kind(), lowest, 0, out, 0, shape.elements());
    if (out instanceof float[] largest) {
      float[] values = (float[]) from;
      positions.slide(
          stop,
          (pixel, position, _) ->
              larger(largest, position * channels, values, offset + pixel * channels, channels));
      if (!hasNan(largest)) {
        return given.restoreFormat(Tensor.wrap(dtype, shape, out), stop);
      }
      BroadcastCopy.fill(dtype.kind(), lowest, 0, out, 0, shape.elements());
    }
    positions.slide(
        stop,
        (pixel, position, _) ->
            Combiner.MAX.into(
                dtype, out, position * channels, from, offset + pixel * channels, channels));
    return given.restoreFormat(Tensor.wrap(dtype, shape, out), stop);
  }

  /** An array of the number that max pooling starts from; of images, NaN is never greater. */
  private Object lowest(DataType dtype) {
    if (dtype.isFloating() && window.rank() == 4) {
      Object array = dtype.kind().newArray(1);
      NumericElements.setFloating(dtype, array, 0, -DataTypeLimits.largestFinite(dtype));
      return array;
    }
    return TensorMemory.array(
        ElementwiseKernel.of(DataTypeLimits.lowest(dtype), List.of(DataType.INT32))
            .apply(Tensor.scalar(0)));
  }

  private static void larger(float[] largest, int to, float[] values, int from, int channels) {
    for (int c = 0; c < channels; c++) {
      largest[to + c] = Math.max(largest[to + c], values[from + c]);
    }
  }

  private boolean hasNan(float[] values) {
    if (window.rank() != 4) {
      return false;
    }
    for (float value : values) {
      if (Float.isNaN(value)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Average pooling; padding does not count, nor, in volumes, do elements with the lowest finite
   * value.
   */
  Tensor mean(Tensor input, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    DataType dtype = images.dtype();
    TensorLimit.check(dtype, shape);
    int channels = channels(images.shape());
    Object in = Accumulators.widen(images);
    Object sums = Accumulators.newArray(dtype, shape.elements());
    SlidingWindow positions = slidingWindow(images.shape());
    double lowest = -DataTypeLimits.largestFinite(dtype);
    if (window.rank() == 5 && contains(in, lowest)) {
      meanOfOthers(lowest, positions, in, sums, channels, stop);
    } else {
      positions.slide(
          stop,
          (pixel, position, _) -> add(sums, position * channels, in, pixel * channels, channels));
      divide(sums, counts(positions, stop), channels);
    }
    return given.restoreFormat(Tensor.wrap(dtype, shape, Accumulators.narrow(dtype, sums)), stop);
  }

  private static boolean contains(Object values, double value) {
    if (values instanceof double[] doubles) {
      for (double v : doubles) {
        if (v == value) {
          return true;
        }
      }
      return false;
    }
    for (float v : (float[]) values) {
      if (v == value) {
        return true;
      }
    }
    return false;
  }

  /** The means of the elements that are not {@code left}. */
  private static void meanOfOthers(
      double left,
      SlidingWindow positions,
      Object in,
      Object sums,
      int channels,
      Cancellation stop) {
    int[] counts = new int[positions.positions() * channels];
    positions.slide(
        stop,
        (pixel, position, _) -> {
          for (int c = 0; c < channels; c++) {
            int from = pixel * channels + c;
            int to = position * channels + c;
            if (accumulated(in, from) != left) {
              add(sums, to, in, from, 1);
              counts[to]++;
            }
          }
        });
    divide(sums, counts, 1);
  }

  private static double accumulated(Object values, int i) {
    return switch (values) {
      case float[] floats -> floats[i];
      case double[] doubles -> doubles[i];
      default -> throw new AssertionError(values.getClass());
    };
  }

  private static void add(Object sums, int to, Object terms, int from, int count) {
    DataType carrier = sums instanceof float[] ? DataType.FLOAT32 : DataType.FLOAT64;
    Combiner.ADD.into(carrier, sums, to, terms, from, count);
  }

  /** The number of pixels under the window at each output position. */
  private static int[] counts(SlidingWindow positions, Cancellation stop) {
    int[] counts = new int[positions.positions()];
    positions.slide(stop, (_, position, _) -> counts[position]++);
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

  /** The gradient of {@link #mean}: each pixel of a window gets an equal share. */
  Tensor meanGradient(Shape inputShape, Tensor outGradient, Cancellation stop) {
    Shape images = given.channelsLast(inputShape);
    Tensor gradient = given.channelsLast("out_backprop", outGradient, stop);
    checkGradient(outShape(images, "orig_input_shape"), gradient);
    DataType dtype = gradient.dtype();
    TensorLimit.check(dtype, images);
    int channels = channels(images);
    SlidingWindow positions = slidingWindow(images);
    Object shares = Accumulators.newArray(dtype, gradient.elements());
    add(shares, 0, Accumulators.widen(gradient), 0, gradient.elements());
    divide(shares, counts(positions, stop), channels);
    Object sums = Accumulators.newArray(dtype, images.elements());
    positions.slide(
        stop,
        (pixel, position, _) -> add(sums, pixel * channels, shares, position * channels, channels));
    return given.restoreFormat(Tensor.wrap(dtype, images, Accumulators.narrow(dtype, sums)), stop);
  }

  private static void checkGradient(Shape expected, Tensor gradient) {
    if (!gradient.shape().equals(expected)) {
      throw invalidArgument(
          "the gradient must be of the shape of the pool's result: %s, not %s",
          expected, gradient.shape());
    }
  }

  /** The gradient of {@link #max}: the first maximum of a window gets all of it. */
  Tensor maxGradient(Tensor input, Tensor output, Tensor outGradient, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Tensor largest = given.channelsLast("tensor_out", output, stop);
    Tensor gradient = given.channelsLast("out_backprop", outGradient, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    checkGradient(shape, gradient);
    checkGradient(shape, largest);
    DataType dtype = gradient.dtype();
    Object sums = TensorLimit.allocate(dtype, images.shape());
    int[] argmaxes = argmaxes(images, shape, stop);
    for (int i = 0; i < argmaxes.length; i++) {
      if (argmaxes[i] >= 0) {
        Combiner.ADD.into(
            dtype,
            sums,
            argmaxes[i],
            TensorMemory.array(gradient),
            TensorMemory.offset(gradient) + i,
            1);
      }
    }
    return given.restoreFormat(Tensor.wrap(dtype, images.shape(), sums), stop);
  }

  /**
   * The gradient of {@link #max} for volumes: as in TensorFlow, each maximum gets all of it, and it
   * is added up by column, row and layer.
   */
  Tensor maxGradientOfVolumes(Tensor input, Tensor output, Tensor outGradient, Cancellation stop) {
    Tensor images = given.channelsLast("tensor_in", input, stop);
    Tensor largest = given.channelsLast("tensor_out", output, stop);
    Tensor gradient = given.channelsLast("out_backprop", outGradient, stop);
    Shape shape = outShape(images.shape(), "tensor_in");
    checkGradient(shape, gradient);
    checkGradient(shape, largest);
    DataType dtype = gradient.dtype();
    Object sums = TensorLimit.allocate(dtype, images.shape());
    SlidingWindow positions = slidingWindow(images.shape());
    for (int column = 0; column < positions.x().out(); column++) {
      for (int row = 0; row < positions.y().out(); row++) {
        stop.check();
        for (int layer = 0; layer < positions.z().out() * positions.images(); layer++) {
          int position = (layer * positions.y().out() + row) * positions.x().out() + column;
          addToMaxima(images, largest, gradient, positions, position, sums);
        }
      }
    }
    return given.restoreFormat(Tensor.wrap(dtype, images.shape(), sums), stop);
  }

  /** Adds the gradient of a position to each element that is its maximum. */
  private void addToMaxima(
      Tensor images,
      Tensor largest,
      Tensor gradient,
      SlidingWindow positions,
      int position,
      Object sums) {
    int channels = channels(images.shape());
    positions.slideAt(
        position,
        (pixel, _, _) -> {
          for (int c = 0; c < channels; c++) {
            int in = pixel * channels + c;
            int out = position * channels + c;
            if (isNear(floating(images, in), floating(largest, out))) {
              Combiner.ADD.into(
                  gradient.dtype(),
                  sums,
                  in,
                  TensorMemory.array(gradient),
                  TensorMemory.offset(gradient) + out,
                  1);
            }
          }
        });
  }

  /** Whether two numbers, of which neither is infinite, are all but equal. */
  private static boolean isNear(double a, double b) {
    return Math.abs((float) a - (float) b) < NEAR;
  }

  /**
   * Max pooling with argmax: the index of each maximum in its image or, with {@code acrossBatch},
   * in the batch; -1 for windows of padding only.
   */
  MaxWithArgmax maxWithArgmax(Tensor images, boolean acrossBatch, Cancellation stop) {
    Shape shape = outShape(images.shape(), "tensor_in");
    int[] argmaxes = argmaxes(images, shape, stop);
    Object values = TensorLimit.allocate(images.dtype(), shape);
    long[] indices = new long[argmaxes.length];
    int imageSize = images.shape().dropFirst(1).elements();
    for (int i = 0; i < argmaxes.length; i++) {
      indices[i] = argmaxes[i];
      if (argmaxes[i] >= 0) {
        images
            .dtype()
            .kind()
            .copy(
                TensorMemory.array(images),
                TensorMemory.offset(images) + argmaxes[i],
                values,
                i,
                1);
        indices[i] = acrossBatch ? argmaxes[i] : argmaxes[i] % imageSize;
      }
    }
    return new MaxWithArgmax(Tensor.wrap(images.dtype(), shape, values), indices);
  }

  /** The result of {@link #maxWithArgmax}: the maxima, and the index of each. */
  static final class MaxWithArgmax {
    final Tensor values;
    final long[] indices;

    private MaxWithArgmax(Tensor values, long[] indices) {
      this.values = values;
      this.indices = indices;
    }
  }

  /**
   * The gradient of {@link #maxWithArgmax}: each value goes to the element at its index.
   * INVALID_ARGUMENT if an index is out of range.
   */
  Tensor argmaxGradient(
      Shape images, Tensor gradient, Tensor argmax, boolean acrossBatch, Cancellation stop) {
    Shape shape = outShape(images, "tensor_in");
    checkShape("grad", shape, gradient);
    checkShape("argmax", shape, argmax);
    DataType dtype = gradient.dtype();
    Object sums = TensorLimit.allocate(dtype, images);
    int positions = shape.dropFirst(1).elements();
    int imageSize = images.dropFirst(1).elements();
    for (int i = 0; i < gradient.elements(); i++) {
      stop.check();
      long from = acrossBatch ? 0 : (long) (i / positions) * imageSize;
      long at = from + argmax.integer(i);
      if (argmax.integer(i) < 0 || at >= (acrossBatch ? images.elements() : from + imageSize)) {
        throw invalidArgument(
            "argmax[%d] is %d, and there is no such element", i, argmax.integer(i));
      }
      Combiner.ADD.into(
          dtype,
          sums,
          (int) at,
          TensorMemory.array(gradient),
          TensorMemory.offset(gradient) + i,
          1);
    }
    return Tensor.wrap(dtype, images, sums);
  }

  /**
   * INVALID_ARGUMENT, naming {@code name}, unless {@code tensor} has the shape {@code expected}.
   */
  static void checkShape(String name, Shape expected, Tensor tensor) {
    if (!tensor.shape().equals(expected)) {
      throw invalidArgument(
          "Expected %s shape to be %s, but got %s", name, expected, tensor.shape());
    }
  }

  private static double floating(Tensor tensor, int element) {
    return NumericElements.floating(
        tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + element);
  }

  /** The index in the images of each element of the result; -1 for windows of padding only. */
  private int[] argmaxes(Tensor images, Shape out, Cancellation stop) {
    int[] argmaxes = new int[out.elements()];
    Arrays.fill(argmaxes, -1);
    int channels = channels(images.shape());
    slidingWindow(images.shape())
        .slide(
            stop,
            (pixel, position, _) -> {
              for (int c = 0; c < channels; c++) {
                int at = position * channels + c;
                int candidate = pixel * channels + c;
                if (argmaxes[at] < 0 || isLess(images, argmaxes[at], candidate)) {
                  argmaxes[at] = candidate;
                }
              }
            });
    return argmaxes;
  }

  /** Whether element {@code a} of {@code values} is less than element {@code b}. */
  static boolean isLess(Tensor values, int a, int b) {
    int i = TensorMemory.offset(values) + a;
    int j = TensorMemory.offset(values) + b;
    DataType dtype = values.dtype();
    if (TensorMemory.array(values) instanceof float[] floats) {
      return floats[i] < floats[j];
    }
    if (dtype.isFloating()) {
      return NumericElements.floating(dtype, TensorMemory.array(values), i)
          < NumericElements.floating(dtype, TensorMemory.array(values), j);
    }
    long x = NumericElements.integer(dtype, TensorMemory.array(values), i);
    long y = NumericElements.integer(dtype, TensorMemory.array(values), j);
    return dtype == DataType.UINT64 ? Long.compareUnsigned(x, y) < 0 : x < y;
  }
}
