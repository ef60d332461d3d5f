package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** Assert: fails the step if a condition is false. */
final class AssertOps {
  private AssertOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Assert(condition: bool, data: [T])")
            .attrs("T: list(type)", "summarize: int = 3")
            .stateful(Effect.CHECKS)
            .shape(_ -> List.of())
            .kernel(RowKernel.made(AssertOps::assertion)));
  }

  private static RowKernel.Body assertion(NodeSpec node) {
    long summarize = node.attrs().integer("summarize");
    return rows -> {
      Shape condition = rows.shape(0);
      if (condition.rank() != 0) {
        throw invalidArgument("In[0] should be a scalar: %s", condition);
      }
      for (int row = 0; row < rows.count(); row++) {
        if (!rows.row(0, row).bool(0)) {
          throw invalidArgument("assertion failed: %s", data(rows, row, summarize));
        }
      }
      return true;
    };
  }

  private static String data(Rows rows, int row, long summarize) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i < rows.inputs(); i++) {
      text.append(i > 1 ? " " : "")
          .append('[')
          .append(TensorText.summary(rows.row(i, row), summarize))
          .append(']');
    }
    return text.toString();
  }
}
