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
      Map.of(
          "GatherV2", GatherKernel::of,
          "Gather", GatherKernel::of,
          "OneHot", OneHotKernel::of);

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
