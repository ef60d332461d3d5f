package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** GatherNd: slices of a tensor, selected by multi-dimensional indices. */
public final class GatherNdOps {
  private GatherNdOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("GatherNd(params: Tparams, indices: Tindices) -> output: Tparams")
            .attrs("Tparams: type", "Tindices: {int32, int64}", NdIndices.POLICY)
            .shape(GatherNdOps::rule)
            .kernel(RowKernel.made(GatherNdOps::gatherNd)));
  }

  private static RowKernel.Body gatherNd(NodeSpec node) {
    return NdIndices.skipsBad(node) ? rows -> gather(rows, true) : GatherNdOps::gather;
  }

  /** Gathers slices of input 0 by the indices in input 1, which may differ between rows. */
  public static boolean gather(Rows rows) {
    return gather(rows, false);
  }

  private static boolean gather(Rows rows, boolean skipsBad) {
    Shape params = rows.shape(0);
    Shape indices = rows.shape(1);
    check(params, indices);
    Shape slice = params.dropFirst(NdIndices.depth(indices));
    Shape result = Shapes.concat(NdIndices.outer(indices), slice);
    Object array =
        skipsBad ? rows.allocateZeros(rows.dtype(0), result) : rows.allocate(rows.dtype(0), result);
    for (int row = 0; row < rows.count(); row++) {
      rows.cancellation().check();
      Tensor from = rows.row(0, row);
      int[] slices =
          NdIndices.slices(
              rows.row(1, row), params, skipsBad, "param shape", ", node name: GatherNd");
      int first = row * result.elements();
      if (skipsBad) {
        gatherGood(from, slice.elements(), slices, array, first);
      } else {
        IndexedMove.gather(
            from.dtype().kind(),
            TensorMemory.array(from),
            TensorMemory.offset(from),
            slice.elements(),
            slices,
            array,
            first);
      }
    }
    rows.set(0, rows.dtype(0), result, array);
    return true;
  }

  /** Copies the blocks {@code slices}, and leaves those of bad indices as they are. */
  private static void gatherGood(Tensor from, int block, int[] slices, Object to, int first) {
    ElementKind kind = from.dtype().kind();
    for (int i = 0; i < slices.length; i++) {
      if (slices[i] != NdIndices.BAD) {
        int at = TensorMemory.offset(from) + slices[i] * block;
        kind.copy(TensorMemory.array(from), at, to, first + i * block, block);
      }
    }
  }

  private static void check(Shape params, Shape indices) {
    if (params.rank() < 1) {
      throw invalidArgument("params must be at least a vector");
    }
    if (indices.rank() < 1) {
      throw invalidArgument("indices must be at least a vector");
    }
    int depth = NdIndices.depth(indices);
    if (depth > params.rank()) {
      throw invalidArgument(
          "index innermost dimension length must be <= params rank; saw: %d vs. %d",
          depth, params.rank());
    }
    if (params.elements() == 0 && NdIndices.outer(indices).elements() > 0) {
      throw invalidArgument(
          "Requested more than 0 entries, but params is empty.  Params shape: %s", params);
    }
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape params = in.shape(0);
    Shape indices = in.shape(1);
    Shapes.checkRankAtLeast(indices, 1);
    if (params.isUnknownRank() || indices.isUnknownRank() || indices.size(indices.rank() - 1) < 0) {
      return List.of(Shape.UNKNOWN);
    }
    int depth = NdIndices.depth(indices);
    if (depth > params.rank()) {
      throw invalidArgument(
          "indices.shape[-1] must be <= params.rank, but saw indices shape: %s and params shape:"
              + " %s",
          indices, params);
    }
    return List.of(Shapes.concat(NdIndices.outer(indices), params.dropFirst(depth)));
  }
}
