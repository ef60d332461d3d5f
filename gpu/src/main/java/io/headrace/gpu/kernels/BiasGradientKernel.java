package io.headrace.gpu.kernels;

import io.headrace.gpu.kernels.ReduceKernel.Operation;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Shape;
import java.util.BitSet;

/**
 * BiasAddGrad: the sum over all elements of a channel.
 *
 * @param channelsFirst whether the channels are the second dimension, not the last
 */
record BiasGradientKernel(boolean channelsFirst) implements WrittenKernel {
  private static final ReduceKernel SUM = new ReduceKernel(Operation.SUM, /* keepsDims= */ false);

  static WrittenKernel of(NodeSpec node) {
    return new BiasGradientKernel(BiasKernel.hasChannelsFirst(node));
  }

  @Override
  public boolean run(GpuCall call) {
    Shape gradient = call.shape(0);
    if (gradient.rank() < 2) {
      return false;
    }
    BitSet axes = new BitSet();
    axes.set(0, gradient.rank());
    axes.clear(channelsFirst ? 1 : gradient.rank() - 1);
    return SUM.reduce(call, axes);
  }
}
