package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;

/** Makes the kernels of ops that are declared by a scalar expression. */
public final class ElementwiseKernels {
  private ElementwiseKernels() {}

  /** A kernel for {@code node}, whose op has a scalar rule. */
  public static Kernel.Sync create(NodeSpec node) {
    return _ -> {
      throw StatusException.unimplemented("op %s (node %s)", node.op().name(), node.name());
    };
  }
}
