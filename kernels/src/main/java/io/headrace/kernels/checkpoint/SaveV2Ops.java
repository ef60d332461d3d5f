package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** SaveV2: saves tensors, or slices of them, to a V2 checkpoint. */
final class SaveV2Ops {
  /** The inputs before the tensors: prefix, names, shapes and slices. */
  private static final int FIXED_INPUTS = 3;

  private SaveV2Ops() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors:"
                    + " [dtypes])")
            .attrs("dtypes: list(type)")
            .stateful()
            .touches(Touch.WRITES_FILES)
            .shape(_ -> List.of())
            .stateless(SaveV2Ops::save));
  }

  private static void save(KernelCall call) {
    SaveRestoreV2Inputs inputs = SaveRestoreV2Inputs.of(call);
    int tensors = call.inputs() - FIXED_INPUTS;
    if (inputs.names().size() != tensors) {
      throw invalidArgument("Got %d tensor names but %d tensors.", inputs.names().size(), tensors);
    }
    try (BundleWriter writer = BundleWriter.open(inputs.prefix())) {
      for (int i = 0; i < tensors; i++) {
        call.cancellation().check();
        Tensor tensor = call.input(FIXED_INPUTS + i);
        String slice = inputs.shapesAndSlices().get(i);
        if (slice.isEmpty()) {
          writer.add(inputs.names().get(i), tensor);
        } else {
          writer.addSlice(inputs.names().get(i), SaveOps.slice(slice, tensor), tensor);
        }
      }
      writer.finish();
    }
  }
}
