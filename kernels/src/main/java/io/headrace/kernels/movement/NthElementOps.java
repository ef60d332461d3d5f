package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;

/** The NthElement op: the n-th smallest, or largest, element of each line of the last dimension. */
final class NthElementOps {
  private NthElementOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("NthElement(input: T, n: int32) -> values: T")
            .attrs("reverse: bool = false", "T: real")
            .shape(NthElementOps::rule)
            .kernel(node -> {
              boolean reverse = node.attrs().bool("reverse");
              return call -> nthElement(call, reverse);
            }));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Shapes.checkRankAtLeast(shape, 1);
    OptionalLong n = Shapes.constantScalar(in, 1);
    if (n.isPresent() && n.getAsLong() < 0) {
      throw invalidArgument("Input to NthElement must be non-negative but is %d", n.getAsLong());
    }
    return List.of(shape.isUnknownRank() ? shape : shape.sub(0, shape.rank() - 1));
  }

  private static void nthElement(KernelCall call, boolean reverse) {
    Tensor input = call.input(0);
    Tensor n = call.input(1);
    Shape shape = input.shape();
    if (n.shape().rank() != 0) {
      throw invalidArgument("N must be scalar but has rank %d", n.shape().rank());
    }
    if (n.integer(0) < 0) {
      throw invalidArgument("n must be non-negative but is %d", n.integer(0));
    }
    if (shape.rank() < 1) {
      throw invalidArgument("Input must be at least rank 1 but is rank %d", shape.rank());
    }
    int width = (int) shape.size(shape.rank() - 1);
    if (n.integer(0) >= width) {
      throw invalidArgument("Input must have last dimension > n = %d", n.integer(0));
    }
    int index = (int) (reverse ? width - 1 - n.integer(0) : n.integer(0));
    Shape result = shape.sub(0, shape.rank() - 1);
    DataType dtype = input.dtype();
    Object array = TensorLimit.allocate(dtype, result);
    for (int line = 0; line < result.elements(); line++) {
      call.cancellation().check();
      int from = TensorMemory.offset(input) + line * width;
      // The n-th smallest of all is the least of the width - n largest.
      int[] top = TopKOps.top(input, from, width, width - index);
      dtype.kind().copy(TensorMemory.array(input), from + top[top.length - 1], array, line, 1);
    }
    call.setOutput(0, Tensor.wrap(dtype, result, array));
  }
}
