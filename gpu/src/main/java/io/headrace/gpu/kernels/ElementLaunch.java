package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.KernelFunction;
import io.headrace.gpu.device.LaunchSize;
import io.headrace.gpu.device.StreamRole;
import io.headrace.gpu.ptx.ElementError;
import io.headrace.gpu.ptx.PtxKernel;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;

/**
 * A launch of a generated kernel. The host waits for nothing, unless an element may have an error.
 *
 * @param operands the buffers that it reads, which the caller holds meanwhile
 * @param blocks of {@link GpuCall#BLOCK} threads
 */
record ElementLaunch(
    PtxKernel kernel, List<DeviceBuffer> operands, int blocks, ArgumentMaker arguments) {
  /** Makes the arguments of a launch. */
  @FunctionalInterface
  interface ArgumentMaker {
    /** The arguments for results and, where an element may have an error, the word at addresses. */
    KernelArguments make(long output, long error, Arena arena);
  }

  /**
   * The result, at least one element; nothing if an element has an error, which the host's kernel
   * will tell.
   *
   * @param node names it in the table of memory
   */
  Optional<Tensor> run(
      GpuContext context, String node, DataType dtype, Shape shape, HostWait wait) {
    long bytes = (long) shape.elements() * dtype.byteSize();
    DeviceBuffer output = GpuMemory.allocate(context, bytes, node, StreamRole.COMPUTE, wait);
    try {
      if (kernel.canFail()) {
        try (DeviceBuffer error =
            GpuMemory.allocate(context, Long.BYTES, node, StreamRole.TO_DEVICE, wait)) {
          context.copies().write(Tensor.scalar(ElementError.NONE), error, wait);
          launch(context, List.of(output, error));
          Tensor word = context.copies().toHost(error, DataType.INT64, Shape.SCALAR, wait);
          if (word.integer(0) != ElementError.NONE) {
            output.close();
            return Optional.empty();
          }
        }
      } else {
        launch(context, List.of(output));
      }
    } catch (RuntimeException | Error e) {
      output.close();
      throw e;
    }
    return Optional.of(GpuTensorMemory.tensor(context, output, dtype, shape));
  }

  /** Appends the kernel; {@code results} are the output and, where it can fail, the error word. */
  private void launch(GpuContext context, List<DeviceBuffer> results) {
    try (Arena arena = Arena.ofConfined();
        KernelFunction function = context.modules().function(kernel.text(), kernel.name())) {
      context.stream(StreamRole.COMPUTE)
          .launch(
              function,
              LaunchSize.linear(blocks, GpuCall.BLOCK),
              arguments.make(results.getFirst().address(), results.getLast().address(), arena),
              operands,
              results);
    }
  }
}
