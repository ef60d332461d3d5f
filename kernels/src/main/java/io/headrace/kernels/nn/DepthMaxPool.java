package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Max pooling across the depth of images: over groups of neighbouring channels of a pixel. */
final class DepthMaxPool {
  /** The axis of channels, which are last. */
  private static final int DEPTH = 3;

  private final int window;

  /**
   * The pool of a node of {@code op} with a window of {@code size}. INVALID_ARGUMENT or
   * UNIMPLEMENTED, as in TensorFlow, unless size and strides describe pooling across the depth.
   */
  DepthMaxPool(String op, Attrs attrs, List<Long> size, List<Long> strides) {
    checkFormat(op, attrs);
    if (strides.size() != size.size()) {
      throw invalidArgument("strides of %s must have 4 elements and has %s", op, strides);
    }
    if (size.getFirst() != 1 || strides.getFirst() != 1) {
      throw StatusException.unimplemented(
          "Pooling is not yet supported on the batch dimension. ksize of %s is %s", op, size);
    }
    if (size.get(1) != 1 || size.get(2) != 1) {
      throw StatusException.unimplemented(
          "MaxPooling supports exactly one of pooling across depth or pooling across"
              + " width/height. ksize of %s is %s",
          op, size);
    }
    if (!size.get(DEPTH).equals(strides.get(DEPTH))) {
      throw StatusException.unimplemented(
          "Depthwise max pooling requires the depth window to equal the depth stride. ksize of %s"
              + " is %s, strides is %s",
          op, size, strides);
    }
    this.window = Math.toIntExact(size.get(DEPTH));
  }

  private static void checkFormat(String op, Attrs attrs) {
    String format = attrs.string("data_format");
    if (!format.equals("NHWC")) {
      throw invalidArgument("%s across the depth only supports NHWC, not %s", op, format);
    }
    if (attrs.string("padding").equals("EXPLICIT")) {
      throw invalidArgument("%s across the depth takes no explicit_paddings", op);
    }
  }

  /** Whether a window of {@code size} spans several channels. */
  static boolean poolsDepth(Attrs attrs, List<Long> size) {
    int axis = attrs.string("data_format").startsWith("NC") ? 1 : DEPTH;
    return size.size() == DEPTH + 1 && size.get(axis) > 1;
  }

  /** The shape of the result for images of {@code shape}; its depth is known if theirs is. */
  Shape shape(Shape shape) {
    Shape images = Shapes.withRank(shape, DEPTH + 1);
    long depth = images.size(DEPTH);
    if (depth < 0) {
      return images;
    }
    if (depth % window != 0) {
      throw StatusException.unimplemented(
          "Depthwise max pooling requires the depth window to evenly divide the input depth: %d"
              + " does not divide %d",
          window, depth);
    }
    return Shapes.withSize(images, DEPTH, depth / window);
  }

  Tensor of(Tensor images, Cancellation stop) {
    if (images.shape().rank() != DEPTH + 1) {
      throw invalidArgument("tensor_in must be 4-dimensional: %s", images.shape());
    }
    Shape shape = shape(images.shape());
    DataType dtype = images.dtype();
    Object out = TensorLimit.allocate(dtype, shape);
    int line = (int) shape.size(DEPTH);
    for (int i = 0; i < shape.elements(); i++) {
      if (i % line == 0) {
        stop.check();
      }
      int first = TensorMemory.offset(images) + i * window;
      dtype.kind().copy(TensorMemory.array(images), first, out, i, 1);
      for (int j = 1; j < window; j++) {
        Combiner.MAX.into(dtype, out, i, TensorMemory.array(images), first + j, 1);
      }
    }
    return Tensor.wrap(dtype, shape, out);
  }
}
