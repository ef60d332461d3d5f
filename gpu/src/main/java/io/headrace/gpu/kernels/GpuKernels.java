package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.elementwise.ElementwiseKernels;
import io.headrace.runtime.execute.AcceleratedNodes;
import io.headrace.runtime.execute.DeviceKernels;
import io.headrace.runtime.execute.StridedKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the kernels of nodes that are placed on a GPU. The kernels of {@link
 * AcceleratedNodes#isComputed} run there; those of {@link AcceleratedNodes#isCarried} are the
 * host's. Thread-safe.
 */
public final class GpuKernels implements DeviceKernels {
  private final GpuDevice device;

  /** Kernels of {@code device}, which stays the caller's. */
  public GpuKernels(GpuDevice device) {
    this.device = device;
  }

  /**
   * A kernel for {@code node}.
   *
   * @throws StatusException INVALID_ARGUMENT if there is none for a GPU
   */
  @Override
  public Kernel create(NodeSpec node) {
    if (AcceleratedNodes.isCarried(node.op(), node.inputTypes(), node.outputTypes())) {
      return CpuKernels.create(node);
    }
    if (!AcceleratedNodes.isComputed(
        node.op(), node.attrs(), node.inputTypes(), node.outputTypes())) {
      throw StatusException.invalidArgument(
          "No OpKernel was registered to support Op '%s' used by {{node %s}} with inputs %s on a"
              + " GPU: pin it to a CPU",
          node.op().name(), node.name(), node.inputTypes());
    }
    return node.op().scalarRule(node.attrs()).isPresent()
        ? new GpuElementwiseKernel(
            device, node.name(), program(node), ElementwiseKernels.create(node))
        : written(node);
  }

  private Kernel written(NodeSpec node) {
    if (!(CpuKernels.create(node) instanceof Kernel.Sync host)) {
      throw new IllegalStateException(node.op() + " waits");
    }
    WrittenKernel kernel =
        WrittenKernels.of(node, host)
            .orElseThrow(() -> new IllegalStateException("no kernel for " + node.op()));
    return new GpuWrittenKernel(device, node.name(), kernel, host);
  }

  @Override
  public Kernel.Sync fused(String node, LoopProgram program, Kernel.Sync host) {
    return AcceleratedNodes.isComputed(program)
        ? new GpuElementwiseKernel(device, node, program, host)
        : host;
  }

  @Override
  public Optional<StridedKernel> strided(String node, LoopProgram program) {
    return AcceleratedNodes.isComputed(program)
        ? Optional.of(new GpuStridedKernel(device, node, program))
        : Optional.empty();
  }

  @Override
  public boolean fusesMovements() {
    return true;
  }

  private static LoopProgram program(NodeSpec node) {
    List<Expression> inputs = new ArrayList<>();
    for (int i = 0; i < node.inputTypes().size(); i++) {
      inputs.add(new Expression.Input(i, node.inputTypes().get(i)));
    }
    return LoopProgram.of(ElementwiseKernels.expression(node, inputs), node.inputTypes());
  }
}
