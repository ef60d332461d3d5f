package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The attrs of convolutions and pools that place a sliding window over images or volumes: strides,
 * dilations, padding and data_format. Window sizes are given for each spatial axis: height and
 * width, for volumes preceded by depth. Immutable.
 */
final class WindowAttrs {
  private final String op;
  private final String format;
  private final int rank;
  private final List<Long> strides;
  private final List<Long> dilations;
  private final String padding;
  private final List<Long> explicit;

  /** Reads and checks the attrs of a node of {@code op}. */
  WindowAttrs(String op, Attrs attrs) {
    this(op, attrs, attrs.integers("strides"));
  }

  /** Reads and checks the attrs of a node of {@code op} whose strides are not an attr. */
  WindowAttrs(String op, Attrs attrs, List<Long> strides) {
    this.op = op;
    this.format = format(attrs);
    this.rank = rank(format);
    this.strides = strides;
    this.dilations =
        attrs.has("dilations") ? attrs.integers("dilations") : Collections.nCopies(rank, 1L);
    this.padding = attrs.string("padding");
    this.explicit =
        attrs.has("explicit_paddings") ? attrs.integers("explicit_paddings") : List.of();
    check();
  }

  /**
   * A window over channels-last images of {@code rank} dimensions, for an {@code op} whose attrs do
   * not determine the rank. An empty dilations list means 1 everywhere.
   */
  static WindowAttrs ofRank(String op, Attrs attrs, int rank) {
    List<Long> strides = attrs.integers("strides");
    if (strides.size() != rank) {
      throw invalidArgument("Sliding window strides field must specify %d dimensions", rank);
    }
    if (strides.getFirst() != 1 || strides.getLast() != 1) {
      throw invalidArgument(
          "Current implementation does not support strides in the batch and depth dimensions.");
    }
    return new WindowAttrs(op, attrs, rank);
  }

  private WindowAttrs(String op, Attrs attrs, int rank) {
    this.op = op;
    this.format = rank == 5 ? "NDHWC" : "NHWC";
    this.rank = rank;
    this.strides = attrs.integers("strides");
    this.dilations =
        attrs.integers("dilations").isEmpty()
            ? Collections.nCopies(rank, 1L)
            : attrs.integers("dilations");
    this.padding = attrs.string("padding");
    this.explicit = attrs.integers("explicit_paddings");
    check();
  }

  private WindowAttrs(WindowAttrs other) {
    this.op = other.op;
    this.format = other.rank == 5 ? "NDHWC" : "NHWC";
    this.rank = other.rank;
    this.strides = toChannelsLast(other.strides, 1);
    this.dilations = toChannelsLast(other.dilations, 1);
    this.padding = other.padding;
    this.explicit = toChannelsLast(other.explicit, 2);
  }

  private void check() {
    checkSizes("strides", strides);
    checkSizes("dilations", dilations);
    checkPadding(padding, explicit);
    if (!explicit.isEmpty()) {
      checkExplicit();
    }
  }

  /** INVALID_ARGUMENT unless there are explicit paddings just where {@code padding} says so. */
  static void checkPadding(String padding, List<Long> explicit) {
    if (padding.equals("EXPLICIT") != !explicit.isEmpty()) {
      throw invalidArgument(
          "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT, and"
              + " have two elements for each dimension if it is");
    }
  }

  private void checkSizes(String name, List<Long> values) {
    if (values.size() != rank) {
      throw invalidArgument("%s of %s must have %d elements and has %s", name, op, rank, values);
    }
    if (values.get(0) != 1 || values.get(channelAxis()) != 1) {
      // TensorFlow's codes vary with the CPU's kernels; these are the most frequent.
      throw StatusException.of(
          op.contains("Backprop") ? StatusCode.INVALID_ARGUMENT : StatusCode.UNIMPLEMENTED,
          "%s of %s in the batch and depth dimensions are not supported: %s",
          name,
          op,
          values);
    }
    if (values.stream().anyMatch(v -> v <= 0)) {
      throw invalidArgument("%s of %s must be positive: %s", name, op, values);
    }
  }

  private void checkExplicit() {
    boolean fits = explicit.size() == 2 * rank && explicit.stream().allMatch(p -> p >= 0);
    if (!fits || explicit.subList(0, 2).stream().anyMatch(p -> p != 0)) {
      throw invalidArgument(
          "explicit_paddings of %s must have %d elements, none negative, and 0 for the batch: %s",
          op, 2 * rank, explicit);
    }
  }

  /** Moves the {@code width} elements that stand for channels from after the batch to the end. */
  private static List<Long> toChannelsLast(List<Long> values, int width) {
    List<Long> moved = new ArrayList<>(values);
    Collections.rotate(moved.subList(Math.min(width, values.size()), values.size()), -width);
    return List.copyOf(moved);
  }

  /** This window over channels-last images, the format that the kernels compute in. */
  WindowAttrs withChannelsLast() {
    return isChannelsFirst() ? new WindowAttrs(this) : this;
  }

  /** Whether data_format is channels first. */
  boolean isChannelsFirst() {
    return format.startsWith("NC");
  }

