package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.movement.RangeOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The RaggedRange op: a range of numbers for each row. */
final class RaggedRangeOps {
  private RaggedRangeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedRange(starts: T, limits: T, deltas: T) -> (rt_nested_splits: Tsplits,"
                    + " rt_dense_values: T)")
            .attrs(
                "T: {bfloat16, float, double, int32, int64} = int32",
                "Tsplits: {int32, int64} = int64")
            .shape(RaggedRangeOps::rangeRule)
            .kernel(node -> call -> range(node, call)));
  }

  private static List<Shape> rangeRule(ShapeFunction.Inputs in) {
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
      writeRange(
          dtype,
          at(call, 0, row),
          at(call, 2, row),
          array,
          (int) splits[row],
          (int) splits[row + 1]);
    }
    call.setOutput(0, IntegerTensors.vector(splitType, splits));
    call.setOutput(1, Tensor.wrap(dtype, shape, array));
  }

  /** Element {@code row} of an input, as a scalar; scalar inputs broadcast. */
  private static Tensor at(KernelCall call, int input, int row) {
    Tensor tensor = call.input(input);
    return tensor.shape().rank() == 0 ? tensor : tensor.row(row);
  }

  /** The size of a range as of the Range op; 0 if the limit lies on the other side of the start. */
  private static long size(Tensor start, Tensor limit, Tensor delta) {
    int direction = sign(delta);
    int towardsLimit = compare(limit, start);
    return direction * towardsLimit < 0 ? 0 : RangeOps.size(start.dtype(), start, limit, delta);
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
    return NumericElements.floating(
        scalar.dtype(), TensorMemory.array(scalar), TensorMemory.offset(scalar));
  }

  /** Writes a range: each value is its predecessor plus {@code delta}, rounded at every step. */
  private static void writeRange(
      DataType dtype, Tensor start, Tensor delta, Object array, int from, int to) {
    for (int i = from; i < to; i++) {
      if (i == from) {
        dtype.kind().copy(TensorMemory.array(start), TensorMemory.offset(start), array, i, 1);
      } else {
        dtype.kind().copy(array, i - 1, array, i, 1);
        Combiner.ADD.into(
            dtype, array, i, TensorMemory.array(delta), TensorMemory.offset(delta), 1);
      }
    }
  }
}
