package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * SoftmaxCrossEntropyWithLogits of logits and probabilities of one shape, and
 * SparseSoftmaxCrossEntropyWithLogits. Labels that are out of range are found where they are, and
 * their error is the CPU's.
 *
 * @param isSparse whether labels name classes
 */
record CrossEntropyKernel(boolean isSparse) implements WrittenKernel {
  static WrittenKernel of(NodeSpec node) {
    return new CrossEntropyKernel(node.op().name().startsWith("Sparse"));
  }

  @Override
  public boolean run(GpuCall call) {
    Shape logits = call.shape(0);
    Shape labels = isSparse ? logits.sub(0, Math.min(1, logits.rank())) : logits;
    if (logits.rank() != 2 || !call.shape(1).equals(labels) || logits.elements() == 0) {
      return false;
    }
    int width = (int) logits.size(1);
    if (isSparse && call.isOnHost(1) && !GatherKernel.areInRange(call.tensor(1), width)) {
      return false;
    }
    DataType dtype = call.tensor(0).dtype();
    Shape losses = call.withRows(logits.sub(0, 1));
    DeviceBuffer from = call.operand(0);
    DeviceBuffer targets = call.operand(1);
    DeviceBuffer toLosses = call.output(0, dtype, losses);
    DeviceBuffer toGradients = call.output(1, dtype, call.withRows(logits));
    int rows = losses.elements();
    int fromRows = call.tensor(0).elements() / width;
    int targetRows = call.tensor(1).elements() / (isSparse ? 1 : width);
    int lanes = SoftmaxKernel.lanes(width);
    int blocks = ReduceKernel.blocks(rows, lanes);
    if (!isSparse) {
      call.launch(
          PtxResource.SOFTMAX,
          "crossEntropy",
          blocks,
          List.of(from, targets),
          List.of(toLosses, toGradients),
          from.address(),
          targets.address(),
          toLosses.address(),
          toGradients.address(),
          rows,
          fromRows,
          targetRows,
          width,
          lanes,
          DtypeCode.of(dtype));
      return true;
    }
    DeviceBuffer error = call.errorWord();
    call.launch(
        PtxResource.SOFTMAX,
        "sparseCrossEntropy",
        blocks,
        List.of(from, targets),
        List.of(toLosses, toGradients, error),
        from.address(),
        targets.address(),
        toLosses.address(),
        toGradients.address(),
        error.address(),
        rows,
        fromRows,
        targetRows,
        width,
        lanes,
        DtypeCode.of(dtype),
        IndexKind.of(call.tensor(1).dtype()));
    return call.isOnHost(1) || !call.hasError(error);
  }
}
