package io.headrace.kernels.elementwise;

import static io.headrace.runtime.expression.Expression.select;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * ClipByValue: values limited to bounds, which are scalars or have the values' shape. The parts of
 * complex numbers are limited each by itself.
 */
final class ClipOps {
  static final List<Op> OPS =
      List.of(
          Op.define("ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> output: T")
              .attrs("T: {floating, complex, uint8, int8, uint16, int16, int32, int64}")
              .shape(ShapeFunctions.SAME)
              .kernel(RowKernel.made(ClipOps::kernel)));

  private ClipOps() {}

  private static RowKernel.Body kernel(NodeSpec node) {
    DataType dtype = node.inputTypes().getFirst();
    Expression value = new Expression.Input(0, dtype);
    Expression clipped =
        clipped(value, new Expression.Input(1, dtype), new Expression.Input(2, dtype));
    ElementwiseKernel elements = ElementwiseKernel.of(clipped, node.inputTypes());
    return rows -> clip(rows, elements);
  }

  /** {@code value} limited to the bounds; the parts of a complex number, each by itself. */
  private static Expression clipped(Expression value, Expression low, Expression high) {
    return value.dtype().isComplex()
        ? new Expression.Pair(
            part(value.real(), low.real(), high.real()),
            part(value.imaginary(), low.imaginary(), high.imaginary()))
        : value
            .min(bound(high, Double.POSITIVE_INFINITY))
            .max(bound(low, Double.NEGATIVE_INFINITY));
  }

  /** A part that is no more than a bound, as a zero is of either sign, stays as it is. */
  private static Expression part(Expression value, Expression low, Expression high) {
    Expression below = select(high.lessThan(value), high, value);
    return select(below.lessThan(low), low, below);
  }

  /** A bound that is NaN limits nothing. */
  private static Expression bound(Expression given, double unlimited) {
    return given.dtype().isFloating()
        ? select(given.apply(ScalarOperation.IS_NAN), given.same(unlimited), given)
        : given;
  }

  private static boolean clip(Rows rows, ElementwiseKernel elements) {
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
