package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.IndexedBroadcastKernel;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;

/**
 * The kernel of Equal and NotEqual where no scalar expression applies: strings, and {@code
 * incompatible_shape_error = false}, with which tensors that do not broadcast are unequal.
 */
public final class EqualityKernel implements Kernel.Sync {
  private final boolean negated;
  private final boolean mustFit;
  private final Kernel.Sync elements;

  EqualityKernel(NodeSpec node, boolean negated) {
    this.negated = negated;
    this.mustFit = node.attrs().bool("incompatible_shape_error");
    DataType dtype = node.inputTypes().getFirst();
    this.elements =
        Expression.isScalar(dtype)
            ? ElementwiseKernel.of(expression(dtype, negated), node.inputTypes())
            : new IndexedBroadcastKernel(DataType.BOOL, this::fill);
  }

  private static Expression expression(DataType dtype, boolean negated) {
    Expression equal = new Expression.Input(0, dtype).equalTo(new Expression.Input(1, dtype));
    return negated ? equal.not() : equal;
  }

  /** Whether {@code x} and {@code y} broadcast. */
  public static boolean fit(Shape x, Shape y) {
    try {
      ShapeFunctions.broadcast(x, y);
      return true;
    } catch (StatusException _) {
      return false;
    }
  }

  @Override
  public void compute(KernelCall call) {
    if (!mustFit && !fit(call.input(0).shape(), call.input(1).shape())) {
      call.setOutput(0, Tensor.scalar(negated));
    } else {
      elements.compute(call);
    }
  }

  @Override
  public boolean computeRows(RowsCall call) {
    return mustFit && elements.computeRows(call);
  }

  private void fill(Tensor[] inputs, int[][] at, Object out, int count) {
    byte[] results = (byte[]) out;
    byte[][] x = (byte[][]) TensorMemory.array(inputs[0]);
    byte[][] y = (byte[][]) TensorMemory.array(inputs[1]);
    for (int i = 0; i < count; i++) {
      results[i] = (byte) (Arrays.equals(x[at[0][i]], y[at[1][i]]) != negated ? 1 : 0);
    }
  }
}
