package io.headrace.kernels.kit;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call with another value, the same for all rows, in place of input 0: what a kernel of tensors
 * is called with for a variable.
 */
public record ReplacedInput(KernelCall call, @Nullable RowsCall many, Tensor first)
    implements RowsCall {
  /** The call as rows: one, or those of {@code many}, which is the call then. */
  public Rows asRows() {
    return many == null ? new Rows((KernelCall) this) : new Rows((RowsCall) this);
  }

  @Override
  public int rows() {
    return many == null ? 1 : many.rows();
  }

  @Override
  public boolean isRows(int index) {
    return index > 0 && many != null && many.isRows(index);
  }

  @Override
  public int inputs() {
    return call.inputs();
  }

  @Override
  public Tensor input(int index) {
    return index == 0 ? first : call.input(index);
  }

  @Override
  public void setOutput(int index, Tensor value) {
    call.setOutput(index, value);
  }

  @Override
  public StepContext step() {
    return call.step();
  }
}
