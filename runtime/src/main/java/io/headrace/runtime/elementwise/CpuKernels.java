package io.headrace.runtime.elementwise;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;

/** Creates the kernels of nodes placed on a CPU. */
public final class CpuKernels {
  private CpuKernels() {}

  /**
   * A kernel for {@code node}: generated from the op's scalar rule if it applies to the node's
   * attrs, otherwise the written CPU kernel.
   *
   * @throws StatusException UNIMPLEMENTED if the op has no CPU kernel
   */
  public static Kernel create(NodeSpec node) {
    if (node.op().scalarRule(node.attrs()).isPresent()) {
      return ElementwiseKernels.create(node);
    }
    return node.op()
        .kernel(Device.CPU)
        .orElseThrow(() ->
            StatusException.unimplemented(
                "op %s (node %s) has no kernel for a CPU", node.op().name(), node.name()))
        .create(node);
  }
}
