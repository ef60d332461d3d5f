package io.headrace.kernels.sparse;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.stream.IntStream;

/**
 * SparseSparseMaximum and SparseSparseMinimum, over the union of the indices of two sparse tensors:
 * a missing value counts as 0.
 */
final class SparseSparseMaximumOps {
  private SparseSparseMaximumOps() {}

  static List<Op> ops() {
    return List.of(
        extremum("SparseSparseMaximum", ScalarOperation.MAX),
        extremum("SparseSparseMinimum", ScalarOperation.MIN));
  }

  private static Op extremum(String name, ScalarOperation operation) {
    return Op.define(
            name
                + "(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T,"
                + " b_shape: int64) -> (output_indices: int64, output_values: T)")
        .attrs("T: real")
        .shape(SparseSparseMaximumOps::rule)
        .kernel(node -> kernel(node.attrs().type("T"), operation));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    for (int i = 0; i < 6; i++) {
      Shapes.withRank(in.shape(i), i % 3 == 0 ? 2 : 1);
    }
    return List.of(Shapes.ofRank(2), Shapes.ofRank(1));
  }

  private static Kernel.Sync kernel(DataType dtype, ScalarOperation operation) {
    Expression a = new Expression.Input(0, dtype);
    Expression b = new Expression.Input(1, dtype);
    ElementwiseKernel extremum = ElementwiseKernel.of(a.apply(operation, b), List.of(dtype, dtype));
    return call -> {
      SparseUnion union = SparseUnion.ofChecked(call);
      call.setOutput(0, union.indices(IntStream.range(0, union.count()).toArray()));
      call.setOutput(1, extremum.apply(union.values(union.a()), union.values(union.b())));
    };
  }
}
