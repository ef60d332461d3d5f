package io.headrace.kernels.kit;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * A kernel of one input and one output that treats each element by itself, so that many rows are
 * one larger tensor to it. What it makes of an element may have dimensions of its own, after the
 * input's, as long as they are the same for all elements.
 */
public record PerElement(UnaryOperator<Tensor> map) implements Kernel.Sync {
  @Override
  public void compute(KernelCall call) {
    call.setOutput(0, map.apply(call.input(0)));
  }

  @Override
  public boolean computeRows(RowsCall call) {
    compute(call);
    return true;
  }
}
