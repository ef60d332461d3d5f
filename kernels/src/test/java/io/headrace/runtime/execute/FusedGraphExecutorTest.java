package io.headrace.runtime.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same on a device whose nodes are fused. */
final class FusedGraphExecutorTest extends GraphExecutorTest {
  private final List<String> fused = new ArrayList<>();

  @Override
  DeviceKernels device() {
    return new Fusing(fused);
  }

  @Test
  void chainInALoop_isFused() {
    loop_runsUntilItsConditionFails(3);

    assertThat(fused).containsExactly("add");
  }

  /**
   * Fuses nodes as a GPU does, and runs them on the CPU.
   *
   * @param fused takes the names of the last nodes
   */
  private record Fusing(List<String> fused) implements DeviceKernels {
    @Override
    public Kernel create(NodeSpec node) {
      return CpuKernels.create(node);
    }

    @Override
    public Kernel.Sync fused(String node, LoopProgram program, Kernel.Sync host) {
      fused.add(node);
      return host;
    }

    @Override
    public boolean fusesMovements() {
      return true;
    }
  }
}
