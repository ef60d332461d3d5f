package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.ptx.ElementwiseArguments;
import io.headrace.gpu.ptx.PtxKernel;
import io.headrace.gpu.ptx.TiledLayout;
import io.headrace.gpu.ptx.TiledLayout.Tiled;
import io.headrace.gpu.ptx.TiledPtx;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.execute.StridedKernel;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A scalar program that a GPU computes of operands in any order: in the order of the results, or in
 * tiles, where threads would read elements that are far apart. Thread-safe.
 */
final class GpuStridedKernel implements StridedKernel {
  /** The most dimensions of a plan: each takes a division for each element, or for each tile. */
  private static final int MAX_DIMENSIONS = 8;

  private final GpuDevice device;
  private final String node;
  private final LoopProgram program;
  private final GeneratedKernels inOrder;
  private final Map<TiledLayout, PtxKernel> tiled = new ConcurrentHashMap<>();

  GpuStridedKernel(GpuDevice device, String node, LoopProgram program) {
    this.device = device;
    this.node = node;
    this.program = program;
    this.inOrder = new GeneratedKernels(program);
  }

  @Override
  public Optional<Tensor> compute(
      List<Tensor> tensors, StridedPlan plan, Shape shape, Cancellation cancellation) {
    return plan.sizes().size() > MAX_DIMENSIONS
        ? Optional.empty()
        : PlatformThreads.call(() -> run(tensors, plan, shape, HostWait.until(cancellation)));
  }

  private Optional<Tensor> run(List<Tensor> tensors, StridedPlan plan, Shape shape, HostWait wait) {
    GpuContext context = device.context();
    List<DeviceBuffer> operands = new ArrayList<>();
    try {
      List<Long> addresses = new ArrayList<>();
      for (int i = 0; i < tensors.size(); i++) {
        DeviceBuffer held = GpuTensorMemory.hold(context, tensors.get(i), node, wait);
        operands.add(held);
        long offset = plan.operands().get(i).offset();
        addresses.add(held.address() + offset * program.inputs().get(i).byteSize());
      }
      return launch(plan, operands, addresses).run(context, node, program.result(), shape, wait);
    } finally {
      operands.forEach(DeviceBuffer::close);
    }
  }

  private ElementLaunch launch(
      StridedPlan plan, List<DeviceBuffer> operands, List<Long> addresses) {
    Optional<Tiled> tiles = TiledLayout.of(program, plan);
    if (tiles.isPresent()) {
      PtxKernel kernel =
          tiled.computeIfAbsent(tiles.get().layout(), layout -> TiledPtx.of(program, layout));
      return new ElementLaunch(
          kernel,
          operands,
          Math.min(tiles.get().tiles(), GpuCall.MAX_BLOCKS),
          (output, error, arena) ->
              ElementwiseArguments.of(kernel, tiles.get(), addresses, output, error, arena));
    }
    List<Access> access = TiledLayout.access(plan);
    PtxKernel kernel = inOrder.kernel(access, plan.sizes().size(), addresses);
    return new ElementLaunch(
        kernel,
        operands,
        kernel.blocks(plan.elements(), GpuCall.BLOCK),
        (output, error, arena) ->
            ElementwiseArguments.of(kernel, plan, addresses, output, error, arena));
  }
}
