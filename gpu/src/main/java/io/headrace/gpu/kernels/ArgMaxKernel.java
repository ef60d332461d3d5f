package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * ArgMax and ArgMin: the index of the largest or smallest element along an axis.
 *
 * @param isMax whether it is the largest
 * @param result the dtype of the index
 */
record ArgMaxKernel(boolean isMax, DataType result) implements WrittenKernel {
  static WrittenKernel of(NodeSpec node) {
    return new ArgMaxKernel(node.op().name().equals("ArgMax"), node.outputTypes().getFirst());
  }

  @Override
  public boolean run(GpuCall call) {
    Tensor dimension = call.parameter(1);
    Tensor input = call.tensor(0);
    if (dimension == null
        || dimension.shape().rank() != 0
        || input.elements() == 0
        || (call.rows() > 1 && !call.varies(0))) {
      return false;
    }
    Shape shape = call.shape(0);
    int axis = (int) dimension.integer(0);
    axis += axis < 0 ? shape.rank() : 0;
    if (axis < 0 || axis >= shape.rank()) {
      return false;
    }
    BitSet axes = new BitSet();
    axes.set(axis);
    Optional<ReducedAxes> reduced = ReducedAxes.of(input.shape(), ReduceKernel.ofRows(axes, call));
    Shape output =
        call.withRows(
            Shape.of(
                LongStream.concat(
                        LongStream.of(shape.sub(0, axis).dimensions()),
                        LongStream.of(shape.sub(axis + 1, shape.rank()).dimensions()))
                    .toArray()));
    reduced.ifPresent(present -> launch(call, present, output));
    return reduced.isPresent();
  }

  private void launch(GpuCall call, ReducedAxes shape, Shape output) {
    DataType dtype = call.tensor(0).dtype();
    DeviceBuffer from = call.operand(0);
    DeviceBuffer to = call.output(0, result, output);
    int lanes = ReduceKernel.lanes(shape);
    List<Number> arguments = new ArrayList<>();
    arguments.add(from.address());
    arguments.add(to.address());
    arguments.add(shape.outputs());
    arguments.add(shape.length());
    arguments.add(lanes);
    arguments.add(DtypeCode.ordered(dtype));
    arguments.add(result.byteSize());
    shape.addTo(arguments);
    call.launch(
        PtxResource.REDUCTIONS,
        (isMax ? "argMax" : "argMin") + (dtype.isFloating() ? "OfFloats" : "OfIntegers"),
        ReduceKernel.blocks(shape.outputs(), lanes),
        List.of(from),
        List.of(to),
        arguments.toArray(Number[]::new));
  }
}
