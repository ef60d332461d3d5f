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
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/** CheckNumerics and CheckNumericsV2: fail the step if a tensor has an infinity or a NaN. */
final class CheckNumericsOps {
  private CheckNumericsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("CheckNumerics(tensor: T) -> output: T")
            .attrs("T: floating", "message: string")
            .stateful(Effect.CHECKS)
            .shape(ShapeFunctions.SAME)
            .kernel(RowKernel.made(node -> checkNumerics(node, false))),
        Op.define("CheckNumericsV2(tensor: T) -> output: T")
            .attrs("T: floating", "message: string")
            .stateful(Effect.CHECKS)
            .shape(ShapeFunctions.SAME)
            .kernel(RowKernel.made(node -> checkNumerics(node, true))));
  }

  private static RowKernel.Body checkNumerics(NodeSpec node, boolean signs) {
    String message = node.attrs().string("message");
    return rows -> {
      Tensor tensor = rows.all(0);
      DataType dtype = tensor.dtype();
      boolean nan = false;
      boolean positive = false;
      boolean negative = false;
      for (int i = 0; i < tensor.elements(); i++) {
        double value =
            NumericElements.floating(
                dtype, TensorMemory.array(tensor), TensorMemory.offset(tensor) + i);
        nan |= Double.isNaN(value);
        positive |= value == Double.POSITIVE_INFINITY;
        negative |= value == Double.NEGATIVE_INFINITY;
      }
      if (nan || positive || negative) {
        String what = signs ? named(negative, positive, nan) : named(negative || positive, nan);
        throw invalidArgument("%s : Tensor had %s values", message, what);
      }
      rows.setView(0, 0, rows.shape(0));
      return true;
    };
  }

  private static String named(boolean infinite, boolean nan) {
    return nan && infinite ? "Inf and NaN" : nan ? "NaN" : "Inf";
  }

  /** The kinds of values found: "-Inf, +Inf, and NaN", "-Inf and NaN", "+Inf". */
  private static String named(boolean negative, boolean positive, boolean nan) {
    List<String> found = new ArrayList<>();
    if (negative) {
      found.add("-Inf");
    }
    if (positive) {
      found.add("+Inf");
    }
    if (nan) {
      found.add("NaN");
    }
    int last = found.size() - 1;
    return switch (last) {
      case 0 -> found.getFirst();
      case 1 -> found.getFirst() + " and " + found.getLast();
      default -> String.join(", ", found.subList(0, last)) + ", and " + found.getLast();
    };
  }
}
