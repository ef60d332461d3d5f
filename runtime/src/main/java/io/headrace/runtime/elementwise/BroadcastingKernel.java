package io.headrace.runtime.elementwise;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;

/** A kernel of one output and at most 64 inputs, which broadcast. */
public interface BroadcastingKernel extends Kernel.Sync {
  /**
   * The result for {@code operands}.
   *
   * @param rowsMask bit k is set if operand k has a row dimension; if any has, so has the result
   */
  Tensor apply(Tensor[] operands, long rowsMask, Cancellation cancellation);

  @Override
  default void compute(KernelCall call) {
    call.setOutput(0, apply(operands(call), 0, call.cancellation()));
  }

  @Override
  default boolean computeRows(RowsCall call) {
    call.setOutput(0, apply(operands(call), call.rowsMask(), call.cancellation()));
    return true;
  }

  private static Tensor[] operands(KernelCall call) {
    Tensor[] operands = new Tensor[call.inputs()];
    for (int i = 0; i < operands.length; i++) {
      operands[i] = call.input(i);
    }
    return operands;
  }
}
