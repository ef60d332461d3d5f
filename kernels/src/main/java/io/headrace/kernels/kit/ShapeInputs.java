package io.headrace.kernels.kit;

import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads shape inputs: vectors of dimension sizes. */
public final class ShapeInputs {
  private ShapeInputs() {}

  /** The shape in {@code sizes}; INVALID_ARGUMENT unless it is a vector of sizes of at least 0. */
  public static Shape shape(Tensor sizes) {
    if (sizes.shape().rank() != 1) {
      throw StatusException.invalidArgument(
          "shape must be a vector of {int32,int64}, got shape %s", sizes.shape());
    }
    long[] dimensions = sizes.integers();
    for (long size : dimensions) {
      if (size < 0) {
        throw StatusException.invalidArgument("Dimension %d must be >= 0", size);
      }
    }
    return Shape.of(dimensions);
  }

  /**
   * The shape in input {@code index} as far as shape inference knows it; -1 in a constant input is
   * an unknown dimension.
   */
  public static Shape inferred(ShapeFunction.Inputs inputs, int index) {
    @Nullable Tensor sizes = inputs.constant(index);
    if (sizes != null && sizes.shape().rank() == 1) {
      return Shape.of(sizes.integers());
    }
    Shape vector = inputs.shape(index);
    if (vector.rank() != 1 || vector.size(0) < 0) {
      return Shape.UNKNOWN;
    }
    long[] dimensions = new long[(int) vector.size(0)];
    Arrays.fill(dimensions, Shape.UNKNOWN_DIMENSION);
    return Shape.of(dimensions);
  }
}
