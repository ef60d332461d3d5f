package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * Dilation2D, the largest sum of pixel and filter under a sliding window, with its gradients
 * Dilation2DBackpropInput and Dilation2DBackpropFilter, which go to the first largest sum alone.
 */
final class DilationOps {
  private static final String[] ATTRS = {
    "T: real", "strides: list(int)", "rates: list(int)", "padding: string"
  };

  private final List<Long> strides;
  private final List<Long> rates;
  private final SlidingAxis.Padding padding;

  private DilationOps(NodeSpec node) {
    Attrs attrs = node.attrs();
    this.strides = attrs.integers("strides");
    this.rates = attrs.integers("rates");
    this.padding = SlidingAxis.Padding.of(attrs.string("padding"));
    checkSize(strides, "Sliding window stride field must specify 4 dimensions");
    checkSpatial(strides, "Stride is only supported across spatial dimensions.");
    checkSize(rates, "Input stride (atrous rate) field must specify 4 dimensions");
    checkSpatial(rates, "Rate is only supported across spatial dimensions.");
  }

  static List<Op> ops() {
    return List.of(
        Op.define("Dilation2D(input: T, filter: T) -> output: T")
            .attrs(ATTRS)
            .shape(DilationOps::infer)
            .kernel(node -> new DilationOps(node)::dilate),
        Op.define("Dilation2DBackpropInput(input: T, filter: T, out_backprop: T) -> in_backprop: T")
            .attrs(ATTRS)
            .shape(ShapeFunctions.SAME)
            .kernel(node -> new DilationOps(node)::ofInput),
        Op.define(
                "Dilation2DBackpropFilter(input: T, filter: T, out_backprop: T)"
                    + " -> filter_backprop: T")
            .attrs(ATTRS)
            .shape(in -> List.of(in.shape(1)))
            .kernel(node -> new DilationOps(node)::ofFilter));
  }

  private static void checkSize(List<Long> sizes, String message) {
    if (sizes.size() != 4) {
      throw invalidArgument("%s", message);
    }
  }

  private static void checkSpatial(List<Long> sizes, String message) {
    if (sizes.getFirst() != 1 || sizes.getLast() != 1) {
      throw StatusException.unimplemented("%s", message);
    }
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape images = Shapes.withRank(in.shape(0), 4);
    Shape filter = Shapes.withRank(in.shape(1), 3);
    Attrs attrs = in.attrs();
    checkSize(
        attrs.integers("strides"), "Dilation2D requires the stride attribute to contain 4 values");
    checkSize(
        attrs.integers("rates"), "Dilation2D requires the rates attribute to contain 4 values");
    Shape unknown = Shape.of(images.size(0), -1, -1, filter.size(2));
    boolean isKnown = filter.size(0) >= 0 && filter.size(1) >= 0;
    if (!isKnown || images.size(1) < 0 || images.size(2) < 0) {
      return List.of(unknown);
    }
    Shapes.mergeSize(images.size(3), filter.size(2));
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    long[] sizes = new long[2];
    for (int i = 0; i < 2; i++) {
      int stride = stride(attrs.integers("strides").get(i + 1));
      int rate = Math.toIntExact(attrs.integers("rates").get(i + 1));
      sizes[i] = padding.outSize(images.size(i + 1), (int) filter.size(i), stride, rate);
    }
    return List.of(Shape.of(images.size(0), sizes[0], sizes[1], filter.size(2)));
  }

  private static int stride(long stride) {
    if (stride <= 0) {
      throw invalidArgument("Stride must be > 0, but got %d", stride);
    }
    return Math.toIntExact(stride);
  }

  private SlidingAxis axis(Shape images, Shape filter, int axis) {
    return padding.axis(
        (int) images.size(axis),
        (int) filter.size(axis - 1),
        stride(strides.get(axis)),
        Math.toIntExact(rates.get(axis)));
  }

  private Window window(KernelCall call) {
    Shape images = call.input(0).shape();
    Shape filter = call.input(1).shape();
    if (images.rank() != 4) {
      throw invalidArgument("input must be 4-dimensional%s", images);
    }
    if (filter.rank() != 3) {
      throw invalidArgument("filter must be 3-dimensional: %s", filter);
    }
    if (images.size(3) != filter.size(2)) {
      throw invalidArgument(
          "input and filter must have the same depth: %d vs %d", images.size(3), filter.size(2));
    }
    return new Window(call, axis(images, filter, 1), axis(images, filter, 2));
  }

  private void dilate(KernelCall call) {
    Window window = window(call);
    Object out = TensorLimit.allocate(window.dtype, window.outShape());
    window.forEach((at, _, _) -> window.values.store(out, at));
    call.setOutput(0, Tensor.wrap(window.dtype, window.outShape(), out));
  }

  private void ofInput(KernelCall call) {
    Window window = window(call);
    Tensor gradients = gradients(call, window);
    Object out = TensorLimit.allocate(window.dtype, call.input(0).shape());
    if (call.input(0).elements() > 0) {
      window.forEach((at, pixel, _) -> {
        if (pixel >= 0) {
          add(gradients, at, out, pixel);
        }
      });
    }
    call.setOutput(0, Tensor.wrap(window.dtype, call.input(0).shape(), out));
  }

  private void ofFilter(KernelCall call) {
    Window window = window(call);
    Tensor gradients = gradients(call, window);
    Object out = TensorLimit.allocate(window.dtype, call.input(1).shape());
    if (call.input(1).elements() > 0) {
      window.forEach((at, _, tap) -> add(gradients, at, out, tap));
    }
    call.setOutput(0, Tensor.wrap(window.dtype, call.input(1).shape(), out));
  }

