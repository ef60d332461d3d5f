package io.headrace.kernels.kit;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * A kernel of one input and one output that maps each element by itself, so that many rows are
 * computed as one larger tensor.
 *
 * @param map from the input to the output. The output shape is the input shape, perhaps followed by
 *     dimensions that do not depend on the values
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
