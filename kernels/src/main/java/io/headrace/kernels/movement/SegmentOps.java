package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;

/**
 * SegmentSum, UnsortedSegmentSum and their Prod, Max, Min and Mean forms: slices of a tensor
 * reduced by segment id.
 */
public final class SegmentOps {
  private SegmentOps() {}

  static List<Op> ops() {
    return List.of(
        unsorted("Sum", Combiner.ADD),
        unsorted("Prod", Combiner.MUL),
        unsorted("Max", Combiner.MAX),
        unsorted("Min", Combiner.MIN),
        sorted("Sum", Combiner.ADD, false),
        sorted("Prod", Combiner.MUL, false),
        sorted("Max", Combiner.MAX, false),
        sorted("Min", Combiner.MIN, false),
        sorted("Mean", Combiner.ADD, true));
  }

  private static String types(Combiner combining) {
    return combining == Combiner.MAX || combining == Combiner.MIN ? "T: real" : "T: number";
  }

  private static Op unsorted(String name, Combiner combining) {
    return Op.define(
            "UnsortedSegment"
                + name
                + "(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T")
        .attrs(types(combining), "Tindices: {int32, int64}", "Tnumsegments: {int32, int64} = int32")
        .shape(SegmentOps::unsortedRule)
        .kernel(RowKernel.of(rows -> unsorted(rows, combining)));
  }

  private static Op sorted(String name, Combiner combining, boolean mean) {
    return Op.define("Segment" + name + "(data: T, segment_ids: Tindices) -> output: T")
        .attrs(types(combining), "Tindices: {int32, int64}")
        .shape(SegmentOps::sortedRule)
        .kernel(RowKernel.of(rows -> sorted(rows, combining, mean)));
  }

