package io.headrace.kernels.kit;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.tensor.Shape.UNKNOWN_DIMENSION;

import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Arithmetic on partially known shapes, for shape functions. */
public final class Shapes {
  private Shapes() {}

  /** A shape of {@code rank} unknown dimensions. */
  public static Shape ofRank(int rank) {
    long[] dimensions = new long[rank];
    Arrays.fill(dimensions, UNKNOWN_DIMENSION);
    return Shape.of(dimensions);
  }

  /**
   * The shape in input {@code index}, a vector of sizes, as far as it is known. INVALID_ARGUMENT if
   * the input is known to have more than one dimension.
   */
  public static Shape fromSizes(ShapeFunction.Inputs in, int index) {
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

  /** The value of input {@code index} if it is a constant with one integer element. */
  public static OptionalLong constantScalar(ShapeFunction.Inputs in, int index) {
    Tensor value = in.constant(index);
    return value == null || value.elements() != 1
        ? OptionalLong.empty()
        : OptionalLong.of(value.integer(0));
  }

  /** Number of elements; -1 unless every dimension is known. */
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

  /**
   * The product of two sizes: 0 if either is 0, otherwise -1 if either is unknown or the product
   * overflows a long.
   */
  public static long multiply(long a, long b) {
    if (a == 0 || b == 0) {
      return 0;
    }
    boolean overflow = Math.multiplyHigh(a, b) != 0 || a * b < 0;
    return a < 0 || b < 0 || overflow ? UNKNOWN_DIMENSION : a * b;
  }

  /** The sum of two sizes; -1 if either is unknown. */
  public static long add(long a, long b) {
    return a < 0 || b < 0 ? UNKNOWN_DIMENSION : a + b;
  }

  /** {@code shape} with another size at {@code axis}. */
  public static Shape withSize(Shape shape, int axis, long size) {
    long[] dimensions = shape.dimensions();
    dimensions[axis] = size;
    return Shape.of(dimensions);
  }

  /** The dimensions of {@code first}, then of {@code second}; unknown if either rank is. */
  public static Shape concat(Shape first, Shape second) {
    if (first.isUnknownRank() || second.isUnknownRank()) {
      return Shape.UNKNOWN;
    }
    long[] dimensions = Arrays.copyOf(first.dimensions(), first.rank() + second.rank());
    System.arraycopy(second.dimensions(), 0, dimensions, first.rank(), second.rank());
    return Shape.of(dimensions);
  }

  /** The most specific shape compatible with both; INVALID_ARGUMENT if they are incompatible. */
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

  /** The known one of two sizes, or -1; INVALID_ARGUMENT if both are known and differ. */
  public static long mergeSize(long a, long b) {
    if (a >= 0 && b >= 0 && a != b) {
      throw invalidArgument("Dimensions must be equal, but are %d and %d", a, b);
    }
    return Math.max(a, b);
  }

  /** {@code shape} with its rank known to be {@code rank}; INVALID_ARGUMENT if it differs. */
  public static Shape withRank(Shape shape, int rank) {
    if (shape.isUnknownRank()) {
      return ofRank(rank);
    }
    if (shape.rank() != rank) {
      throw invalidArgument("Shape must be rank %d but is rank %d: %s", rank, shape.rank(), shape);
    }
    return shape;
  }

  /** INVALID_ARGUMENT if {@code shape} is known to have more than {@code rank} dimensions. */
  public static void checkRankAtMost(Shape shape, int rank) {
    if (shape.rank() > rank) {
      throw invalidArgument(
          "Shape must be at most rank %d but is rank %d: %s", rank, shape.rank(), shape);
    }
  }

  /** INVALID_ARGUMENT if {@code shape} is known to have fewer than {@code rank} dimensions. */
  public static void checkRankAtLeast(Shape shape, int rank) {
    if (!shape.isUnknownRank() && shape.rank() < rank) {
      throw invalidArgument(
          "Shape must be at least rank %d but is rank %d: %s", rank, shape.rank(), shape);
    }
  }

  /** {@code axis} in [0, rank); a negative axis counts from the end. Null if out of range. */
  public static @Nullable Integer axis(long axis, int rank) {
    return axis < -rank || axis >= rank ? null : (int) (axis < 0 ? axis + rank : axis);
  }
}
