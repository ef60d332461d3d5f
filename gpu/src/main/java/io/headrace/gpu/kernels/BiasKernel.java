package io.headrace.gpu.kernels;

import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.stream.LongStream;

/** BiasAdd and BiasAddV1, by a generated kernel. */
final class BiasKernel implements WrittenKernel {
  private final boolean channelsFirst;
  private final GeneratedKernels kernels;

  private BiasKernel(boolean channelsFirst, LoopProgram sum) {
    this.channelsFirst = channelsFirst;
    this.kernels = new GeneratedKernels(sum);
  }

  static WrittenKernel of(NodeSpec node) {
    DataType dtype = node.attrs().type("T");
    Expression sum = new Expression.Input(0, dtype).add(new Expression.Input(1, dtype));
    return new BiasKernel(hasChannelsFirst(node), LoopProgram.of(sum, List.of(dtype, dtype)));
  }

  /** Whether the channels are the second dimension, not the last. */
  static boolean hasChannelsFirst(NodeSpec node) {
    return node.op().attr("data_format") != null
        && node.attrs().string("data_format").equals("NCHW");
  }

  @Override
  public boolean run(GpuCall call) {
    Shape value = call.shape(0);
    Shape bias = call.shape(1);
    int axis = channelsFirst ? 1 : value.rank() - 1;
    if (value.rank() < 2
        || bias.rank() != 1
        || bias.size(0) != value.size(axis)
        || value.elements() == 0) {
      return false;
    }
    Shape spread = withOnes(bias, value.rank() - 1 - axis);
    Shape biases = call.varies(1) ? spread.prepend(call.rows()) : spread;
    long mask = (call.varies(0) ? 1 : 0) | (call.varies(1) ? 2 : 0);
    BroadcastPlan plan = BroadcastPlan.ofRows(List.of(call.tensor(0).shape(), biases), mask);
    call.launch(
        kernels,
        plan,
        List.of(call.operand(0), call.operand(1)),
        call.output(0, call.tensor(0).dtype(), plan.output()));
    return true;
  }

  private static Shape withOnes(Shape shape, int count) {
    return Shape.of(
        LongStream.concat(
                LongStream.of(shape.dimensions()), LongStream.generate(() -> 1).limit(count))
            .toArray());
  }
}
