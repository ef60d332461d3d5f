package io.headrace.kernels.sparse;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The SparseReorder op: a sparse tensor in the canonical, row-major order of its indices. */
final class SparseReorderOps {
  private SparseReorderOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseReorder(input_indices: int64, input_values: T, input_shape: int64) ->"
                    + " (output_indices: int64, output_values: T)")
            .attrs("T: type")
            .shape(in -> {
              Shape indices = Shapes.withRank(in.shape(0), 2);
              Shape values = Shapes.withRank(in.shape(1), 1);
              Shapes.withRank(in.shape(2), 1);
              return List.of(indices, values);
            })
            .stateless(SparseReorderOps::reorder));
  }

  private static void reorder(KernelCall call) {
    SparseTensor sparse = SparseTensor.of(call, 0);
    int[] order = sparse.order();
    call.setOutput(0, sparse.pickIndices(order));
    call.setOutput(1, sparse.pickValues(order));
  }
}
