package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a StridedSlice, such as {@code x[1:3, ::-1, ..., None, 5]} in Python. The
 * begin, end and stride of each entry are inputs; the masks are attrs, with a bit for each entry.
 *
 * @param begin mask of the entries whose begin is ignored: the range starts at the edge
 * @param end mask of the entries whose end is ignored: the range extends to the edge
 * @param ellipsis mask of the entry {@code ...}
 * @param newAxis mask of the entries {@code None}, which add a dimension of size 1
 * @param shrink mask of the entries that are a single index and remove their dimension
 */
record StridedSlice(int begin, int end, int ellipsis, int newAxis, int shrink) {
  /** A dimension of the result that is not in the input. */
  static final int NEW_AXIS = -1;

  /** The attrs of the masks, in a declaration. */
  static final String[] MASKS = {
    "begin_mask: int = 0",
    "end_mask: int = 0",
    "ellipsis_mask: int = 0",
    "new_axis_mask: int = 0",
    "shrink_axis_mask: int = 0"
  };

  private static final int MAX_ENTRIES = 32;

  static StridedSlice of(Attrs attrs) {
    StridedSlice masks =
        new StridedSlice(
            (int) attrs.integer("begin_mask"),
            (int) attrs.integer("end_mask"),
            (int) attrs.integer("ellipsis_mask"),
            (int) attrs.integer("new_axis_mask"),
            (int) attrs.integer("shrink_axis_mask"));
    if (Integer.bitCount(masks.ellipsis) > 1) {
      throw invalidArgument("Multiple ellipses in slice spec not allowed");
    }
    return masks;
  }

  /** A part of a tensor: the start, stride and size along each dimension. */
  static final class Part {
    final int[] starts;
    final int[] strides;

    /** The number of elements along each dimension; -1 if unknown. */
    final long[] sizes;

    /** The shape of the result, in which dimensions are added and removed. */
    Shape shape = Shape.SCALAR;

    /** The dimension of the input that each dimension of the result is, or {@link #NEW_AXIS}. */
    int[] axes = {};

    Part(int rank) {
      this.starts = new int[rank];
      this.strides = new int[rank];
      this.sizes = new long[rank];
    }
  }

  /** Begin, end and stride along one dimension; begin and end are null if unknown. */
  private record Range(
      @Nullable Long begin, @Nullable Long end, long stride, boolean fromStart, boolean toEnd) {
    static final Range ALL = new Range(0L, 0L, 1, true, true);
  }

  /** The entries assigned to the dimensions of the input and of the result. */
  private static final class Layout {
    final List<Range> ranges = new ArrayList<>();
    final List<Boolean> shrinks = new ArrayList<>();
    final List<Integer> result = new ArrayList<>();

    void add(Range range, boolean shrunk) {
      if (!shrunk) {
        result.add(ranges.size());
      }
      ranges.add(range);
      shrinks.add(shrunk);
    }
  }

  /** The part of a tensor of shape {@code input}; begins and ends are null if unknown. */
  Part part(Shape input, @Nullable Tensor begins, @Nullable Tensor ends, Tensor strides) {
    Layout layout = layout(input.rank(), begins, ends, strides);
    Part part = new Part(input.rank());
    for (int axis = 0; axis < input.rank(); axis++) {
      resolve(part, axis, input.size(axis), layout.ranges.get(axis), layout.shrinks.get(axis));
    }
    part.axes = layout.result.stream().mapToInt(i -> i).toArray();
    part.shape =
        Shape.of(
            Arrays.stream(part.axes).mapToLong(i -> i == NEW_AXIS ? 1 : part.sizes[i]).toArray());
    return part;
  }

  /** INVALID_ARGUMENT unless the inputs are vectors of one size, with few enough entries. */
  static void checkEntries(Shape begin, Shape end, Shape strides) {
    if (strides.rank() != 1
        || strides.size(0) >= MAX_ENTRIES
        || !begin.equals(strides)
        || !end.equals(strides)) {
      throw invalidArgument(
          "Expected begin, end, and strides to be 1D equal size tensors, but got shapes %s, %s, and"
              + " %s instead.",
          begin, end, strides);
    }
  }

