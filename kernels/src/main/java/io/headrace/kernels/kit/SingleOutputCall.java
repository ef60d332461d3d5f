package io.headrace.kernels.kit;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kernel call made by another kernel: it captures the only output. */
public final class SingleOutputCall implements KernelCall {
  private final List<Tensor> inputs;
  private final StepContext step;
  private @Nullable Tensor result;

  public SingleOutputCall(List<Tensor> inputs, StepContext step) {
    this.inputs = inputs;
    this.step = step;
  }

  @Override
  public int inputs() {
    return inputs.size();
  }

  @Override
  public Tensor input(int index) {
    return inputs.get(index);
  }

  @Override
  public void setOutput(int index, Tensor value) {
    result = value;
  }

  @Override
  public StepContext step() {
    return step;
  }

  /** The output that the kernel set. */
  public Tensor result() {
    if (result == null) {
      throw new IllegalStateException("the kernel set no output");
    }
    return result;
  }
}