  private static Tensor gradients(KernelCall call, Window window) {
    Tensor gradients = call.input(2);
    if (gradients.shape().rank() != 4) {
      throw invalidArgument("out_backprop must be 4-dimensional%s", gradients.shape());
    }
    if (!gradients.shape().equals(window.outShape())) {
      throw invalidArgument("out_backprop has incompatible size.");
    }
    return gradients;
  }

  private static void add(Tensor gradients, int from, Object sums, int to) {
    Combiner.ADD.into(
        gradients.dtype(),
        sums,
        to,
        TensorMemory.array(gradients),
        TensorMemory.offset(gradients) + from,
        1);
  }

  /** Takes a position of the window. */
  @FunctionalInterface
  private interface Position {
    /**
     * Takes a position whose largest sum is that of the values.
     *
     * @param at the index of the output
     * @param pixel the index of the pixel of the largest sum; -1 for none
     * @param tap the index of its element of the filter
     */
    void take(int at, int pixel, int tap);
  }

  /** The window's positions over the images of a call. */
  private static final class Window {
    private final KernelCall call;
    private final SlidingAxis y;
    private final SlidingAxis x;
    private final int batch;
    private final int depth;
    private final DataType dtype;
    private final Sums values;

    Window(KernelCall call, SlidingAxis y, SlidingAxis x) {
      this.call = call;
      this.y = y;
      this.x = x;
      this.batch = (int) call.input(0).shape().size(0);
      this.depth = (int) call.input(0).shape().size(3);
      this.dtype = call.input(0).dtype();
      this.values = new Sums(call.input(0), call.input(1));
    }

    Shape outShape() {
      return Shape.of(batch, y.out(), x.out(), depth);
    }

    void forEach(Position position) {
      int at = 0;
      for (int b = 0; b < batch; b++) {
        for (int row = 0; row < y.out(); row++) {
          call.cancellation().check();
          for (int column = 0; column < x.out(); column++) {
            for (int c = 0; c < depth; c++) {
              search(b, row, column, c, at, position);
              at++;
            }
          }
        }
      }
    }

    private void search(int image, int row, int column, int channel, int at, Position position) {
      values.reset();
      int pixel = at(image, first(y, row), first(x, column), channel);
      int tap = channel;
      for (int h = 0; h < y.window(); h++) {
        int inRow = y.index(row, h);
        for (int w = 0; w < x.window() && inRow >= 0; w++) {
          int inColumn = x.index(column, w);
          int nextTap = (h * x.window() + w) * depth + channel;
          if (inColumn >= 0 && values.offer(at(image, inRow, inColumn, channel), nextTap)) {
            pixel = at(image, inRow, inColumn, channel);
            tap = nextTap;
          }
        }
      }
      position.take(at, pixel, tap);
    }

    /** The first pixel under the window, or the image's first one. */
    private static int first(SlidingAxis axis, int position) {
      return Math.max(0, position * axis.stride() - axis.before());
    }

    private int at(int image, int row, int column, int channel) {
      return row < y.in() && column < x.in()
          ? ((image * y.in() + row) * x.in() + column) * depth + channel
          : -1;
    }
  }

  /** Sums of a pixel and an element of the filter, and the largest of them. */
  private static final class Sums {
    private final DataType dtype;
    private final Tensor images;
    private final Tensor filter;
    private final Object one;
    private double largest;
    private long largestInteger;

    Sums(Tensor images, Tensor filter) {
      this.dtype = images.dtype();
      this.images = images;
      this.filter = filter;
      this.one = dtype.kind().newArray(1);
    }

    /** Forgets the largest sum: the least number of the dtype takes its place. */
    void reset() {
      if (dtype.isFloating()) {
        largest = lowest();
      } else {
        largestInteger = dtype.isUnsigned() ? 0 : -1L << (8 * dtype.byteSize() - 1);
      }
    }

    private double lowest() {
      return switch (dtype) {
        case FLOAT64 -> -Double.MAX_VALUE;
        case FLOAT32 -> -Float.MAX_VALUE;
        case FLOAT16 -> -65504;
        default -> Float.intBitsToFloat(0xff7f0000);
      };
    }

    /** Whether the sum of a pixel and an element is larger than all since the reset. */
    boolean offer(int pixel, int tap) {
      int p = TensorMemory.offset(images) + pixel;
      int f = TensorMemory.offset(filter) + tap;
      if (dtype.isFloating()) {
        double sum =
            NumericElements.floating(dtype, TensorMemory.array(images), p)
                + NumericElements.floating(dtype, TensorMemory.array(filter), f);
        NumericElements.setFloating(dtype, one, 0, sum);
        double rounded = NumericElements.floating(dtype, one, 0);
        boolean isLarger = rounded > largest;
        largest = isLarger ? rounded : largest;
        return isLarger;
      }
      long sum =
          NumericElements.integer(dtype, TensorMemory.array(images), p)
              + NumericElements.integer(dtype, TensorMemory.array(filter), f);
      NumericElements.setInteger(one, 0, sum);
      long wrapped = NumericElements.integer(dtype, one, 0);
      boolean isLarger =
          dtype == DataType.UINT64
              ? Long.compareUnsigned(wrapped, largestInteger) > 0
              : wrapped > largestInteger;
      largestInteger = isLarger ? wrapped : largestInteger;
      return isLarger;
    }

    /** Writes the largest sum to an element of {@code out}. */
    void store(Object out, int at) {
      if (dtype.isFloating()) {
        NumericElements.setFloating(dtype, out, at, largest);
      } else {
        NumericElements.setInteger(out, at, largestInteger);
      }
    }
  }
}
