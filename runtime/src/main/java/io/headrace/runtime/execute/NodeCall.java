package io.headrace.runtime.execute;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One call of a node's kernel. */
final class NodeCall implements KernelCall {
  private final Tensor[] inputs;
  private final @Nullable Tensor[] outputs;
  private final StepContext step;

  NodeCall(Tensor[] inputs, int outputs, StepContext step) {
    this.inputs = inputs;
    this.outputs = new Tensor[outputs];
    this.step = step;
  }

  @Override
  public int inputs() {
    return inputs.length;
  }

  @Override
  public Tensor input(int index) {
    return inputs[index];
  }

  @Override
  public void setOutput(int index, Tensor value) {
    if (step.outputs().isLimited() && !isInput(value)) {
      step.outputs().take(value);
    }
    outputs[index] = value;
  }

  @SuppressWarnings("ReferenceEquality") // a tensor that is passed on takes no bytes
  private boolean isInput(Tensor value) {
    return Arrays.stream(inputs).anyMatch(input -> input == value);
  }

  @Override
  public StepContext step() {
    return step;
  }

  /** The outputs; fails if one was not set. */
  @Nullable Tensor[] results() {
    for (int i = 0; i < outputs.length; i++) {
      if (outputs[i] == null) {
        throw new IllegalStateException("output " + i + " was not set");
      }
    }
    return outputs;
  }
}
