package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.List;

/** HistogramSummary: a serialized Summary with a histogram of a tensor. */
final class HistogramSummaryOps {
  private HistogramSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("HistogramSummary(tag: string, values: T) -> summary: string")
            .attrs("T: " + SummaryInputs.REAL + " = float")
            .shape(ShapeFunctions.SCALAR)
            .remark(SummaryInputs.TAGS)
            .kernel(node ->
                call -> {
                  if (call.input(0).shape().rank() != 0) {
                    throw invalidArgument("tags must be scalar");
                  }
                  String tag = SummaryInputs.text(call, 0);
                  SummaryInputs.setOutput(
                      call, SummaryValues.histogram(tag, call.input(1), node.name()));
                }));
  }
}
