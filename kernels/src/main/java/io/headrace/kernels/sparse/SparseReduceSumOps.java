package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/** The SparseReduceSum op: sums over dimensions, as a dense tensor. */
final class SparseReduceSumOps {
  private SparseReduceSumOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64,"
                    + " reduction_axes: int32) -> output: T")
            .attrs("keep_dims: bool = false", "T: number")
            .shape(SparseReduceSumOps::reduceRule)
            .kernel(node -> {
              boolean keep = node.attrs().bool("keep_dims");
              return call -> reduceSum(call, keep);
            }));
  }

  private static List<Shape> reduceRule(ShapeFunction.Inputs in) {
    Tensor sizes = in.constant(2);
    Tensor axes = in.constant(3);
    boolean keep = in.attrs().bool("keep_dims");
    if (sizes == null || axes == null) {
      int rank = in.shape(2).rank() == 1 ? (int) in.shape(2).size(0) : -1;
      return List.of(keep && rank >= 0 ? Shapes.ofRank(rank) : Shape.UNKNOWN);
    }
    return List.of(reduced(sizes.integers(), axes, keep));
  }

  private static Shape reduced(long[] sizes, Tensor axes, boolean keep) {
    boolean[] reduced = reducedAxes(sizes.length, axes);
    List<Long> left = new ArrayList<>();
    for (int axis = 0; axis < sizes.length; axis++) {
      if (!reduced[axis]) {
        left.add(sizes[axis]);
      } else if (keep) {
        left.add(1L);
      }
    }
    return Shape.of(left.stream().mapToLong(Long::longValue).toArray());
  }

  /** For each dimension, whether it is reduced. */
  private static boolean[] reducedAxes(int rank, Tensor axes) {
    boolean[] reduced = new boolean[rank];
    for (int i = 0; i < axes.elements(); i++) {
      Integer axis = Shapes.axis(axes.integer(i), rank);
      if (axis == null) {
        throw invalidArgument(
            "Invalid reduction dimension %d, for input with %d dimensions.", axes.integer(i), rank);
      }
      reduced[axis] = true;
    }
    return reduced;
  }

  private static void reduceSum(KernelCall call, boolean keep) {
    SparseTensor sparse = SparseTensor.of(call, 0);
    Tensor axes = call.input(3);
    boolean[] reduced = reducedAxes(sparse.rank(), axes);
    Shape shape = reduced(sparse.shape().integers(), axes, keep);
    DataType dtype = sparse.values().dtype();
    Object sums = TensorLimit.allocate(dtype, shape);
    int[] order = sparse.order();
    for (int i : order) {
      if (!sparse.isWithin(i)) {
        throw invalidArgument(
            "indices[%d] = %s is out of bounds: need 0 <= index < %s",
            i, sparse.indexText(i), Shape.of(sparse.shape().integers()));
      }
      int at = 0;
      for (int axis = 0; axis < reduced.length; axis++) {
        at = reduced[axis] ? at : at * (int) sparse.size(axis) + (int) sparse.index(i, axis);
      }
      Tensor values = sparse.values();
      Combiner.ADD.into(dtype, sums, at, values.array(), values.offset() + i, 1);
    }
    call.setOutput(0, Tensor.of(dtype, shape, sums));
  }
}
