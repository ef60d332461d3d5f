package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The stored slices of one tensor, which do not overlap, and the assembly of any other slice from
 * them. Used by one thread.
 */
final class TensorSliceSet {
  private final Shape shape;
  private final Map<String, TensorSlice> stored = new TreeMap<>();

  /** A tensor of {@code shape} without stored slices. */
  TensorSliceSet(Shape shape) {
    this.shape = shape;
  }

  Shape shape() {
    return shape;
  }

  /** Adds a stored slice; INTERNAL, as in TensorFlow, if it overlaps an earlier one. */
  void add(TensorSlice slice) {
    var _ = slice.shapeWithin(shape); // fails if it exceeds the shape
    for (TensorSlice other : stored.values()) {
      if (slice.intersect(other).isPresent()) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "Overlapping slices: existing slice = %s, new slice = %s",
            other,
            slice);
      }
    }
    stored.put(slice.toString(), slice);
  }

  /**
   * Assembles the slice {@code wanted} from stored slices, read through {@code reader}.
   * INVALID_ARGUMENT if they do not cover it; {@code name} is the tensor's name in messages.
   */
  Tensor read(
      String name, DataType dtype, TensorSlice wanted, Function<TensorSlice, Tensor> reader) {
    TensorSlice exact = stored.get(wanted.toString());
    if (exact != null) {
      return reader.apply(exact);
    }
    Shape target = wanted.shapeWithin(shape);
    List<TensorSlice> parts = new ArrayList<>();
    long covered = 0;
    for (TensorSlice part : stored.values()) {
      var common = wanted.intersect(part);
      if (common.isPresent()) {
        parts.add(part);
        covered += common.get().shapeWithin(shape).elements();
      }
    }
    if (covered != target.elements()) {
      throw invalidArgument(
          "Does not have sufficient slices for partitioned tensor %s to restore in slice_spec: %s",
          name, wanted);
    }
    if (parts.size() == 1 && parts.getFirst().shapeWithin(shape).equals(target)) {
      return reader.apply(parts.getFirst());
    }
    Object array = TensorLimit.allocate(dtype, target);
    for (TensorSlice part : parts) {
      copy(reader.apply(part), part, wanted, array);
    }
    return Tensor.wrap(dtype, target, array);
  }

  private void copy(Tensor from, TensorSlice part, TensorSlice wanted, Object to) {
    TensorSlice common = wanted.intersect(part).orElseThrow();
    SliceLayout source = new SliceLayout(common, part, from.shape());
    SliceLayout target = new SliceLayout(common, wanted, wanted.shapeWithin(shape));
    copy(from, source, TensorMemory.offset(from), to, target, 0, common.shapeWithin(shape), 0);
  }

  /** Copies a block of shape {@code box}, one run of the innermost dimension at a time. */
  private static void copy(
      Tensor from,
      SliceLayout source,
      int fromAt,
      Object to,
      SliceLayout target,
      int toAt,
      Shape box,
      int axis) {
    if (axis == box.rank()) {
      from.dtype().kind().copy(TensorMemory.array(from), fromAt, to, toAt, 1);
      return;
    }
    int fromStart = fromAt + source.offsets[axis] * source.strides[axis];
    int toStart = toAt + target.offsets[axis] * target.strides[axis];
    int size = (int) box.size(axis);
    if (axis == box.rank() - 1) {
      from.dtype().kind().copy(TensorMemory.array(from), fromStart, to, toStart, size);
      return;
    }
    for (int i = 0; i < size; i++) {
      copy(
          from,
          source,
          fromStart + i * source.strides[axis],
          to,
          target,
          toStart + i * target.strides[axis],
          box,
          axis + 1);
    }
  }

  /** The offsets of an inner slice within an outer one, and the strides of the outer array. */
  private static final class SliceLayout {
    final int[] offsets;
    final int[] strides;

    SliceLayout(TensorSlice inner, TensorSlice outer, Shape outerShape) {
      offsets = new int[outerShape.rank()];
      strides = new int[outerShape.rank()];
      int stride = 1;
      for (int axis = outerShape.rank() - 1; axis >= 0; axis--) {
        offsets[axis] = (int) (inner.start(axis) - outer.start(axis));
        strides[axis] = stride;
        stride *= (int) outerShape.size(axis);
      }
    }
  }
}
