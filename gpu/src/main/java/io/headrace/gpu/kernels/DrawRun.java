package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.DrawingKernel;
import io.headrace.runtime.op.DrawingKernel.Draw;
import io.headrace.runtime.op.DrawingKernel.SampleKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Draws random numbers as the CPU's kernel of a node tells; of many rows, it leaves each to a call
 * of its own.
 *
 * @param rules tells the generator's state
 */
record DrawRun(DrawingKernel rules) implements WrittenKernel {
  @Override
  public boolean run(GpuCall call) {
    if (call.isMany()) {
      return false;
    }
    Draw draw = call.draw(rules);
    int count = draw.shape().elements();
    if (count == 0) {
      call.empty(0, draw.dtype(), draw.shape());
      return true;
    }
    DeviceBuffer output = call.output(0, draw.dtype(), draw.shape());
    List<Number> arguments = new ArrayList<>();
    arguments.add(output.address());
    arguments.add(count);
    arguments.add(DtypeCode.of(draw.dtype()));
    arguments.add(draw.key());
    arguments.add(draw.counterLow());
    arguments.add(draw.counterHigh());
    if (draw.kind() == SampleKind.UNIFORM_INTEGERS) {
      arguments.add(draw.low());
      arguments.add(draw.range());
    }
    // A thread for each block of the generator: two numbers of 64 bits, or four.
    int perThread = draw.dtype().byteSize() == Long.BYTES ? 2 : 4;
    call.launch(
        PtxResource.RANDOM,
        kernel(draw.kind()),
        GpuCall.blocks((count - 1) / perThread + 1),
        List.of(),
        List.of(output),
        arguments.toArray(Number[]::new));
    return true;
  }

  private static String kernel(SampleKind kind) {
    return switch (kind) {
      case UNIFORM -> "uniform";
      case UNIFORM_INTEGERS -> "uniformIntegers";
      case BITS -> "randomBits";
      case NORMAL -> "normal";
      case TRUNCATED_NORMAL -> "truncatedNormal";
    };
  }
}
