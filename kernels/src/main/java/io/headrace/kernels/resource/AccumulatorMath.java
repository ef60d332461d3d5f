package io.headrace.kernels.resource;

import io.headrace.kernels.kit.Numbers;
import io.headrace.kernels.variable.VariableSum;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** Sums and quotients of the gradients of one dtype, made for a node. */
final class AccumulatorMath {
  private final DataType dtype;
  private final VariableSum sum;
  private final VariableSum quotient;

  AccumulatorMath(NodeSpec node, DataType dtype) {
    this.dtype = dtype;
    this.sum = new VariableSum(node, dtype, "Add", Expression::add);
    this.quotient = new VariableSum(node, dtype, "Div", Expression::div);
  }

  Tensor add(Tensor a, Tensor b, StepContext step) {
    return sum.of(a, b, step);
  }

  /** Element by element; the sizes of {@code by} may be 1. */
  Tensor divide(Tensor a, Tensor by, StepContext step) {
    return quotient.of(a, by, step);
  }

  /** Numbers of gradients, as what these are divided by. */
  Tensor counts(Shape shape, int[] counts) {
    Object array = dtype.kind().newArray(counts.length);
    for (int i = 0; i < counts.length; i++) {
      Numbers.setFloating(dtype, array, i, counts[i]);
    }
    return Tensor.of(dtype, shape, array);
  }
}
