package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.List;

/** AudioSummaryV2: a serialized Summary with the first clips of a batch. */
final class AudioSummaryOps {
  private AudioSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> summary: string")
            .attrs("max_outputs: int = 3")
            .shape(ShapeFunctions.SCALAR)
            .remark(SummaryInputs.TAGS)
            .kernel(node -> {
              long maxOutputs = SummaryInputs.atLeastOne(node, "max_outputs");
              return call -> audio(call, maxOutputs);
            }));
  }

  private static void audio(KernelCall call, long maxOutputs) {
    if (call.input(0).shape().rank() != 0) {
      throw invalidArgument("Tag must be a scalar");
    }
    String tag = SummaryInputs.text(call, 0);
    float rate = SummaryInputs.sampleRate(call, 2);
    SummaryInputs.setOutput(call, SummaryValues.audio(tag, call.input(1), rate, maxOutputs));
  }
}
