package io.headrace.kernels.nn;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The L2Loss op: half the sum of the squares of a tensor. */
final class L2LossOps {
  private L2LossOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("L2Loss(t: T) -> output: T")
            .attrs("T: floating")
            .shape(ShapeFunctions.SCALAR)
            .remark("Added up in double precision: more exact than TensorFlow's sums.")
            .kernel(RowKernel.of(L2LossOps::halfSumOfSquares)));
  }

  private static boolean halfSumOfSquares(Rows rows) {
    Tensor input = rows.all(0);
    DataType dtype = input.dtype();
    Object array = rows.allocate(dtype, Shape.SCALAR);
    int size = rows.shape(0).elements();
    for (int row = 0; row < rows.count(); row++) {
      double sum = 0;
      int from = TensorMemory.offset(input) + row * size;
      for (int i = from; i < from + size; i++) {
        double x = NumericElements.floating(dtype, TensorMemory.array(input), i);
        sum += x * x;
      }
      NumericElements.setFloating(dtype, array, row, sum / 2);
    }
    rows.set(0, dtype, Shape.SCALAR, array);
    return true;
  }
}
