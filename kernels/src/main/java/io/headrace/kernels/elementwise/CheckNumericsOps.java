package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** CheckNumerics: fails the step if a tensor has an infinity or a NaN. */
final class CheckNumericsOps {
  private CheckNumericsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("CheckNumerics(tensor: T) -> output: T")
            .attrs("T: floating", "message: string")
            .stateful(Effect.CHECKS)
            .shape(ShapeFunctions.SAME)
            .kernel(RowKernel.made(CheckNumericsOps::checkNumerics)));
  }

  private static RowKernel.Body checkNumerics(NodeSpec node) {
    String message = node.attrs().string("message");
    return rows -> {
      Tensor tensor = rows.all(0);
      DataType dtype = tensor.dtype();
      boolean nan = false;
      boolean infinite = false;
      for (int i = 0; i < tensor.elements(); i++) {
        double value = NumericElements.floating(dtype, tensor.array(), tensor.offset() + i);
        nan |= Double.isNaN(value);
        infinite |= Double.isInfinite(value);
      }
      if (nan || infinite) {
        String what = nan && infinite ? "Inf and NaN" : nan ? "NaN" : "Inf";
        throw invalidArgument("%s : Tensor had %s values", message, what);
      }
      rows.setView(0, 0, rows.shape(0));
      return true;
    };
  }
}
