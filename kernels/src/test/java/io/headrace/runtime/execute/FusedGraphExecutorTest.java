package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;

/** The same on a device whose nodes are fused. */
final class FusedGraphExecutorTest extends GraphExecutorTest {
  @Override
  DeviceKernels device() {
    return new Fusing();
  }

  /** Fuses nodes as a GPU does, and runs them on the CPU. */
  private record Fusing() implements DeviceKernels {
    @Override
    public Kernel create(NodeSpec node) {
      return CpuKernels.create(node);
    }

    @Override
    public Kernel.Sync fused(String node, LoopProgram program, Kernel.Sync host) {
      return host;
    }

    @Override
    public boolean fusesMovements() {
      return true;
    }
  }
}
