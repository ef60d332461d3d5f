package io.headrace.runtime.elementwise;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;

/** Makes the kernels of ops that are declared by a scalar expression. */
public final class ElementwiseKernels {
  private ElementwiseKernels() {}

  /**
   * A kernel for {@code node}, whose op has a scalar rule.
   *
   * @throws IllegalArgumentException if it has none
   */
  public static Kernel.Sync create(NodeSpec node) {
    List<Expression> inputs = new ArrayList<>();
    for (DataType dtype : node.inputTypes()) {
      inputs.add(new Expression.Input(inputs.size(), dtype));
    }
    return ElementwiseKernel.of(expression(node, inputs), node.inputTypes());
  }

  /** What {@code node} computes, where {@code inputs} are its inputs' elements. */
  public static Expression expression(NodeSpec node, List<Expression> inputs) {
    return node.op()
        .scalarRule(node.attrs())
        .orElseThrow(() -> new IllegalArgumentException(node.op() + " has no scalar rule"))
        .apply(inputs, node.attrs());
  }
}
