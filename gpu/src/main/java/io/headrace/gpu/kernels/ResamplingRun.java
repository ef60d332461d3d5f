package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.ResamplingKernel;
import io.headrace.runtime.op.ResamplingKernel.Resampling;
import io.headrace.runtime.op.ResamplingKernel.Taps;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * Makes images of weighted sums as the CPU's kernel of a node tells, in two launches: along columns
 * and along rows.
 *
 * @param rules tells the weights
 */
record ResamplingRun(ResamplingKernel rules) implements WrittenKernel {
  @Override
  public boolean run(GpuCall call) {
    if (call.isMany() || call.tensor(0).shape().rank() != 4 || call.tensor(0).elements() == 0) {
      return false;
    }
    Resampling resampling = call.resampling(rules);
    Shape from = call.tensor(0).shape();
    Shape to = resampling.shape();
    int inner = (int) (from.size(2) * from.size(3));
    long between = from.size(0) * to.size(1) * inner;
    // Without weights, no pixel lies within the image.
    if (between > Integer.MAX_VALUE
        || resampling.rows().weights().elements() == 0
        || resampling.columns().weights().elements() == 0) {
      return false;
    }
    DeviceBuffer lines = call.scratch(between * Float.BYTES);
    DeviceBuffer output = call.output(0, DataType.FLOAT32, to);
    int dtype = DtypeCode.of(call.tensor(0).dtype());
    int height = (int) from.size(1);
    launch(call, resampling.rows(), call.operand(0), lines, (int) between, dtype, height, inner);
    launch(
        call,
        resampling.columns(),
        lines,
        output,
        to.elements(),
        DtypeCode.of(DataType.FLOAT32),
        (int) from.size(2),
        (int) to.size(3));
    return true;
  }

  /** Adds up along an axis of {@code size} pixels, which are {@code inner} elements apart. */
  private static void launch(
      GpuCall call,
      Taps taps,
      DeviceBuffer from,
      DeviceBuffer to,
      int count,
      int dtype,
      int size,
      int inner) {
    DeviceBuffer starts = call.operand(taps.starts());
    DeviceBuffer firsts = call.operand(taps.firsts());
    DeviceBuffer weights = call.operand(taps.weights());
    call.launch(
        PtxResource.RESIZE,
        "resample",
        GpuCall.blocks(count),
        List.of(from, starts, firsts, weights),
        List.of(to),
        from.address(),
        starts.address(),
        firsts.address(),
        weights.address(),
        to.address(),
        count,
        dtype,
        size,
        taps.starts().elements(),
        inner);
  }
}
