package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.proto.tensorflow.TensorSliceProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A slice of a tensor: per dimension a range, or the whole dimension. The text form is {@code
 * 0,2:-}: two elements from 0 of the first dimension, all of the second
 * (tensorflow/core/framework/tensor_slice.h). Immutable.
 */
final class TensorSlice {
  /** The length that stands for the whole dimension. */
  private static final long WHOLE_DIMENSION = -1;

  /**
   * A range of a dimension; its length is {@link #WHOLE_DIMENSION} for the whole dimension.
   *
   * @param start the first index
   * @param length the number of elements
   */
  private record Extent(long start, long length) {
    static final Extent FULL = new Extent(0, WHOLE_DIMENSION);

    long end() {
      return start + length;
    }

    Optional<Extent> intersect(Extent other) {
      if (length == WHOLE_DIMENSION || other.length == WHOLE_DIMENSION) {
        return Optional.of(length == WHOLE_DIMENSION ? other : this);
      }
      long from = Math.max(start, other.start);
      long to = Math.min(end(), other.end());
      return to > from ? Optional.of(new Extent(from, to - from)) : Optional.empty();
    }

    @Override
    public String toString() {
      return length == WHOLE_DIMENSION ? "-" : start + "," + length;
    }
  }

  private final List<Extent> extents;

  private TensorSlice(List<Extent> extents) {
    this.extents = List.copyOf(extents);
  }

  /** A whole tensor of {@code rank} dimensions. */
  public static TensorSlice full(int rank) {
    Extent[] extents = new Extent[rank];
    Arrays.fill(extents, Extent.FULL);
    return new TensorSlice(List.of(extents));
  }

  /** Parses {@code text}; INVALID_ARGUMENT if it is malformed. */
  static TensorSlice parse(String text) {
    List<Extent> extents = new ArrayList<>();
    for (String item : text.split(":", -1)) {
      if (!item.isEmpty()) {
        extents.add(item.equals("-") ? Extent.FULL : parseExtent(item, text));
      }
    }
    return new TensorSlice(extents);
  }

  private static Extent parseExtent(String item, String text) {
    String[] numbers = item.split(",", -1);
    if (numbers.length != 2 || !isNumber(numbers[0]) || !isNumber(numbers[1])) {
      throw invalidArgument(
          "Expected a pair of numbers or '-' but got '%s': string = %s", item, text);
    }
    return checked(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), "string = " + text);
  }

  private static boolean isNumber(String text) {
    return text.matches("[+-]?[0-9]{1,18}");
  }

  private static Extent checked(long start, long length, String source) {
    if (start < 0 || length <= 0 || start > Long.MAX_VALUE - length) {
      throw invalidArgument(
          "Expected non-negative start and positive length but got start = %d, length = %d: %s",
          start, length, source);
    }
    return new Extent(start, length);
  }

  /** The slice that {@code proto} describes; INVALID_ARGUMENT if its extents are invalid. */
  static TensorSlice of(TensorSliceProto proto) {
    List<Extent> extents = new ArrayList<>();
    for (TensorSliceProto.Extent extent : proto.getExtentList()) {
      boolean isFull = !extent.hasLength() || extent.getLength() == WHOLE_DIMENSION;
      extents.add(
          isFull && extent.getStart() == 0
              ? Extent.FULL
              : checked(extent.getStart(), extent.getLength(), "extent = " + extent));
    }
    return new TensorSlice(extents);
  }

  TensorSliceProto toProto() {
    TensorSliceProto.Builder proto = TensorSliceProto.newBuilder();
    for (Extent extent : extents) {
      TensorSliceProto.Extent.Builder written = proto.addExtentBuilder();
      if (extent.length != WHOLE_DIMENSION) {
        written.setStart(extent.start).setLength(extent.length);
      }
    }
    return proto.build();
  }

  /** The table key of this slice of the tensor {@code name}. */
  byte[] key(String name) {
    OrderedCode code = new OrderedCode();
    code.unsigned(0).string(name.getBytes(StandardCharsets.UTF_8)).unsigned(extents.size());
    for (Extent extent : extents) {
      code.signed(extent.start).signed(extent.length);
    }
    return code.toByteArray();
  }

  /** Whether the slice is a whole tensor of any shape. */
  boolean isFull() {
    return extents.stream().allMatch(extent -> extent.length == WHOLE_DIMENSION);
  }

  /**
   * The shape of this slice of a tensor of {@code shape}; INTERNAL, as in TensorFlow, if the slice
   * exceeds it.
   */
  Shape shapeWithin(Shape shape) {
    if (shape.rank() != extents.size()) {
      throw StatusException.of(
          StatusCode.INTERNAL, "Mismatching ranks: shape = %s, slice = %s", shape, this);
    }
    long[] sizes = shape.dimensions();
    for (int axis = 0; axis < sizes.length; axis++) {
      Extent extent = extents.get(axis);
      if (extent.length != WHOLE_DIMENSION) {
        if (extent.end() > sizes[axis]) {
          throw StatusException.of(
              StatusCode.INTERNAL,
              "Extent in dimension %d out of bounds: shape = %s, slice = %s",
              axis,
              shape,
              this);
        }
        sizes[axis] = extent.length;
      }
    }
    return Shape.of(sizes);
  }

  /** The intersection; empty if the slices are disjoint or of different ranks. */
  Optional<TensorSlice> intersect(TensorSlice other) {
    if (extents.size() != other.extents.size()) {
      return Optional.empty();
    }
    List<Extent> common = new ArrayList<>();
    for (int axis = 0; axis < extents.size(); axis++) {
      Optional<Extent> extent = extents.get(axis).intersect(other.extents.get(axis));
      if (extent.isEmpty()) {
        return Optional.empty();
      }
      common.add(extent.get());
    }
    return Optional.of(new TensorSlice(common));
  }

  /** The first index in dimension {@code axis}. */
  long start(int axis) {
    return extents.get(axis).start;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorSlice that && extents.equals(that.extents);
  }

  @Override
  public int hashCode() {
    return extents.hashCode();
  }

  /** The text form: {@code 0,2:-}. */
  @Override
  public String toString() {
    return String.join(":", extents.stream().map(Extent::toString).toList());
  }
}
