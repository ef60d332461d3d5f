package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** The SparseReshape op. */
final class SparseReshapeOps {
  private SparseReshapeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) ->"
                    + " (output_indices: int64, output_shape: int64)")
            .shape(SparseReshapeOps::reshapeRule)
            .stateless(SparseReshapeOps::reshape));
  }

  private static List<Shape> reshapeRule(ShapeFunction.Inputs in) {
    Shape indices = Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    Shape target = Shapes.withRank(in.shape(2), 1);
    return List.of(Shape.of(indices.size(0), target.size(0)), target);
  }

  private static void reshape(KernelCall call) {
    Tensor indices = call.input(0);
    if (indices.shape().rank() != 2) {
      throw invalidArgument("Input must be a matrix. Got %s", indices.shape());
    }
    if (call.input(1).shape().rank() != 1) {
      throw invalidArgument("Input shape must be a vector. Got %s", call.input(1).shape());
    }
    SparseTensor.checkRankOf("Target shape should be a vector", call.input(2), 1);
    SparseReshaping reshaping =
        new SparseReshaping(call.input(1).integers(), call.input(2).integers());
    if (indices.shape().size(1) != call.input(1).elements()) {
      throw invalidArgument(
          "Input tensor rank must match input shape length. Got %d indices, shape %s",
          indices.shape().size(1), call.input(1).shape());
    }
    Tensor target = Tensor.vector(reshaping.target());
    call.setOutput(0, reshaping.indices(indices));
    call.setOutput(1, target);
  }
}
