package io.headrace.runtime.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The slices that are stored of one tensor, which do not overlap, and how a slice is put together
 * from them. Used by one thread.
 */
final class SliceAssembly {
  private final Shape shape;
  private final Map<String, TensorSlice> stored = new TreeMap<>();

  /** Of a tensor of {@code shape}, nothing of which is stored yet. */
  SliceAssembly(Shape shape) {
    this.shape = shape;
  }

  Shape shape() {
    return shape;
  }

  /** Adds a stored slice; INTERNAL, as in TensorFlow, if it overlaps one that is there. */
  void add(TensorSlice slice) {
    var _ = slice.of(shape); // fails if it is not of the shape
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
   * The slice {@code wanted}, of the stored slices that {@code reader} reads. INVALID_ARGUMENT if
   * they do not cover it; {@code name} is the tensor's, for messages.
   */
  Tensor read(
      String name, DataType dtype, TensorSlice wanted, Function<TensorSlice, Tensor> reader) {
    TensorSlice exact = stored.get(wanted.toString());
    if (exact != null) {
      return reader.apply(exact);
    }
    Shape target = wanted.of(shape);
    List<TensorSlice> parts = new ArrayList<>();
    long covered = 0;
    for (TensorSlice part : stored.values()) {
      var common = wanted.intersect(part);
      if (common.isPresent()) {
        parts.add(part);
        covered += common.get().of(shape).elements();
      }
    }
    if (covered != target.elements()) {
      throw invalidArgument(
          "Does not have sufficient slices for partitioned tensor %s to restore in slice_spec: %s",
          name, wanted);
    }
    if (parts.size() == 1 && parts.getFirst().of(shape).equals(target)) {
      return reader.apply(parts.getFirst());
    }
    Object array = TensorLimit.allocate(dtype, target);
    for (TensorSlice part : parts) {
      copy(reader.apply(part), part, wanted, array);
    }
    return Tensor.of(dtype, target, array);
  }

  private void copy(Tensor from, TensorSlice part, TensorSlice wanted, Object to) {
    TensorSlice common = wanted.intersect(part).orElseThrow();
    new Copy(
            from,
            strides(from.shape()),
            offsets(common, part),
            to,
            strides(wanted.of(shape)),
            offsets(common, wanted),
            common.of(shape).dimensions())
        .run(0, from.offset(), 0);
  }

  private static int[] strides(Shape shape) {
    int[] strides = new int[shape.rank()];
    int stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      strides[axis] = stride;
      stride *= (int) shape.size(axis);
    }
    return strides;
  }

  /** Where {@code common} begins within {@code slice}. */
  private int[] offsets(TensorSlice common, TensorSlice slice) {
    int[] offsets = new int[shape.rank()];
    for (int axis = 0; axis < offsets.length; axis++) {
      offsets[axis] = (int) (common.start(axis) - slice.start(axis));
    }
    return offsets;
  }

  /** Copies a box of {@code sizes} between two arrays, a run of the last dimension at a time. */
  private record Copy(
      Tensor from,
      int[] fromStrides,
      int[] fromOffsets,
      Object to,
      int[] toStrides,
      int[] toOffsets,
      long[] sizes) {
    void run(int axis, int fromAt, int toAt) {
      if (axis == sizes.length) {
        from.dtype().kind().copy(from.array(), fromAt, to, toAt, 1);
        return;
      }
      int source = fromAt + fromOffsets[axis] * fromStrides[axis];
      int target = toAt + toOffsets[axis] * toStrides[axis];
      if (axis == sizes.length - 1) {
        from.dtype().kind().copy(from.array(), source, to, target, (int) sizes[axis]);
        return;
      }
      for (int i = 0; i < sizes[axis]; i++) {
        run(axis + 1, source + i * fromStrides[axis], target + i * toStrides[axis]);
      }
    }
  }
}
