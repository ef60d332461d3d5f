package io.headrace.runtime.elementwise;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;

/** Creates the kernels of ops declared by a scalar expression. */
public final class ElementwiseKernels {
  private ElementwiseKernels() {}

  /**
   * A kernel for {@code node}, whose op has a scalar rule.
   *
   * @throws IllegalArgumentException if the op has no scalar rule
   */
  public static Kernel.Sync create(NodeSpec node) {
    List<Expression> inputs = new ArrayList<>();
    for (DataType dtype : node.inputTypes()) {
      inputs.add(new Expression.Input(inputs.size(), dtype));
    }
    return ElementwiseKernel.of(expression(node, inputs), node.inputTypes());
  }

  /**
   * The expression of {@code node}'s result over the expressions {@code inputs} of its inputs.
   *
   * @throws IllegalArgumentException if the op has no scalar rule
   */
  public static Expression expression(NodeSpec node, List<Expression> inputs) {
    return node.op()
        .scalarRule(node.attrs())
        .orElseThrow(() -> new IllegalArgumentException(node.op() + " has no scalar rule"))
        .apply(inputs, node.attrs());
  }
}
