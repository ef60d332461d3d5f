package io.headrace.kernels.resource;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.variable.VariableArithmetic;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** Addition and division of gradients of one dtype, built for a node. */
final class GradientArithmetic {
  private final DataType dtype;
  private final VariableArithmetic sum;
  private final VariableArithmetic quotient;

  GradientArithmetic(NodeSpec node, DataType dtype) {
    this.dtype = dtype;
    this.sum = new VariableArithmetic(node, dtype, "Add", Expression::add);
    this.quotient = new VariableArithmetic(node, dtype, "Div", Expression::div);
  }

  Tensor add(Tensor a, Tensor b, StepContext step) {
    return sum.of(a, b, step);
  }

  /** Elementwise division; {@code by} broadcasts where its dimension is 1. */
  Tensor divide(Tensor a, Tensor by, StepContext step) {
    return quotient.of(a, by, step);
  }

  /** Gradient counts as a tensor, the divisor of a mean. */
  Tensor counts(Shape shape, int[] counts) {
    Object array = dtype.kind().newArray(counts.length);
    for (int i = 0; i < counts.length; i++) {
      NumericElements.setFloating(dtype, array, i, counts[i]);
    }
    return Tensor.wrap(dtype, shape, array);
  }
}
