package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combining;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.Numbers;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.movement.RangeOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/** Ops that make ragged tensors of tensors, and the reverse, but for the padding of them. */
final class RaggedTensorOps {
  private RaggedTensorOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    ops.addAll(RaggedToTensorOps.ops());
    ops.addAll(RaggedVariantOps.ops());
    ops.addAll(RaggedGatherOps.ops());
    ops.add(
        Op.define(
                "RaggedRange(starts: T, limits: T, deltas: T) -> (rt_nested_splits: Tsplits,"
                    + " rt_dense_values: T)")
            .attrs(
                "T: {bfloat16, float, double, int32, int64} = int32",
                "Tsplits: {int32, int64} = int64")
            .shape(RaggedTensorOps::rangeRule)
            .kernel(node -> call -> range(node, call)));
    ops.add(
        Op.define(
                "RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T)"
                    + " -> (sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64)")
            .attrs("RAGGED_RANK: int", "T: type", "Tsplits: {int32, int64} = int64")
            .shape(RaggedTensorOps::toSparseRule)
            .stateless(RaggedTensorOps::toSparse));
    ops.add(
        Op.define(
                "RaggedBincount(splits: int64, values: Tidx, size: Tidx, weights: T) -> output: T")
            .attrs(
                "Tidx: {int32, int64}",
                "T: {int32, int64, float, double}",
                "binary_output: bool = false")
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              boolean binary = node.attrs().bool("binary_output");
              return call -> bincount(call, binary);
            }));
    return ops;
  }

  private static List<Shape> rangeRule(ShapeRule.Inputs in) {
    long rows = Shape.UNKNOWN_DIMENSION;
    boolean scalars = true;
    for (int i = 0; i < 3; i++) {
      Shape shape = in.shape(i);
      Shapes.checkRankAtMost(shape, 1);
      scalars &= shape.rank() == 0;
      rows = shape.rank() == 1 ? Shapes.mergeSize(rows, shape.size(0)) : rows;
    }
    rows = scalars ? 1 : rows;
    return List.of(Shape.of(rows < 0 ? rows : rows + 1), Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  private static void range(NodeSpec node, KernelCall call) {
    int rows = -1;
    String[] names = {"starts", "limits", "deltas"};
    for (int i = 0; i < names.length; i++) {
      Shape shape = call.input(i).shape();
      if (shape.rank() > 1) {
        throw invalidArgument("%s must be a scalar or vector", names[i]);
      }
      if (shape.rank() == 1 && rows >= 0 && rows != shape.size(0)) {
        throw invalidArgument("starts, limits, and deltas must have the same shape");
      }
      rows = shape.rank() == 1 ? (int) shape.size(0) : rows;
    }
    DataType splitType = node.outputTypes().getFirst();
    long[] splits = new long[Math.abs(rows) + 1];
    for (int row = 0; row + 1 < splits.length; row++) {
      long size = size(at(call, 0, row), at(call, 1, row), at(call, 2, row));
      splits[row + 1] = splits[row] + size;
      if (size < 0 || splits[row + 1] < 0) {
        throw invalidArgument("the ranges have more than 2^63 - 1 values");
      }
    }
    DataType dtype = call.input(0).dtype();
    Shape shape = Shape.of(splits[splits.length - 1]);
    Object array = TensorLimit.allocate(dtype, shape);
    for (int row = 0; row + 1 < splits.length; row++) {
      call.cancellation().check();
      add(
          dtype,
          at(call, 0, row),
          at(call, 2, row),
          array,
          (int) splits[row],
          (int) splits[row + 1]);
    }
    call.setOutput(0, IntegerTensors.vector(splitType, splits));
    call.setOutput(1, Tensor.of(dtype, shape, array));
  }

  /** Element {@code row} of an input, or the only one if it is a scalar, as a scalar. */
  private static Tensor at(KernelCall call, int input, int row) {
    Tensor tensor = call.input(input);
    return tensor.shape().rank() == 0 ? tensor : tensor.row(row);
  }

  /** As of Range, but for a limit on the wrong side, which gives no values. */
  private static long size(Tensor start, Tensor limit, Tensor delta) {
    int direction = sign(delta);
    int way = compare(limit, start);
    return direction * way < 0 ? 0 : RangeOps.size(start.dtype(), start, limit, delta);
  }

  private static int sign(Tensor scalar) {
    return scalar.dtype().isFloating()
        ? (int) Math.signum(real(scalar))
        : Long.signum(scalar.integer(0));
  }

  private static int compare(Tensor a, Tensor b) {
    if (!a.dtype().isFloating()) {
      return Long.compare(a.integer(0), b.integer(0));
    }
    return real(a) < real(b) ? -1 : real(a) > real(b) ? 1 : 0;
  }

  private static double real(Tensor scalar) {
    return Numbers.floating(scalar.dtype(), scalar.array(), scalar.offset());
  }

  /** Each value is the one before it plus {@code delta}, rounded each time. */
  private static void add(
      DataType dtype, Tensor start, Tensor delta, Object array, int from, int to) {
    for (int i = from; i < to; i++) {
      if (i == from) {
        dtype.kind().copy(start.array(), start.offset(), array, i, 1);
      } else {
        dtype.kind().copy(array, i - 1, array, i, 1);
        Combining.ADD.into(dtype, array, i, delta.array(), delta.offset(), 1);
      }
    }
  }

  private static List<Shape> toSparseRule(ShapeRule.Inputs in) {
    int splits = in.count() - 1;
    if (splits < 1) {
      throw invalidArgument("Requires RAGGED_RANK>0");
    }
    Shape values = in.shape(splits);
    Shapes.checkRankAtLeast(values, 1);
    for (int i = 0; i < splits; i++) {
      Shapes.withRank(in.shape(i), 1);
    }
    long rank = values.isUnknownRank() ? Shape.UNKNOWN_DIMENSION : values.rank() + splits;
    long count = Shapes.elements(values);
    return List.of(Shape.of(count, rank), Shape.of(count), Shape.of(rank));
  }

  private static void toSparse(KernelCall call) {
    int levels = call.inputs() - 1;
    List<Tensor> splits = new ArrayList<>();
    for (int i = 0; i < levels; i++) {
      splits.add(call.input(i));
    }
    Tensor values = call.input(levels);
    RowSplits.check(splits, values);
    Shape inner = values.shape().dropFirst(1);
    int rank = levels + values.shape().rank();
    Shape shape = Shape.of(values.elements(), rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    SparseIndexWriter writer = new SparseIndexWriter(splits, inner, indices);
    writer.write();
    long[] sizes = new long[rank];
    sizes[0] = splits.getFirst().elements() - 1L;
    for (int level = 0; level < levels; level++) {
      sizes[level + 1] = RowSplits.widest(splits.get(level));
    }
    for (int axis = 0; axis < inner.rank(); axis++) {
      sizes[levels + 1 + axis] = inner.size(axis);
    }
    call.setOutput(0, Tensor.of(DataType.INT64, shape, indices));
    call.setOutput(1, values.reshape(Shape.of(values.elements())));
    call.setOutput(2, Tensor.vector(sizes));
  }

  /** Writes the index of each value of a ragged tensor. */
  private static final class SparseIndexWriter {
    private final List<Tensor> splits;
    private final Shape inner;
    private final int innerElements;
    private final long[] indices;
    private final long[] prefix;
    private int at;

    SparseIndexWriter(List<Tensor> splits, Shape inner, long[] indices) {
      this.splits = splits;
      this.inner = inner;
      this.innerElements = inner.elements();
      this.indices = indices;
      this.prefix = new long[splits.size() + 1];
    }

    void write() {
      rows(0, 0, splits.getFirst().elements() - 1);
    }

    /** The rows {@code from} up to {@code to} of the level {@code level}. */
    private void rows(int level, int from, int to) {
      for (int row = from; row < to; row++) {
        prefix[level] = (long) row - from;
        if (level == splits.size()) {
          value();
        } else {
          Tensor own = splits.get(level);
          rows(level + 1, (int) own.integer(row), (int) own.integer(row + 1));
        }
      }
    }

    private void value() {
      for (int i = 0; i < innerElements; i++) {
        System.arraycopy(prefix, 0, indices, at, prefix.length);
        at += prefix.length;
        int rest = i;
        for (int axis = inner.rank() - 1; axis >= 0; axis--) {
          indices[at + axis] = rest % inner.size(axis);
          rest /= (int) inner.size(axis);
        }
        at += inner.rank();
      }
    }
  }

  private static void bincount(KernelCall call, boolean binary) {
    Tensor splits = call.input(0);
    Tensor values = call.input(1);
    Tensor weights = call.input(3);
    long size = binCount(call.input(2));
    checkSplits(splits, values.elements());
    boolean weighted = weights.elements() > 0 && !binary;
    if (weighted && weights.elements() != values.elements()) {
      throw invalidArgument(
          "there must be a weight for each of the %d values, and are %d",
          values.elements(), weights.elements());
    }
    DataType dtype = weights.dtype();
    Shape shape = Shape.of(splits.elements() - 1, size);
    Object bins = TensorLimit.allocate(dtype, shape);
    Object one = dtype.kind().newArray(1);
    setOne(dtype, one, 0);
    for (int row = 0; row + 1 < splits.elements(); row++) {
      call.cancellation().check();
      for (int i = (int) splits.integer(row); i < splits.integer(row + 1); i++) {
        long value = values.integer(i);
        if (value < 0) {
          throw invalidArgument("Input must be non-negative");
        }
        if (value < size) {
          int bin = row * (int) size + (int) value;
          if (binary) {
            setOne(dtype, bins, bin);
          } else if (weighted) {
            Combining.ADD.into(dtype, bins, bin, weights.array(), weights.offset() + i, 1);
          } else {
            Combining.ADD.into(dtype, bins, bin, one, 0, 1);
          }
        }
      }
    }
    call.setOutput(0, Tensor.of(dtype, shape, bins));
  }

  private static void setOne(DataType dtype, Object array, int at) {
    if (dtype.isFloating()) {
      Numbers.setFloating(dtype, array, at, 1);
    } else {
      Numbers.setInteger(array, at, 1);
    }
  }

  private static long binCount(Tensor size) {
    if (size.shape().rank() != 0) {
      throw invalidArgument("Shape must be rank 0 but is rank %d", size.shape().rank());
    }
    if (size.integer(0) < 0) {
      throw invalidArgument("size (%d) must be non-negative", size.integer(0));
    }
    return size.integer(0);
  }

  private static void checkSplits(Tensor splits, int values) {
    if (splits.elements() == 0) {
      throw invalidArgument("Splits must be non-empty");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("Splits must start with 0, not with %d", splits.integer(0));
    }
    long last = splits.integer(splits.elements() - 1);
    if (last != values) {
      throw invalidArgument(
          "Splits must end with the number of values, got %d instead of %d", last, values);
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1)) {
        throw invalidArgument(
            "Splits must rise, and %d follows %d", splits.integer(i), splits.integer(i - 1));
      }
    }
  }
}
