package io.headrace.runtime.tensor;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The sizes of a tensor's dimensions, outermost first. A dimension may be unknown ({@link
 * #UNKNOWN_DIMENSION}), and so may the rank; a tensor's own shape is always known. Immutable.
 */
public final class Shape {
  /** The size of an unknown dimension. */
  public static final long UNKNOWN_DIMENSION = -1;

  /** The slots of the largest array. */
  private static final int MAX_ELEMENTS = Integer.MAX_VALUE - 8;

  /** The shape of a single value. */
  public static final Shape SCALAR = new Shape(new long[0], false);

  /** A shape of unknown rank. */
  public static final Shape UNKNOWN = new Shape(new long[0], true);

  /** For {@link #elements}: a dimension or the rank is unknown, or they are too many. */
  private static final int UNCOUNTED = -1;

  private final long[] dimensions;
  private final boolean unknownRank;
  private final int elements;

  private Shape(long[] dimensions, boolean unknownRank) {
    this.dimensions = dimensions;
    this.unknownRank = unknownRank;
    this.elements = unknownRank ? UNCOUNTED : count(dimensions);
  }

  private static int count(long[] dimensions) {
    long least = 1;
    for (long size : dimensions) {
      least = Math.min(least, size);
    }
    if (least <= 0) {
      return least == 0 ? 0 : UNCOUNTED;
    }
    long product = 1;
    for (long size : dimensions) {
      if (size > MAX_ELEMENTS / product) {
        return UNCOUNTED;
      }
      product *= size;
    }
    return (int) product;
  }

  /** The shape with {@code dimensions}, each at least 0, or -1 if unknown. */
  public static Shape of(long... dimensions) {
    if (dimensions.length == 0) {
      return SCALAR;
    }
    for (long size : dimensions) {
      if (size < UNKNOWN_DIMENSION) {
        throw StatusException.invalidArgument(
            "a dimension must be at least 0, or -1 where it is not known, and is %d in %s",
            size, Arrays.toString(dimensions));
      }
    }
    return new Shape(dimensions.clone(), false);
  }

  /** Whether the rank is unknown. */
  public boolean isUnknownRank() {
    return unknownRank;
  }

  /** Whether rank and every dimension are known. */
  public boolean isKnown() {
    return elements >= 0 || isKnownAndTooLarge();
  }

  private boolean isKnownAndTooLarge() {
    boolean known = !unknownRank;
    for (long size : dimensions) {
      known &= size >= 0;
    }
    return known;
  }

  /** The number of dimensions; -1 if unknown. */
  public int rank() {
    return unknownRank ? -1 : dimensions.length;
  }

  /** The size of dimension {@code axis}, from 0 to rank - 1. */
  public long size(int axis) {
    return dimensions[axis];
  }

  /** A copy of the sizes. */
  public long[] dimensions() {
    return dimensions.clone();
  }

  /**
   * The number of elements of a known shape. RESOURCE_EXHAUSTED if they exceed one array (2^31 - 1
   * slots), before anything is allocated.
   */
  public int elements() {
    if (elements >= 0) {
      return elements;
    }
    if (isKnownAndTooLarge()) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED, "a tensor of shape %s has too many elements", this);
    }
    throw StatusException.invalidArgument("the shape %s is not fully known", this);
  }

  /** This shape with a leading dimension {@code size}. */
  public Shape prepend(long size) {
    if (unknownRank) {
      return UNKNOWN;
    }
    long[] result = new long[dimensions.length + 1];
    result[0] = size;
    System.arraycopy(dimensions, 0, result, 1, dimensions.length);
    return new Shape(result, false);
  }

  /** This shape without its first {@code count} dimensions. */
  public Shape dropFirst(int count) {
    return unknownRank ? this : sub(count, dimensions.length);
  }

  /** The dimensions from {@code from} up to {@code to}. */
  public Shape sub(int from, int to) {
    return from == to ? SCALAR : new Shape(Arrays.copyOfRange(dimensions, from, to), false);
  }

  /** Whether a tensor of shape {@code other} matches this declared shape. */
  public boolean isCompatibleWith(Shape other) {
    if (unknownRank || other.unknownRank) {
      return true;
    }
    if (dimensions.length != other.dimensions.length) {
      return false;
    }
    for (int axis = 0; axis < dimensions.length; axis++) {
      long a = dimensions[axis];
      long b = other.dimensions[axis];
      if (a >= 0 && b >= 0 && a != b) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape that
        && unknownRank == that.unknownRank
        && Arrays.equals(dimensions, that.dimensions);
  }

  @Override
  public int hashCode() {
    return unknownRank ? -1 : Arrays.hashCode(dimensions);
  }

  /** As TensorFlow writes it: {@code [2,?,3]}, {@code <unknown>}. */
  @Override
  public String toString() {
    return unknownRank
        ? "<unknown>"
        : LongStream.of(dimensions)
            .mapToObj(size -> size < 0 ? "?" : String.format(Locale.ROOT, "%d", size))
            .collect(Collectors.joining(",", "[", "]"));
  }
}
