package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import org.jspecify.annotations.Nullable;

/**
 * A node that a GPU computes by a {@link WrittenKernel}, or the CPU, where that leaves it to it.
 * Thread-safe.
 */
final class GpuWrittenKernel implements Kernel.Sync {
  private final GpuDevice device;
  private final String node;
  private final WrittenKernel kernel;
  private final Kernel.Sync host;

  /**
   * A kernel.
   *
   * @param node names the node in the table of memory
   * @param host the CPU's kernel of the node
   */
  GpuWrittenKernel(GpuDevice device, String node, WrittenKernel kernel, Kernel.Sync host) {
    this.device = device;
    this.node = node;
    this.kernel = kernel;
    this.host = host;
  }

  @Override
  public void compute(KernelCall call) {
    if (!run(call, null)) {
      host.compute(call);
    }
  }

  @Override
  public boolean computeRows(RowsCall call) {
    return run(call, call) || host.computeRows(call);
  }

  private boolean run(KernelCall call, @Nullable RowsCall many) {
    return PlatformThreads.call(() -> {
      try (GpuCall gpu = new GpuCall(device.context(), node, call, many)) {
        boolean isDone = kernel.run(gpu);
        if (isDone) {
          gpu.finish();
        }
        return isDone;
      }
    });
  }
}