  /** Converts {@code images} to channels last; INVALID_ARGUMENT if their rank is wrong. */
  Tensor channelsLast(String name, Tensor images, Cancellation stop) {
    checkRank(name, images.shape());
    return isChannelsFirst() ? ChannelLayout.last(images, stop) : images;
  }

  /** Converts {@code shape} to channels last if it has the rank of images. */
  Shape channelsLast(Shape shape) {
    return isChannelsFirst() && shape.rank() == rank ? ChannelLayout.last(shape) : shape;
  }

  /** Converts channels-last {@code images} to this data_format. */
  Tensor restoreFormat(Tensor images, Cancellation stop) {
    return isChannelsFirst() ? ChannelLayout.first(images, stop) : images;
  }

  private static String format(Attrs attrs) {
    return attrs.has("data_format") ? attrs.string("data_format") : "NHWC";
  }

  private static int rank(String format) {
    return format.contains("D") ? 5 : 4;
  }

  /** Fails with {@code code} unless TensorFlow's CPU kernels take {@code dtype} in this format. */
  void checkFormat(DataType dtype, StatusCode code) {
    checkFormat(op, format, dtype, code);
  }

  /**
   * Checks the attrs of a pool and the {@code size} of its window as far as TensorFlow does before
   * it looks at what is not the batch or depth.
   */
  static void checkPool(String op, Attrs attrs, List<Long> size, List<Long> strides) {
    String format = format(attrs);
    checkFormat(op, format, attrs.type("T"), StatusCode.INVALID_ARGUMENT);
    int rank = rank(format);
    if (size.size() != rank) {
      throw invalidArgument(
          "Sliding window ksize must have %d elements, all positive, and is %s", rank, size);
    }
    if (strides.size() != rank) {
      throw invalidArgument("strides of %s must have %d elements and has %s", op, rank, strides);
    }
    if (size.getFirst() != 1 || size.get(format.startsWith("NC") ? 1 : rank - 1) != 1) {
      throw StatusException.unimplemented(
          "ksize of %s in the batch and depth dimensions is not supported: %s", op, size);
    }
  }

  private static void checkFormat(String op, String format, DataType dtype, StatusCode code) {
    if (format.startsWith("NC") && !supportsAllFormatsOnCpu(dtype)) {
      throw StatusException.of(
          code,
          "%s on the CPU only supports %s of %s, not %s",
          op,
          rank(format) == 5 ? "NDHWC" : "NHWC",
          dtype.tfName(),
          format);
    }
  }

  /** Whether TensorFlow's CPU kernels take {@code dtype} channels first, and in groups. */
  static boolean supportsAllFormatsOnCpu(DataType dtype) {
    return dtype == DataType.FLOAT32 || dtype == DataType.BFLOAT16;
  }

  /** {@code shape}; INVALID_ARGUMENT unless it has the rank of images. */
  Shape checkRank(String name, Shape shape) {
    if (shape.rank() != rank) {
      throw invalidArgument("%s must be %d-dimensional: %s", name, rank, shape);
    }
    return shape;
  }

  /** The rank of images: 4, or 5 for volumes. */
  int rank() {
    return rank;
  }

  private int channelAxis() {
    return isChannelsFirst() ? 1 : rank - 1;
  }

  /** The first spatial axis. */
  int spaceAxis() {
    return isChannelsFirst() ? 2 : 1;
  }

  /** The number of channels of images of {@code shape}. */
  long channels(Shape shape) {
    return shape.size(channelAxis());
  }

  /** The output shape: a spatial size is unknown where the images' or the window's is. */
  Shape outShape(Shape images, long channels, long... window) {
    Shape result = Shapes.withSize(images, channelAxis(), channels);
    for (int axis = 0; axis < window.length; axis++) {
      long in = images.size(spaceAxis() + axis);
      boolean known = in >= 0 && window[axis] >= 0;
      long out = known ? axis(in, axis, window[axis]).out() : Shape.UNKNOWN_DIMENSION;
      result = Shapes.withSize(result, spaceAxis() + axis, out);
    }
    return result;
  }

  /** The window's positions over channels-last images. */
  SlidingWindow slidingWindow(Shape images, long... window) {
    SlidingAxis z =
        rank == 5 ? axis(images.size(1), 0, window[0]) : SlidingAxis.Padding.VALID.axis(1, 1, 1, 1);
    SlidingAxis y = axis(images.size(rank - 3), rank - 4, window[rank - 4]);
    SlidingAxis x = axis(images.size(rank - 2), rank - 3, window[rank - 3]);
    return new SlidingWindow((int) images.size(0), z, y, x);
  }

  private SlidingAxis axis(long in, int axis, long window) {
    int size = Math.toIntExact(in);
    int taps = Math.toIntExact(window);
    int stride = Math.toIntExact(strides.get(spaceAxis() + axis));
    int rate = Math.toIntExact(dilations.get(spaceAxis() + axis));
    if (explicit.isEmpty()) {
      return SlidingAxis.Padding.of(padding).axis(size, taps, stride, rate);
    }
    int before = Math.toIntExact(explicit.get(2 * (spaceAxis() + axis)));
    int after = Math.toIntExact(explicit.get(2 * (spaceAxis() + axis) + 1));
    return SlidingAxis.padded(size, taps, stride, rate, before, after);
  }
}
