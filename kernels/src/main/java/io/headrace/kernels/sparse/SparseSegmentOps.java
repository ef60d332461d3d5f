package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import java.util.stream.LongStream;

/** The SparseSegmentSum, Mean and SqrtN ops: segment reductions of gathered slices; gradients. */
final class SparseSegmentOps {
  private static final String INDICES = "Tidx: {int32, int64} = int32";
  private static final String IDS = "Tsegmentids: {int32, int64} = int32";
  private static final String DOUBLE_PRECISION =
      "Floats are added up in double precision: more exact than TensorFlow's sums.";

  /** The reduction: determines the divisor of the sum of a segment. */
  private enum SegmentReduction {
    SUM,
    MEAN,
    SQRT_N;

    double divisor(int count) {
      return switch (this) {
        case SUM -> 1;
        case MEAN -> Math.max(1, count);
        case SQRT_N -> Math.sqrt(Math.max(1, count));
      };
    }
  }

  private SparseSegmentOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    add(ops, "Sum", SegmentReduction.SUM);
    add(ops, "Mean", SegmentReduction.MEAN);
    add(ops, "SqrtN", SegmentReduction.SQRT_N);
    return ops;
  }

  private static void add(List<Op> ops, String name, SegmentReduction reduction) {
    String types = reduction == SegmentReduction.SUM ? "T: real" : "T: floating";
    String inputs = "(data: T, indices: Tidx, segment_ids: Tsegmentids";
    ops.add(
        Op.define("SparseSegment" + name + inputs + ") -> output: T")
            .attrs(types, INDICES, IDS, "sparse_gradient: bool = false")
            .shape(SparseSegmentOps::rule)
            .remark(DOUBLE_PRECISION)
            .stateless(call -> segments(call, reduction)));
    ops.add(
        Op.define(
                "SparseSegment"
                    + name
                    + "WithNumSegments"
                    + inputs
                    + ", num_segments: Tnumsegments) -> output: T")
            .attrs(types, INDICES, IDS, "sparse_gradient: bool = false")
            .attrs("Tnumsegments: {int32, int64} = int32")
            .shape(SparseSegmentOps::rule)
            .remark(DOUBLE_PRECISION)
            .stateless(call -> segments(call, reduction)));
    ops.add(
        Op.define(
                "SparseSegment"
                    + name
                    + "Grad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32)"
                    + " -> output: T")
            .attrs("T: floating", INDICES, IDS)
            .shape(SparseSegmentOps::rule)
            .remark(DOUBLE_PRECISION)
            .stateless(call -> gradient(call, reduction)));
    ops.add(
        Op.define(
                "SparseSegment"
                    + name
                    + "GradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids,"
                    + " dense_output_dim0: int32) -> (output: T, sorted_unique_indices: Tidx)")
            .attrs("T: floating", INDICES, IDS)
            .shape(SparseSegmentOps::sparseGradientRule)
            .remark(DOUBLE_PRECISION)
            .stateless(call -> sparseGradient(call, reduction)));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape data = in.shape(0);
    Shapes.checkRankAtLeast(data, 1);
    Shapes.merge(Shapes.withRank(in.shape(1), 1), Shapes.withRank(in.shape(2), 1));
    OptionalLong size = in.count() > 3 ? Shapes.constantScalar(in, 3) : OptionalLong.empty();
    return List.of(
        data.isUnknownRank()
            ? data
            : data.dropFirst(1).prepend(size.orElse(Shape.UNKNOWN_DIMENSION)));
  }

  private static void check(KernelCall call) {
    if (call.input(0).shape().rank() < 1) {
      throw invalidArgument("Shape must be at least rank 1");
    }
    if (call.input(1).shape().rank() != 1) {
      throw invalidArgument("indices should be a vector.");
    }
    if (call.input(2).shape().rank() != 1) {
      throw invalidArgument("segment_ids should be a vector.");
    }
    if (call.input(1).elements() != call.input(2).elements()) {
      throw invalidArgument("segment_ids and indices should have same size.");
    }
  }

  private static void segments(KernelCall call, SegmentReduction reduction) {
    check(call);
    Tensor data = call.input(0);
    Tensor indices = call.input(1);
    Tensor ids = call.input(2);
    int count = segmentCount(call, ids);
    int[] sizes = sizes(ids, count);
    Sums sums = new Sums(data, count);
    for (int i = 0; i < indices.elements(); i++) {
      call.cancellation().check();
      long index = indices.integer(i);
      if (index < 0 || index >= data.shape().size(0)) {
        throw invalidArgument(
            "indices[%d] == %d out of range [0, %d)", i, index, data.shape().size(0));
      }
      sums.add((int) ids.integer(i), data, (int) index, 1);
    }
    for (int segment = 0; segment < count; segment++) {
      sums.divide(segment, reduction.divisor(sizes[segment]));
    }
    call.setOutput(0, sums.rounded());
  }

  private static int segmentCount(KernelCall call, Tensor ids) {
    long needed = ids.elements() == 0 ? 0 : ids.integer(ids.elements() - 1) + 1;
    if (call.inputs() < 4) {
      if (needed < 0) {
        throw invalidArgument("segment ids must be >= 0");
      }
      return Shape.of(needed).elements();
    }
    Tensor given = call.input(3);
    if (given.shape().rank() != 0) {
      throw invalidArgument("num_segments should be a scalar, not shape %s", given.shape());
    }
    if (given.integer(0) < needed) {
      throw invalidArgument("segment ids must be < num_segments");
    }
    return Shape.of(given.integer(0)).elements();
  }

  private static int[] sizes(Tensor ids, int count) {
    int[] sizes = new int[count];
    for (int i = 0; i < ids.elements(); i++) {
      long id = ids.integer(i);
      if (id < 0) {
        throw invalidArgument("segment ids must be >= 0");
      }
      if (i + 1 < ids.elements() && ids.integer(i + 1) < id) {
        throw invalidArgument("segment ids are not increasing");
      }
      if (id >= count) {
        throw invalidArgument("segment id %d is out of range [0, %d)", id, count);
      }
      sizes[(int) id]++;
    }
    return sizes;
  }

  /** The gradient of the data: each gathered slice gets its share of its segment's gradient. */
  private static void gradient(KernelCall call, SegmentReduction reduction) {
    int rows = checkGradient(call, "output_dim0");
    if (rows == 0) {
      call.setOutput(0, new Sums(call.input(0), 0).rounded());
      return; // TensorFlow looks at no index.
    }
    call.setOutput(0, gradients(call, reduction, rows, call.input(1)::integer));
  }

  /** The gradient as indexed slices: only the rows that are gathered, by ascending index. */
  private static void sparseGradient(KernelCall call, SegmentReduction reduction) {
    int rows = checkGradient(call, "dense_output_dim0");
    Tensor indices = call.input(1);
    if (rows == 0) {
      call.setOutput(0, new Sums(call.input(0), 0).rounded());
      call.setOutput(1, IntegerTensors.vector(indices.dtype(), new long[0]));
      return;
    }
    for (int i = 0; i < indices.elements(); i++) {
      checkIndex(indices.integer(i), rows);
    }
    long[] picked = LongStream.of(indices.integers()).sorted().distinct().toArray();
    call.setOutput(
        0,
        gradients(
            call, reduction, picked.length, i -> Arrays.binarySearch(picked, indices.integer(i))));
    call.setOutput(1, IntegerTensors.vector(indices.dtype(), picked));
  }

  private static List<Shape> sparseGradientRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(3), 0);
    Shape data = in.shape(0);
    Shapes.checkRankAtLeast(data, 1);
    Shapes.merge(Shapes.withRank(in.shape(1), 1), Shapes.withRank(in.shape(2), 1));
    return List.of(
        data.isUnknownRank() ? data : data.dropFirst(1).prepend(Shape.UNKNOWN_DIMENSION),
        Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  /** The number of rows of the data; INVALID_ARGUMENT if the inputs have the wrong shapes. */
  private static int checkGradient(KernelCall call, String sizeName) {
    check(call);
    Tensor size = call.input(3);
    if (size.shape().rank() != 0) {
      throw invalidArgument("%s should be a scalar.", sizeName);
    }
    if (size.integer(0) < 0) {
      throw invalidArgument("Expected a non-negative size, got %d", size.integer(0));
    }
    return (int) size.integer(0);
  }

  private static void checkIndex(long index, int rows) {
    if (index < 0 || index >= rows) {
      throw invalidArgument("Index %d out of range [0, %d).", index, rows);
    }
  }

  /** A gradient of {@code rows} rows; {@code rowOf} maps an element of indices to its row. */
  private static Tensor gradients(
      KernelCall call, SegmentReduction reduction, int rows, IntToLongFunction rowOf) {
    Tensor gradients = call.input(0);
    Tensor ids = call.input(2);
    int[] sizes = gradientSizes(ids, (int) gradients.shape().size(0));
    Sums sums = new Sums(gradients, rows);
    for (int i = 0; i < ids.elements(); i++) {
      call.cancellation().check();
      long row = rowOf.applyAsLong(i);
      checkIndex(row, rows);
      int id = (int) ids.integer(i);
      sums.add((int) row, gradients, id, reduction.divisor(sizes[id]));
    }
    return sums.rounded();
  }

  private static int[] gradientSizes(Tensor ids, int segments) {
    if (ids.elements() > 0 && ids.integer(ids.elements() - 1) >= segments) {
      throw invalidArgument("Invalid number of segments");
    }
    int[] sizes = new int[segments];
    for (int i = 0; i < ids.elements(); i++) {
      long id = ids.integer(i);
      if (id < 0 || id >= segments) {
        throw invalidArgument("Segment id %d out of range [0, %d).", id, segments);
      }
      sizes[(int) id]++;
    }
    return sizes;
  }

  /** Rows of sums; sums of floats are accumulated in double precision. */
  private static final class Sums {
    private final DataType dtype;
    private final Shape shape;
    private final int width;
    private final Object array;

    /** Sums of {@code rows} rows like those of {@code data}, all 0. */
    Sums(Tensor data, int rows) {
      this.dtype = data.dtype();
      this.shape = data.shape().dropFirst(1).prepend(rows);
      this.width = shape.dropFirst(1).elements();
      DataType wide = dtype.isFloating() ? DataType.FLOAT64 : dtype;
      this.array = TensorLimit.allocate(wide, shape);
    }

    /** Adds row {@code from} of {@code data}, divided by {@code divisor}, to row {@code row}. */
    void add(int row, Tensor data, int from, double divisor) {
      int at = row * width;
      int first = TensorMemory.offset(data) + from * width;
      if (array instanceof double[] sums) {
        for (int i = 0; i < width; i++) {
          sums[at + i] +=
              NumericElements.floating(dtype, TensorMemory.array(data), first + i) / divisor;
        }
      } else {
        Combiner.ADD.into(dtype, array, at, TensorMemory.array(data), first, width);
      }
    }

    /** Divides row {@code row}, unless the dtype is an integer type. */
    void divide(int row, double divisor) {
      if (divisor != 1 && array instanceof double[] sums) {
        for (int i = row * width; i < (row + 1) * width; i++) {
          sums[i] /= divisor;
        }
      }
    }

    /** The sums, rounded to the dtype. */
    Tensor rounded() {
      if (!dtype.isFloating()) {
        return Tensor.wrap(dtype, shape, array);
      }
      Object rounded = TensorLimit.allocate(dtype, shape);
      double[] sums = (double[]) array;
      for (int i = 0; i < sums.length; i++) {
        NumericElements.setFloating(dtype, rounded, i, sums[i]);
      }
      return Tensor.wrap(dtype, shape, rounded);
    }
  }
}
