package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.LongStream;

/**
 * OneHot: for each index, a vector with one value there and another elsewhere.
 *
 * @param axisAttr the attr {@code axis}
 */
record OneHotKernel(long axisAttr) implements WrittenKernel {
  static WrittenKernel of(NodeSpec node) {
    return new OneHotKernel(node.attrs().integer("axis"));
  }

  @Override
  public boolean run(GpuCall call) {
    Tensor depth = call.parameter(1);
    Shape indices = call.shape(0);
    if (depth == null
        || depth.shape().rank() != 0
        || depth.integer(0) < 0
        || call.shape(2).rank() != 0
        || call.shape(3).rank() != 0
        || axisAttr < -1
        || axisAttr > indices.rank()) {
      return false;
    }
    int axis = axisAttr < 0 ? indices.rank() : (int) axisAttr;
    Shape after = indices.sub(axis, indices.rank());
    Shape result =
        Shape.of(
            LongStream.concat(
                    LongStream.of(indices.sub(0, axis).dimensions()),
                    LongStream.of(after.prepend(depth.integer(0)).dimensions()))
                .toArray());
    launch(call, (int) depth.integer(0), after.elements(), result);
    return true;
  }

  private static void launch(GpuCall call, int depth, int suffix, Shape result) {
    DataType dtype = call.tensor(2).dtype();
    Shape shape = call.withRows(result);
    if (shape.elements() == 0) {
      call.empty(0, dtype, shape);
      return;
    }
    DeviceBuffer indices = call.operand(0);
    DeviceBuffer on = call.operand(2);
    DeviceBuffer off = call.operand(3);
    DeviceBuffer output = call.output(0, dtype, shape);
    call.launch(
        PtxResource.MOVES,
        "oneHot" + dtype.byteSize(),
        GpuCall.blocks(shape.elements()),
        List.of(indices, on, off),
        List.of(output),
        indices.address(),
        on.address(),
        off.address(),
        output.address(),
        shape.elements(),
        IndexKind.of(call.tensor(0).dtype()),
        depth,
        suffix,
        result.elements(),
        call.stride(0),
        call.stride(2),
        call.stride(3));
  }
}