  /** The shape function of unsorted segment ops: one slice for each segment. */
  public static List<Shape> unsortedRule(ShapeFunction.Inputs in) {
    Shape data = in.shape(0);
    Shape ids = in.shape(1);
    Shapes.checkRankAtMost(in.shape(2), 0);
    if (data.isUnknownRank() || ids.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    Shapes.checkRankAtLeast(data, ids.rank());
    Shapes.merge(data.sub(0, ids.rank()), ids);
    OptionalLong count = Shapes.constantScalar(in, 2);
    if (count.isPresent() && count.getAsLong() < 0) {
      throw invalidArgument(
          "Dimension size, given by scalar input 2, must be non-negative but is %d",
          count.getAsLong());
    }
    return List.of(data.dropFirst(ids.rank()).prepend(count.orElse(Shape.UNKNOWN_DIMENSION)));
  }

  private static boolean unsorted(Rows rows, Combiner combining) {
    Tensor count = rows.same(2);
    if (count == null) {
      return false;
    }
    Shape data = rows.shape(0);
    Shape ids = rows.shape(1);
    checkUnsorted(data, ids, count);
    Shape slice = data.dropFirst(ids.rank());
    Shape result = slice.prepend(count.integer(0));
    Object array = initial(rows, rows.dtype(0), result, combining);
    for (int row = 0; row < rows.count(); row++) {
      rows.cancellation().check();
      int first = row * result.elements();
      combine(rows, row, count.integer(0), slice.elements(), combining, array, first);
    }
    rows.set(0, rows.dtype(0), result, array);
    return true;
  }

  private static void checkUnsorted(Shape data, Shape ids, Tensor count) {
    if (count.shape().rank() != 0) {
      throw invalidArgument("num_segments should be a scalar, not shape %s", count.shape());
    }
    if (count.integer(0) < 0) {
      throw invalidArgument("Input num_segments == %d must not be negative.", count.integer(0));
    }
    if (data.rank() < ids.rank() || !data.sub(0, ids.rank()).equals(ids)) {
      throw invalidArgument(
          "data.shape = %s does not start with segment_ids.shape = %s", data, ids);
    }
  }

  /**
   * A new array filled with the value of empty segments: 0, 1, or the lowest or highest finite
   * value of the dtype.
   */
  private static Object initial(Rows rows, DataType dtype, Shape shape, Combiner combining) {
    Object array = rows.allocate(dtype, shape);
    int elements = rows.withRows(shape).elements();
    for (int i = 0; i < elements && combining != Combiner.ADD; i++) {
      if (dtype.isComplex()) {
        ComplexParts.setReal(array, i, 1);
      } else if (dtype.isFloating()) {
        NumericElements.setFloating(dtype, array, i, initialFloat(dtype, combining));
      } else {
        NumericElements.setInteger(array, i, initialInteger(dtype, combining));
      }
    }
    return array;
  }

  private static double initialFloat(DataType dtype, Combiner combining) {
    double max =
        switch (dtype) {
          case FLOAT16 -> 65504;
          case BFLOAT16 -> 0x1.FEp127;
          case FLOAT32 -> Float.MAX_VALUE;
          default -> Double.MAX_VALUE;
        };
    return combining == Combiner.MUL ? 1 : combining == Combiner.MAX ? -max : max;
  }

  private static long initialInteger(DataType dtype, Combiner combining) {
    int bits = 8 * dtype.byteSize();
    long max = dtype.isUnsigned() ? -1L >>> (64 - bits) : (1L << (bits - 1)) - 1;
    long min = dtype.isUnsigned() ? 0 : -1L << (bits - 1);
    return combining == Combiner.MUL ? 1 : combining == Combiner.MAX ? min : max;
  }

  private static void combine(
      Rows rows, int row, long count, int block, Combiner combining, Object array, int first) {
    Tensor data = rows.row(0, row);
    Tensor ids = rows.row(1, row);
    for (int i = 0; i < ids.elements(); i++) {
      long id = ids.integer(i);
      if (id >= count) {
        throw invalidArgument(
            "segment_ids%s = %d is out of range [0, %d)",
            GatherOps.position(ids.shape(), i), id, count);
      }
      if (id >= 0) {
        int to = first + (int) id * block;
        int from = TensorMemory.offset(data) + i * block;
        combining.intoAsFirst(data.dtype(), array, to, TensorMemory.array(data), from, block);
      }
    }
  }

  private static List<Shape> sortedRule(ShapeFunction.Inputs in) {
    Shape data = in.shape(0);
    Shapes.withRank(in.shape(1), 1);
    Shapes.checkRankAtLeast(data, 1);
    return List.of(
        data.isUnknownRank() ? data : data.dropFirst(1).prepend(Shape.UNKNOWN_DIMENSION));
  }

  private static boolean sorted(Rows rows, Combiner combining, boolean mean) {
    Tensor ids = rows.same(1);
    if (ids == null) {
      return false;
    }
    Shape data = rows.shape(0);
    checkSorted(data, ids);
    Shape slice = data.dropFirst(1);
    Shape result = slice.prepend(segments(ids));
    checkIds(ids, result.size(0));
    DataType dtype = rows.dtype(0);
    Object array = rows.allocate(dtype, result);
    if (combining == Combiner.MUL) {
      ones(dtype, array, rows.withRows(result).elements());
    }
    for (int row = 0; row < rows.count() && slice.elements() > 0; row++) {
      rows.cancellation().check();
      int first = row * result.elements();
      combineSorted(rows.row(0, row), ids, slice.elements(), combining, array, first);
      if (mean) {
        divide(dtype, array, first, slice.elements(), ids);
      }
    }
    rows.set(0, dtype, result, array);
    return true;
  }

  private static void checkSorted(Shape data, Tensor ids) {
    if (data.rank() < 1) {
      throw invalidArgument("input must be at least rank 1");
    }
    if (ids.shape().rank() != 1) {
      throw invalidArgument("segment_ids should be a vector.");
    }
    if (data.size(0) != ids.elements()) {
      throw invalidArgument("segment_ids should be the same size as dimension 0 of input.");
    }
  }

  /** The number of segments: one more than the last of the sorted {@code ids}. */
  private static long segments(Tensor ids) {
    return ids.elements() == 0 ? 0 : Math.max(ids.integer(ids.elements() - 1) + 1, 0);
  }

  /** INVALID_ARGUMENT if {@code ids} are not sorted, or not in [0, {@code count}). */
  private static void checkIds(Tensor ids, long count) {
    for (int i = 0; i < ids.elements(); i++) {
      long id = ids.integer(i);
      if (i + 1 < ids.elements() && ids.integer(i + 1) < id) {
        throw invalidArgument("segment ids are not increasing");
      }
      if (id < 0 || id >= count) {
        throw invalidArgument(
            "Segment id %d out of range [0, %d), possibly because 'segment_ids' input is not"
                + " sorted.",
            id, count);
      }
    }
  }

  private static void combineSorted(
      Tensor data, Tensor ids, int block, Combiner combining, Object array, int first) {
    int from = TensorMemory.offset(data);
    long previous = -1;
    for (int i = 0; i < ids.elements(); i++) {
      long id = ids.integer(i);
      Combiner with = id == previous ? combining : Combiner.UPDATE;
      int to = first + (int) id * block;
      with.intoAsFirst(data.dtype(), array, to, TensorMemory.array(data), from + i * block, block);
      previous = id;
    }
  }

  private static void ones(DataType dtype, Object array, int count) {
    for (int i = 0; i < count; i++) {
      if (dtype.isComplex()) {
        ComplexParts.setReal(array, i, 1);
      } else if (dtype.isFloating()) {
        NumericElements.setFloating(dtype, array, i, 1);
      } else {
        NumericElements.setInteger(array, i, 1);
      }
    }
  }

  /** Divides the sum of each segment by the number of its slices. */
  private static void divide(DataType dtype, Object array, int first, int block, Tensor ids) {
    int start = 0;
    for (int end = 1; end <= ids.elements(); end++) {
      if (end == ids.elements() || ids.integer(end) != ids.integer(start)) {
        divide(dtype, array, first + (int) ids.integer(start) * block, block, end - start);
        start = end;
      }
    }
  }

  private static void divide(DataType dtype, Object array, int first, int count, int size) {
    for (int at = first; at < first + count && size > 1; at++) {
      if (dtype.isComplex()) {
        divideFloating(dtype, array, 2 * at, size);
        divideFloating(dtype, array, 2 * at + 1, size);
      } else if (dtype.isFloating()) {
        divideFloating(dtype, array, at, size);
      } else {
        long sum = NumericElements.integer(dtype, array, at);
        long mean = dtype.isUnsigned() ? Long.divideUnsigned(sum, size) : sum / size;
        NumericElements.setInteger(array, at, mean);
      }
    }
  }

  /** Divides the number in slot {@code at} of {@code array}. */
  private static void divideFloating(DataType dtype, Object array, int at, int by) {
    NumericElements.setFloating(dtype, array, at, NumericElements.floating(dtype, array, at) / by);
  }
}
