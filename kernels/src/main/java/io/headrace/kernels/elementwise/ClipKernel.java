package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** ClipByValue: bounds are scalars or of the values' shape. */
final class ClipKernel implements RowKernel.Body {
  private final ElementwiseKernel elements;

  private ClipKernel(ElementwiseKernel elements) {
    this.elements = elements;
  }

  static ClipKernel create(NodeSpec node) {
    DataType dtype = node.inputTypes().getFirst();
    Expression value = new Expression.Input(0, dtype);
    Expression clipped =
        value.min(new Expression.Input(2, dtype)).max(new Expression.Input(1, dtype));
    return new ClipKernel(ElementwiseKernel.of(clipped, node.inputTypes()));
  }

  @Override
  public boolean compute(Rows rows) {
    Shape shape = rows.shape(0);
    long mask = 0;
    for (int i = 0; i < 3; i++) {
      if (rows.shape(i).rank() != 0 && !rows.shape(i).equals(shape)) {
        throw StatusException.invalidArgument(
            "clip_value_min and clip_value_max must be either of the same shape as input, or a"
                + " scalar. input shape: %s clip_value_min shape: %s clip_value_max shape: %s",
            shape, rows.shape(1), rows.shape(2));
      }
      mask |= rows.varies(i) ? 1L << i : 0;
    }
    Tensor[] operands = {rows.all(0), rows.all(1), rows.all(2)};
    rows.set(0, elements.apply(operands, mask, rows.cancellation()));
    return true;
  }
}
