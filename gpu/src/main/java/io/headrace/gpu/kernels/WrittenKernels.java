package io.headrace.gpu.kernels;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.MovingKernel;
import io.headrace.runtime.op.NodeSpec;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The written kernels, by op. An op that is declared with {@link
 * io.headrace.runtime.op.Op.Builder#runsOnGpu} has one here, unless its CPU kernel is a {@link
 * MovingKernel}, which tells what to move.
 */
final class WrittenKernels {
  private static final Map<String, Function<NodeSpec, WrittenKernel>> BY_OP =
      Map.ofEntries(
          Map.entry("GatherV2", GatherKernel::of),
          Map.entry("Gather", GatherKernel::of),
          Map.entry("OneHot", OneHotKernel::of),
          Map.entry("Sum", ReduceKernel::of),
          Map.entry("Mean", ReduceKernel::of),
          Map.entry("Prod", ReduceKernel::of),
          Map.entry("Max", ReduceKernel::of),
          Map.entry("Min", ReduceKernel::of),
          Map.entry("All", ReduceKernel::of),
          Map.entry("Any", ReduceKernel::of),
          Map.entry("ArgMax", ArgMaxKernel::of),
          Map.entry("ArgMin", ArgMaxKernel::of));

  private WrittenKernels() {}

  /**
   * The kernel of a node.
   *
   * @param host the CPU's kernel of the node
   */
  static Optional<WrittenKernel> of(NodeSpec node, Kernel host) {
    return host instanceof MovingKernel moving
        ? Optional.of(new MovementRun(moving))
        : Optional.ofNullable(BY_OP.get(node.op().name())).map(maker -> maker.apply(node));
  }
}
