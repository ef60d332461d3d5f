package io.headrace.kernels.kit;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.tensor.Shape.UNKNOWN_DIMENSION;

import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Arithmetic on shapes that may be known in part, as shape rules need it. */
public final class Shapes {
  private Shapes() {}

  /** A shape of so many dimensions, none of which is known. */
  public static Shape ofRank(int rank) {
    long[] dimensions = new long[rank];
    Arrays.fill(dimensions, UNKNOWN_DIMENSION);
    return Shape.of(dimensions);
  }

  /** The shape that the vector of sizes at input {@code index} stands for, as far as known. */
  public static Shape fromSizes(ShapeRule.Inputs in, int index) {
    Shape shape = in.shape(index);
    checkRankAtMost(shape, 1);
    if (shape.rank() != 1) {
      return Shape.UNKNOWN;
    }
    Tensor sizes = in.constant(index);
    if (sizes != null) {
      return Shape.of(sizes.integers());
    }
    return shape.isKnown() ? ofRank((int) shape.size(0)) : Shape.UNKNOWN;
  }

  /** The value of the integer scalar at input {@code index} if it is constant. */
  public static OptionalLong constantScalar(ShapeRule.Inputs in, int index) {
    Tensor value = in.constant(index);
    return value == null || value.elements() != 1
        ? OptionalLong.empty()
        : OptionalLong.of(value.integer(0));
  }

  /** Number of elements; unknown unless every dimension is known. */
  public static long elements(Shape shape) {
    if (!shape.isKnown()) {
      return UNKNOWN_DIMENSION;
    }
    long product = 1;
    for (int axis = 0; axis < shape.rank(); axis++) {
      product = multiply(product, shape.size(axis));
    }
    return product;
  }

  /** The product of two sizes; unknown if one is, or if it passes 2^63 - 1. */
  public static long multiply(long a, long b) {
    if (a == 0 || b == 0) {
      return 0;
    }
    boolean overflow = Math.multiplyHigh(a, b) != 0 || a * b < 0;
    return a < 0 || b < 0 || overflow ? UNKNOWN_DIMENSION : a * b;
  }

  /** The sum of two sizes; unknown if one is. */
  public static long add(long a, long b) {
    return a < 0 || b < 0 ? UNKNOWN_DIMENSION : a + b;
  }

  /** {@code shape} with another size at {@code axis}. */
  public static Shape withSize(Shape shape, int axis, long size) {
    long[] dimensions = shape.dimensions();
    dimensions[axis] = size;
    return Shape.of(dimensions);
  }

  /** {@code first}'s dimensions and then {@code second}'s; unknown if one is of unknown rank. */
  public static Shape concat(Shape first, Shape second) {
    if (first.isUnknownRank() || second.isUnknownRank()) {
      return Shape.UNKNOWN;
    }
    long[] dimensions = Arrays.copyOf(first.dimensions(), first.rank() + second.rank());
    System.arraycopy(second.dimensions(), 0, dimensions, first.rank(), second.rank());
    return Shape.of(dimensions);
  }

  /** What is known of a shape that is both. INVALID_ARGUMENT if there is none. */
  public static Shape merge(Shape a, Shape b) {
    if (a.isUnknownRank() || b.isUnknownRank()) {
      return a.isUnknownRank() ? b : a;
    }
    if (a.rank() != b.rank()) {
      throw invalidArgument(
          "Shapes must be equal rank, but are %d and %d: %s and %s", a.rank(), b.rank(), a, b);
    }
    long[] merged = new long[a.rank()];
    for (int axis = 0; axis < merged.length; axis++) {
      merged[axis] = mergeSize(a.size(axis), b.size(axis));
    }
    return Shape.of(merged);
  }

  /** What is known of a dimension that is both. INVALID_ARGUMENT if they differ. */
  public static long mergeSize(long a, long b) {
    if (a >= 0 && b >= 0 && a != b) {
      throw invalidArgument("Dimensions must be equal, but are %d and %d", a, b);
    }
    return Math.max(a, b);
  }

  /** {@code shape} if it may have {@code rank} dimensions; INVALID_ARGUMENT otherwise. */
  public static Shape withRank(Shape shape, int rank) {
    if (shape.isUnknownRank()) {
      return ofRank(rank);
    }
    if (shape.rank() != rank) {
      throw invalidArgument("Shape must be rank %d but is rank %d: %s", rank, shape.rank(), shape);
    }
    return shape;
  }

  public static void checkRankAtMost(Shape shape, int rank) {
    if (shape.rank() > rank) {
      throw invalidArgument(
          "Shape must be at most rank %d but is rank %d: %s", rank, shape.rank(), shape);
    }
  }

  public static void checkRankAtLeast(Shape shape, int rank) {
    if (!shape.isUnknownRank() && shape.rank() < rank) {
      throw invalidArgument(
          "Shape must be at least rank %d but is rank %d: %s", rank, shape.rank(), shape);
    }
  }

  /** The axis that {@code axis}, which counts from the end if negative, means; null if none. */
  public static @Nullable Integer axis(long axis, int rank) {
    return axis < -rank || axis >= rank ? null : (int) (axis < 0 ? axis + rank : axis);
  }
}
