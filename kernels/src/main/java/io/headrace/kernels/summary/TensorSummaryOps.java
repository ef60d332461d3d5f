package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.List;

/** TensorSummary and TensorSummaryV2: a serialized Summary with a tensor. */
final class TensorSummaryOps {
  private TensorSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("TensorSummary(tensor: T) -> summary: string")
            .attrs(
                "T: type",
                "description: string = ''",
                "labels: list(string) = []",
                "display_name: string = ''")
            .shape(ShapeFunctions.SCALAR)
            .kernel(node ->
                call ->
                    SummaryInputs.setOutput(
                        call,
                        Summary.newBuilder()
                            .addValue(
                                Summary.Value.newBuilder()
                                    .setNodeName(node.name())
                                    .setTensor(SummaryValues.tensor(call.input(0))))
                            .build())),
        Op.define(
                "TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) ->"
                    + " summary: string")
            .attrs("T: type")
            .shape(ShapeFunctions.SCALAR)
            .remark(
                "Metadata that cannot be parsed is INVALID_ARGUMENT, not left out. "
                    + SummaryInputs.TAGS)
            .stateless(TensorSummaryOps::tensor));
  }

  private static void tensor(KernelCall call) {
    if (call.input(0).shape().rank() != 0) {
      throw invalidArgument("tag must be scalar");
    }
    if (call.input(2).shape().rank() != 0) {
      throw invalidArgument("serialized_summary_metadata must be scalar");
    }
    Summary.Value.Builder value =
        Summary.Value.newBuilder()
            .setTag(SummaryInputs.text(call, 0))
            .setTensor(SummaryValues.tensor(call.input(1)))
            .setMetadata(SummaryValues.metadata(call.input(2).string(0)));
    SummaryInputs.setOutput(call, Summary.newBuilder().addValue(value).build());
  }
}
