package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** ScalarSummary: a serialized Summary with one value per tag. */
final class ScalarSummaryOps {
  private ScalarSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ScalarSummary(tags: string, values: T) -> summary: string")
            .attrs("T: " + SummaryInputs.REAL)
            .shape(ShapeFunctions.SCALAR)
            .remark(SummaryInputs.TAGS)
            .stateless(ScalarSummaryOps::scalars));
  }

  private static void scalars(KernelCall call) {
    Tensor tags = call.input(0);
    Tensor values = call.input(1);
    if (!tags.shape().equals(values.shape())) {
      throw invalidArgument(
          "tags and values are not the same shape: %s != %s%s",
          tags.shape(),
          values.shape(),
          tags.elements() == 1 ? " (tag '" + ByteStrings.text(tags.string(0)) + "')" : "");
    }
    Summary.Builder summary = Summary.newBuilder();
    for (int i = 0; i < tags.elements(); i++) {
      summary
          .addValueBuilder()
          .setTag(ByteStrings.text(tags.string(i)))
          .setSimpleValue(SummaryValues.scalar(values, i));
    }
    SummaryInputs.setOutput(call, summary.build());
  }
}
