package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelFactory;
import io.headrace.runtime.op.NodeSpec;
import java.util.Optional;

/** Makes the kernels of a device. Thread-safe. */
public interface DeviceKernels extends KernelFactory {
  /**
   * A kernel for several elementwise nodes at once.
   *
   * @param node names them in errors
   * @param program computes the result from the inputs
   * @param host the CPU's kernel, which finds the node and the error of an element that has one
   */
  Kernel.Sync fused(String node, LoopProgram program, Kernel.Sync host);

  /**
   * A kernel for {@code program} whose operands are read in any order; nothing if the device has
   * none, as a CPU.
   *
   * @param node names it in the table of memory
   */
  default Optional<StridedKernel> strided(String node, LoopProgram program) {
    return Optional.empty();
  }

  /** Whether {@link #strided} gives kernels, so that steps which move elements are fused. */
  default boolean fusesMovements() {
    return false;
  }

  /** The kernels of a CPU. */
  static DeviceKernels cpu() {
    return OfCpu.INSTANCE;
  }

  /** The kernels of a CPU. */
  enum OfCpu implements DeviceKernels {
    /** The instance. */
    INSTANCE;

    @Override
    public Kernel create(NodeSpec node) {
      return CpuKernels.create(node);
    }

    @Override
    public Kernel.Sync fused(String node, LoopProgram program, Kernel.Sync host) {
      return host;
    }
  }
}
