package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/** Gather and GatherV2: slices of a tensor, selected by index along an axis. */
public final class GatherOps {
  private GatherOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> output: Tparams")
            .attrs(
                "batch_dims: int = 0",
                "Tparams: type",
                "Tindices: {int16, int32, int64}",
                "Taxis: {int32, int64}")
            .shape(GatherOps::gatherRule)
            .runsOnGpu("axis")
            .kernel(RowKernel.made(GatherOps::gather)),
        Op.define("Gather(params: Tparams, indices: Tindices) -> output: Tparams")
            .attrs("validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}")
            .shape(in -> List.of(shape(in.shape(0), in.shape(1), 0, 0)))
            .runsOnGpu()
            .kernel(RowKernel.of(rows -> gather(rows, 0, 0, false))));
  }

  private static RowKernel.Body gather(NodeSpec node) {
    long batchDims = node.attrs().integer("batch_dims");
    return rows -> {
      Tensor axis = rows.same(2);
      if (axis == null) {
        return false;
      }
      if (axis.shape().rank() != 0) {
        throw invalidArgument("axis must be scalar");
      }
      return gather(rows, axis.integer(0), batchDims, false);
    };
  }

  /**
   * Gathers slices of input 0 by the indices in input 1, which may differ between rows.
   *
   * @param axisInput the axis of input 0; negative values count from the end
   * @param batchDimsInput number of leading dimensions that both inputs share
   * @param checksEmpty whether indices must be in range although the result has no elements
   */
  public static boolean gather(
      Rows rows, long axisInput, long batchDimsInput, boolean checksEmpty) {
    Shape params = rows.shape(0);
    Shape indices = rows.shape(1);
    int batchDims = batchDims(batchDimsInput, indices);
    int axis = axis(axisInput, params);
    checkBatch(params, indices, batchDims, axis);
    Shape result = shape(params, indices, axis, batchDims);
    Object array = rows.allocateUnset(rows.dtype(0), result);
    Layout layout = Layout.of(params, indices, axis, batchDims);
    boolean isEmpty = result.elements() == 0 && !checksEmpty;
    for (int row = 0; !isEmpty && row < rows.count(); row++) {
      rows.cancellation().check();
      int[] at = indices(rows.row(1, row), layout.limit);
      layout.gather(rows.row(0, row), at, array, row * result.elements());
    }
    rows.set(0, rows.dtype(0), result, array);
    return true;
  }

  private static int batchDims(long batchDims, Shape indices) {
    int rank = indices.rank();
    if (batchDims < -rank || batchDims > rank) {
      throw invalidArgument(
          "Expected batch_dims in the range [%d, %d], but got %d", -rank, rank, batchDims);
    }
    return (int) (batchDims < 0 ? batchDims + rank : batchDims);
  }

  private static int axis(long input, Shape params) {
    if (params.rank() == 0) {
      throw invalidArgument("params must be at least 1 dimensional");
    }
    Integer axis = Shapes.axis(input, params.rank());
    if (axis == null) {
      throw invalidArgument(
          "Expected axis in the range [%d, %d), but got %d", -params.rank(), params.rank(), input);
    }
    return axis;
  }

  private static void checkBatch(Shape params, Shape indices, int batchDims, int axis) {
    if (batchDims >= params.rank()) {
      throw invalidArgument(
          "batch_dims (%d) must be less than rank(params) (%d).", batchDims, params.rank());
    }
    if (axis < batchDims) {
      throw invalidArgument(
          "batch_dims (%d) must be less than or equal to axis (%d).", batchDims, axis);
    }
    for (int i = 0; i < batchDims; i++) {
      if (params.size(i) != indices.size(i)) {
        throw invalidArgument(
            "params.shape[%d]: %d should be equal to indices.shape[%d]: %d",
            i, params.size(i), i, indices.size(i));
      }
    }
  }

  /**
   * The layout of {@code params} around the axis.
   *
   * @param batch number of batches
   * @param outer elements between the batch dimensions and the axis
   * @param limit size of the axis
   * @param inner elements of a slice
   * @param indices number of indices per batch
   */
  private record Layout(int batch, int outer, int limit, int inner, int indices) {
    static Layout of(Shape params, Shape indices, int axis, int batchDims) {
      int batch = params.sub(0, batchDims).elements();
      return new Layout(
          batch,
          params.sub(batchDims, axis).elements(),
          (int) params.size(axis),
          params.dropFirst(axis + 1).elements(),
          indices.dropFirst(batchDims).elements());
    }

    void gather(Tensor params, int[] at, Object to, int first) {
      int[] picked = at;
      int target = first;
      for (int b = 0; b < batch; b++) {
        if (batch > 1) {
          picked = Arrays.copyOfRange(at, b * indices, (b + 1) * indices);
        }
        for (int o = 0; o < outer; o++) {
          int from = TensorMemory.offset(params) + (b * outer + o) * limit * inner;
          IndexedMove.gather(
              params.dtype().kind(), TensorMemory.array(params), from, inner, picked, to, target);
          target += indices * inner;
        }
      }
    }
  }

  private static int[] indices(Tensor tensor, int limit) {
    int[] result = new int[tensor.elements()];
    for (int i = 0; i < result.length; i++) {
      long index = tensor.integer(i);
      if (index < 0 || index >= limit) {
        throw invalidArgument(
            "indices%s = %d is not in [0, %d)", position(tensor.shape(), i), index, limit);
      }
      result[i] = (int) index;
    }
    return result;
  }

  /**
   * The multi-dimensional index of element {@code i} in TensorFlow's messages, like {@code [1,0]};
   * empty for a scalar.
   */
  public static String position(Shape shape, int i) {
    if (shape.rank() == 0) {
      return "";
    }
    long[] place = new long[shape.rank()];
    int rest = i;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      place[axis] = rest % shape.size(axis);
      rest /= (int) shape.size(axis);
    }
    return Shape.of(place).toString();
  }

  private static Shape shape(Shape params, Shape indices, int axis, int batchDims) {
    if (params.isUnknownRank() || indices.isUnknownRank()) {
      return Shape.UNKNOWN;
    }
    if (params.rank() == 0) {
      throw invalidArgument("params must be at least 1 dimensional");
    }
    Shape front = params.sub(0, axis);
    Shape picked = indices.sub(batchDims, indices.rank());
    return Shapes.concat(Shapes.concat(front, picked), params.dropFirst(axis + 1));
  }

  private static List<Shape> gatherRule(ShapeFunction.Inputs in) {
    Shape params = in.shape(0);
    Shape indices = in.shape(1);
    OptionalLong axis = Shapes.constantScalar(in, 2);
    long batchDims = in.attrs().integer("batch_dims");
    if (params.isUnknownRank() || indices.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    int batch = batchDims(batchDims, indices);
    return List.of(
        axis.isEmpty()
            ? Shapes.ofRank(params.rank() + indices.rank() - 1 - batch)
            : shape(params, indices, axis(axis.getAsLong(), params), batch));
  }
}
