package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.ptx.ElementwiseArguments;
import io.headrace.gpu.ptx.PtxKernel;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A node that a GPU computes by a scalar program. It takes inputs from the GPU's memory, or copies
 * them there from the host, and leaves its result there; the host waits for nothing, unless an
 * element may have an error. Thread-safe.
 */
final class GpuElementwiseKernel implements Kernel.Sync {
  private final GpuDevice device;
  private final String node;
  private final LoopProgram program;
  private final Kernel.Sync host;

  private final GeneratedKernels kernels;

  /**
   * A kernel.
   *
   * @param node names the node in errors and in the table of memory
   * @param host the CPU's kernel of the node, which tells the error of an element
   */
  GpuElementwiseKernel(GpuDevice device, String node, LoopProgram program, Kernel.Sync host) {
    this.device = device;
    this.node = node;
    this.program = program;
    this.host = host;
    this.kernels = new GeneratedKernels(program);
  }

  @Override
  public void compute(KernelCall call) {
    if (!PlatformThreads.call(() -> run(call, 0))) {
      host.compute(call);
    }
  }

  @Override
  public boolean computeRows(RowsCall call) {
    return PlatformThreads.call(() -> run(call, call.rowsMask())) || host.computeRows(call);
  }

  /** Computes the output; or returns false, if there is an error that the host's kernel tells. */
  private boolean run(KernelCall call, long rowsMask) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      shapes.add(call.input(i).shape());
    }
    BroadcastPlan plan;
    try {
      plan = BroadcastPlan.ofRows(shapes, rowsMask);
    } catch (StatusException _) {
      return false;
    }
    if (plan.elements() == 0) {
      Object none = TensorLimit.allocate(program.result(), plan.output());
      call.setOutput(0, Tensor.wrap(program.result(), plan.output(), none));
      return true;
    }
    HostWait wait = HostWait.until(call.cancellation());
    GpuContext context = device.context();
    List<DeviceBuffer> operands = new ArrayList<>();
    try {
      for (int i = 0; i < call.inputs(); i++) {
        operands.add(GpuTensorMemory.hold(context, call.input(i), node, wait));
      }
      List<Long> addresses = operands.stream().map(DeviceBuffer::address).toList();
      PtxKernel kernel = kernel(plan, addresses);
      ElementLaunch launch =
          new ElementLaunch(
              kernel,
              operands,
              kernel.blocks(plan.elements(), GpuCall.BLOCK),
              (output, error, arena) ->
                  ElementwiseArguments.of(kernel, plan, addresses, output, error, arena));
      Optional<Tensor> result = launch.run(context, node, program.result(), plan.output(), wait);
      result.ifPresent(value -> call.setOutput(0, value));
      return result.isPresent();
    } finally {
      operands.forEach(DeviceBuffer::close);
    }
  }

  private PtxKernel kernel(BroadcastPlan plan, List<Long> addresses) {
    List<Access> access = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      access.add(plan.access(i));
    }
    return kernels.kernel(access, plan.dimensions(), addresses);
  }
}
