package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** MergeSummary: the values of several serialized Summary messages in one. */
final class MergeSummaryOps {
  private MergeSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MergeSummary(inputs: N * string) -> summary: string")
            .attrs("N: int")
            .shape(ShapeFunctions.SCALAR)
            .stateless(MergeSummaryOps::merge));
  }

  private static void merge(KernelCall call) {
    Summary.Builder merged = Summary.newBuilder();
    Set<String> tags = new HashSet<>();
    for (int input = 0; input < call.inputs(); input++) {
      Tensor summaries = call.input(input);
      for (int i = 0; i < summaries.elements(); i++) {
        for (Summary.Value value : parse(summaries.string(i)).getValueList()) {
          if (!value.getTag().isEmpty() && !tags.add(value.getTag())) {
            throw invalidArgument("Duplicate tag %s found in summary inputs ", value.getTag());
          }
          merged.addValue(value);
        }
      }
    }
    SummaryInputs.setOutput(call, merged.build());
  }

  private static Summary parse(byte[] serialized) {
    try {
      return Summary.parseFrom(serialized);
    } catch (InvalidProtocolBufferException _) {
      throw invalidArgument("Could not parse one of the summary inputs");
    }
  }
}
