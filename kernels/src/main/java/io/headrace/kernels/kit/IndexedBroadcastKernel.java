package io.headrace.kernels.kit;

import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * A broadcasting kernel for dtypes without scalar expressions: strings, resources and variants. It
 * computes the operand indices of each result; the {@link Body} computes the results.
 */
public final class IndexedBroadcastKernel implements BroadcastingKernel {
  /** Computes the elements of an output. */
  @FunctionalInterface
  public interface Body {
    /**
     * Sets the elements 0 to {@code elements - 1} of {@code out}.
     *
     * @param at {@code at[k][i]} is the index, in the array of input k, of the operand of result i
     */
    void fill(Tensor[] inputs, int[][] at, Object out, int elements);
  }

  private final DataType output;
  private final Body body;

  public IndexedBroadcastKernel(DataType output, Body body) {
    this.output = output;
    this.body = body;
  }

  @Override
  public Tensor apply(Tensor[] operands, long rowsMask, Cancellation cancellation) {
    List<Shape> shapes = new ArrayList<>();
    for (Tensor operand : operands) {
      shapes.add(operand.shape());
    }
    BroadcastPlan plan = BroadcastPlan.ofRows(shapes, rowsMask);
    int[][] at = new int[operands.length][];
    for (int i = 0; i < operands.length; i++) {
      at[i] = plan.indices(i);
      for (int k = 0; k < at[i].length; k++) {
        at[i][k] += TensorMemory.offset(operands[i]);
      }
    }
    Object out = TensorLimit.allocate(output, plan.output());
    cancellation.check();
    body.fill(operands, at, out, plan.elements());
    return Tensor.wrap(output, plan.output(), out);
  }
}
