package io.headrace.kernels.kit;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call whose input 0 is replaced by a value, the same for all rows. Ops on variables call the
 * kernels of tensors this way: the variable's value replaces its handle.
 *
 * @param call the original call
 * @param many the original call as a call for many rows; null for a call of one row
 * @param first the value of input 0
 */
public record ReplacedInputCall(KernelCall call, @Nullable RowsCall many, Tensor first)
    implements RowsCall {
  /** This call as one row, or as the rows of {@code many}. */
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
