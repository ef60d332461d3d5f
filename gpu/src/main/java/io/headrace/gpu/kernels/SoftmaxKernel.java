package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * Softmax and LogSoftmax, along the last axis.
 *
 * @param isLog whether it is the logarithm
 */
record SoftmaxKernel(boolean isLog) implements WrittenKernel {
  /** The elements of each thread, at least: their exponentials are most of the work. */
  private static final int MIN_PER_THREAD = 4;

  static WrittenKernel of(NodeSpec node) {
    return new SoftmaxKernel(node.op().name().equals("LogSoftmax"));
  }

  @Override
  public boolean run(GpuCall call) {
    Tensor logits = call.tensor(0);
    Shape shape = call.shape(0);
    if (shape.rank() == 0 || logits.elements() == 0) {
      return false;
    }
    int width = (int) shape.size(shape.rank() - 1);
    int rows = logits.elements() / width;
    int lanes = lanes(width);
    DataType dtype = logits.dtype();
    DeviceBuffer from = call.operand(0);
    DeviceBuffer to = call.output(0, dtype, logits.shape());
    call.launch(
        PtxResource.SOFTMAX,
        isLog ? "logSoftmax" : "softmax",
        ReduceKernel.blocks(rows, lanes),
        List.of(from),
        List.of(to),
        from.address(),
        to.address(),
        rows,
        width,
        lanes,
        DtypeCode.of(dtype));
    return true;
  }

  /** The threads of a row of {@code width} elements: a power of 2. */
  static int lanes(int width) {
    return Math.min(GpuCall.BLOCK, Integer.highestOneBit(Math.max(1, width / MIN_PER_THREAD)));
  }
}