  private Layout layout(int rank, @Nullable Tensor begins, @Nullable Tensor ends, Tensor strides) {
    Layout layout = new Layout();
    int entries = strides.elements();
    for (int i = 0; i < entries; i++) {
      if (isSet(ellipsis, i)) {
        int after = Integer.bitCount(newAxis >> (i + 1) & ((1 << (entries - i - 1)) - 1));
        fill(layout, Math.min(rank - (entries - i - 1) + after, rank));
      } else if (isSet(newAxis, i)) {
        layout.result.add(NEW_AXIS);
      } else {
        checkHasDimension(layout, rank);
        layout.add(range(i, begins, ends, strides), isSet(shrink, i));
      }
    }
    fill(layout, rank);
    return layout;
  }

  private static void fill(Layout layout, int upTo) {
    while (layout.ranges.size() < upTo) {
      layout.add(Range.ALL, false);
    }
  }

  private static void checkHasDimension(Layout layout, int rank) {
    if (rank == 0) {
      throw invalidArgument("Attempting to slice scalar input.");
    }
    if (layout.ranges.size() == rank) {
      throw invalidArgument(
          "Index out of range using input dim %d; input has only %d dims", rank, rank);
    }
  }

  private Range range(int i, @Nullable Tensor begins, @Nullable Tensor ends, Tensor strides) {
    return new Range(
        begins == null ? null : begins.integer(i),
        ends == null ? null : ends.integer(i),
        strides.integer(i),
        isSet(begin, i),
        isSet(end, i));
  }

  private static void resolve(Part part, int axis, long size, Range range, boolean shrunk) {
    if (range.stride == 0) {
      throw invalidArgument("strides[%d] must be non-zero", axis);
    }
    if (size < 0) {
      part.sizes[axis] = shrunk ? 1 : Shape.UNKNOWN_DIMENSION;
      return;
    }
    if (shrunk && range.stride <= 0) {
      throw invalidArgument("only stride 1 allowed on non-range indexing.");
    }
    part.strides[axis] = Math.clamp(range.stride, -Integer.MAX_VALUE, Integer.MAX_VALUE);
    if (shrunk) {
      shrink(part, axis, size, range);
    } else if (range.fromStart && range.toEnd) {
      between(part, axis, range.stride > 0 ? 0 : size - 1, range.stride > 0 ? size : -1, range);
    } else if (range.begin != null && range.end != null) {
      long from = bound(range.begin, range.fromStart, range.stride > 0, size, range.stride);
      long to = bound(range.end, range.toEnd, range.stride < 0, size, range.stride);
      between(part, axis, from, to, range);
    } else {
      part.sizes[axis] = Shape.UNKNOWN_DIMENSION;
    }
  }

  private static void shrink(Part part, int axis, long size, Range range) {
    part.sizes[axis] = 1;
    if (range.begin == null) {
      return;
    }
    long at = range.begin < 0 ? size + range.begin : range.begin;
    if (at < 0 || at >= size) {
      throw invalidArgument("slice index %d of dimension %d out of bounds.", at, axis);
    }
    part.starts[axis] = (int) at;
  }

  /** A begin or end clamped to the dimension; a masked one is the low or high edge. */
  private static long bound(long value, boolean masked, boolean low, long size, long stride) {
    long least = stride > 0 ? 0 : -1;
    long most = stride > 0 ? size : size - 1;
    if (masked) {
      return low ? least : most;
    }
    return Math.clamp(value < 0 ? size + value : value, least, most);
  }

  private static void between(Part part, int axis, long from, long to, Range range) {
    long length = to - from;
    boolean empty = length == 0 || (length < 0) != (range.stride < 0);
    part.starts[axis] = empty ? 0 : (int) from;
    part.sizes[axis] = empty ? 0 : length / range.stride + (length % range.stride != 0 ? 1 : 0);
  }

  private static boolean isSet(int mask, int bit) {
    return bit < Integer.SIZE && (mask >> bit & 1) != 0;
  }
}
