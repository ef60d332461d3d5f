package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;

/** The reshape of a sparse tensor: maps its indices from one dense shape to another. */
final class SparseReshaping {
  private final long[] from;
  private final long[] to;

  /**
   * A reshape to {@code wanted}, one size of which may be -1 to be inferred. INVALID_ARGUMENT if
   * the numbers of elements differ.
   */
  SparseReshaping(long[] from, long[] wanted) {
    this.from = from;
    this.to = wanted.clone();
    long elements = product(from);
    int inferred = -1;
    long known = 1;
    for (int axis = 0; axis < to.length; axis++) {
      if (to[axis] == -1) {
        if (inferred >= 0) {
          throw invalidArgument(
              "only one output dimension may be -1, not both %d and %d", inferred, axis);
        }
        inferred = axis;
      } else if (to[axis] < 0) {
        throw invalidArgument("size %d must be non-negative, not %d", axis, to[axis]);
      } else {
        known = multiply(known, to[axis]);
      }
    }
    if (inferred >= 0) {
      to[inferred] = missing(elements, known);
    }
    if (product(to) != elements) {
      throw invalidArgument(
          "Input to reshape is a tensor with %d dense values, but the requested shape has %d."
              + " input_shape=%s output_shape=%s",
          elements, product(to), text(from), text(to));
    }
  }

  private long missing(long elements, long known) {
    if (known <= 0) {
      throw invalidArgument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified"
              + " input sizes are non-zero");
    }
    if (elements % known != 0) {
      throw invalidArgument(
          "Input to reshape is a SparseTensor with %d dense values, but the requested shape"
              + " requires a multiple of %d. input_shape=%s output_shape=%s",
          elements, known, text(from), text(to).replace("-1", "1"));
    }
    return elements / known;
  }

  private static String text(long[] sizes) {
    return Arrays.toString(sizes).replace(" ", "");
  }

  private static long product(long[] sizes) {
    long product = 1;
    for (long size : sizes) {
      if (size < 0) {
        throw invalidArgument("Dimension %d must be >= 0", size);
      }
      product = multiply(product, size);
    }
    return product;
  }

  private static long multiply(long a, long b) {
    long product = Shapes.multiply(a, b);
    if (product < 0) {
      throw invalidArgument("a sparse tensor of %d by %d elements is too large", a, b);
    }
    return product;
  }

  /** The new shape, without -1. */
  long[] target() {
    return to.clone();
  }

  /** Converts {@code indices}, [n, rank], from the old shape to the new one. */
  Tensor indices(Tensor indices) {
    if (Arrays.equals(from, to)) {
      return indices;
    }
    int count = (int) indices.shape().size(0);
    Shape shape = Shape.of(count, to.length);
    long[] result = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    for (int i = 0; i < count; i++) {
      long flatIndex = 0;
      for (int axis = 0; axis < from.length; axis++) {
        flatIndex = flatIndex * from[axis] + indices.integer(i * from.length + axis);
      }
      for (int axis = to.length - 1; axis >= 0 && flatIndex != 0; axis--) {
        result[i * to.length + axis] = axis == 0 ? flatIndex : flatIndex % to[axis];
        flatIndex = axis == 0 ? 0 : flatIndex / to[axis];
      }
    }
    return Tensor.wrap(DataType.INT64, shape, result);
  }
}
