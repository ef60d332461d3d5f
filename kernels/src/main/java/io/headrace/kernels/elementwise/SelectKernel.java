package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/**
 * The kernel of Select, which does not broadcast: the condition has the values' shape, is a scalar,
 * or is a vector that selects slices along the first axis.
 */
final class SelectKernel implements RowKernel.Body {
  private final BroadcastingKernel elements;

  SelectKernel(BroadcastingKernel elements) {
    this.elements = elements;
  }

  @Override
  public boolean compute(Rows rows) {
    Shape values = rows.shape(1);
    checkShapes(rows.shape(0), values, rows.shape(2));
    Tensor condition = rows.all(0);
    if (rows.shape(0).rank() == 1 && values.rank() > 1) {
      condition = condition.reshape(withOnes(condition.shape(), values.rank() - 1));
    }
    Tensor[] operands = {condition, rows.all(1), rows.all(2)};
    long mask = 0;
    for (int i = 0; i < operands.length; i++) {
      mask |= rows.varies(i) ? 1L << i : 0;
    }
    rows.set(0, elements.apply(operands, mask, rows.cancellation()));
    return true;
  }

  private static void checkShapes(Shape condition, Shape values, Shape others) {
    if (!values.equals(others)) {
      throw StatusException.invalidArgument(
          "'then' and 'else' must have the same size.  but received: %s vs. %s", values, others);
    }
    boolean slices =
        condition.rank() == 1 && values.rank() > 0 && condition.size(0) == values.size(0);
    if (!condition.equals(values) && condition.rank() != 0 && !slices) {
      throw StatusException.invalidArgument(
          "Inputs to operation Select must have the same size and shape, or the condition must be a"
              + " scalar or a vector that goes with the first dimension.  Input 0: %s != input 1:"
              + " %s",
          condition, values);
    }
  }

  private static Shape withOnes(Shape shape, int count) {
    long[] dimensions = new long[shape.rank() + count];
    for (int i = 0; i < dimensions.length; i++) {
      dimensions[i] = i < shape.rank() ? shape.size(i) : 1;
    }
    return Shape.of(dimensions);
  }
}
