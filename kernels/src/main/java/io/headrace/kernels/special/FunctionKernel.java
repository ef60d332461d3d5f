package io.headrace.kernels.special;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/**
 * A broadcasting kernel that calls a function of doubles for each element, and rounds its result to
 * the dtype of operands and result. It is for functions too long for scalar expressions.
 */
final class FunctionKernel implements BroadcastingKernel {
  /** The function. */
  @FunctionalInterface
  interface Function {
    /** The value for {@code operands}, an array that the next call reuses. */
    double of(double[] operands);
  }

  /** The number of elements between two looks whether the step was cancelled. */
  private static final int CHECK_EVERY = 1024;

  private final DataType dtype;
  private final Function function;

  FunctionKernel(DataType dtype, Function function) {
    this.dtype = dtype;
    this.function = function;
  }

  @Override
  public Tensor apply(Tensor[] operands, long rowsMask, Cancellation cancellation) {
    List<Shape> shapes = Arrays.stream(operands).map(Tensor::shape).toList();
    BroadcastPlan plan = BroadcastPlan.ofRows(shapes, rowsMask);
    int[][] at = new int[operands.length][];
    for (int k = 0; k < at.length; k++) {
      at[k] = plan.indices(k);
    }
    Object out = TensorLimit.allocate(dtype, plan.output());
    double[] values = new double[operands.length];
    for (int i = 0; i < plan.elements(); i++) {
      if (i % CHECK_EVERY == 0) {
        cancellation.check();
      }
      for (int k = 0; k < values.length; k++) {
        values[k] = element(operands[k], at[k][i]);
      }
      NumericElements.setFloating(dtype, out, i, function.of(values));
    }
    return Tensor.wrap(dtype, plan.output(), out);
  }

  private double element(Tensor operand, int index) {
    int at = TensorMemory.offset(operand) + index;
    return NumericElements.floating(dtype, TensorMemory.array(operand), at);
  }
}
