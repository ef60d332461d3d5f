package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** The UnravelIndex op: flat indices as coordinates in an array of the given dimensions. */
final class UnravelIndexOps {
  private UnravelIndexOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("UnravelIndex(indices: Tidx, dims: Tidx) -> output: Tidx")
            .attrs("Tidx: {int32, int64} = int32")
            .shape(UnravelIndexOps::rule)
            .stateless(UnravelIndexOps::unravel));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape indices = in.shape(0);
    Shape dims = Shapes.withRank(in.shape(1), 1);
    if (indices.rank() == 0) {
      return List.of(dims);
    }
    return List.of(
        indices.isUnknownRank() ? Shape.UNKNOWN : Shape.of(dims.size(0), Shapes.elements(indices)));
  }

  private static void unravel(KernelCall call) {
    Tensor indices = call.input(0);
    Tensor dims = call.input(1);
    if (dims.shape().rank() != 1) {
      // TensorFlow's message, although it is about dims
      throw invalidArgument("The indices can only be 1-D, got \"%s\"", dims.shape());
    }
    if (indices.shape().rank() > 1) {
      throw invalidArgument(
          "The indices can only be scalar or vector, got \"%s\"", indices.shape());
    }
    if (indices.elements() == 0) {
      throw invalidArgument(
          "received empty tensor indices: Tensor<type: %s shape: %s values: >",
          indices.dtype().tfName(), indices.shape());
    }
    int rank = dims.elements();
    long product = 1;
    for (int axis = 0; axis < rank; axis++) {
      long size = dims.integer(axis);
      if (size == 0) {
        throw invalidArgument(
            "Input dims cannot contain a dim of zero, but dims contains zero at index %d", axis);
      }
      if (Math.multiplyHigh(product, size) != (product * size) >> 63) {
        throw invalidArgument(
            "Input dims product is causing integer overflow: (%s)", TensorText.summary(dims, -1));
      }
      product *= size;
    }
    int count = indices.elements();
    Shape shape = indices.shape().rank() == 0 ? Shape.of(rank) : Shape.of(rank, count);
    Object result = TensorLimit.allocate(dims.dtype(), shape);
    for (int i = 0; i < count; i++) {
      // TensorFlow divides negative indices, too, with truncation.
      long left = indices.integer(i);
      if (left >= product) {
        throw invalidArgument("index is out of bound as with dims");
      }
      for (int axis = rank - 1; axis >= 0; axis--) {
        NumericElements.setInteger(result, axis * count + i, left % dims.integer(axis));
        left /= dims.integer(axis);
      }
    }
    call.setOutput(0, Tensor.wrap(dims.dtype(), shape, result));
  }
}
