package io.headrace.gpu.kernels;

import io.headrace.runtime.op.DrawingKernel;
import io.headrace.runtime.op.FusedProductKernel;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.MovingKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.ResamplingKernel;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The written kernels, by op. An op that is declared with {@link
 * io.headrace.runtime.op.Op.Builder#runsOnGpu} has one here, unless its CPU kernel tells what to
 * do: a {@link MovingKernel}, a {@link ResamplingKernel}, a {@link DrawingKernel} or a {@link
 * FusedProductKernel}.
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
          Map.entry("ArgMin", ArgMaxKernel::of),
          Map.entry("Softmax", SoftmaxKernel::of),
          Map.entry("LogSoftmax", SoftmaxKernel::of),
          Map.entry("SoftmaxCrossEntropyWithLogits", CrossEntropyKernel::of),
          Map.entry("SparseSoftmaxCrossEntropyWithLogits", CrossEntropyKernel::of),
          Map.entry("BiasAdd", BiasKernel::of),
          Map.entry("BiasAddV1", BiasKernel::of),
          Map.entry("BiasAddGrad", BiasGradientKernel::of),
          Map.entry("MatMul", MatMulKernel::of),
          Map.entry("BatchMatMul", MatMulKernel::of),
          Map.entry("BatchMatMulV2", MatMulKernel::of),
          Map.entry("BatchMatMulV3", MatMulKernel::of),
          Map.entry("ResizeBilinear", ResizeKernel::of),
          Map.entry("ResizeNearestNeighbor", ResizeKernel::of),
          Map.entry("CropAndResize", CropAndResizeKernel::of));

  private WrittenKernels() {}

  /**
   * The kernel of a node.
   *
   * @param host the CPU's kernel of the node
   */
  static Optional<WrittenKernel> of(NodeSpec node, Kernel host) {
    return switch (host) {
      case MovingKernel moving -> Optional.of(new MovementRun(moving));
      case ResamplingKernel resampling -> Optional.of(new ResamplingRun(resampling));
      case DrawingKernel drawing -> Optional.of(new DrawRun(drawing));
      case FusedProductKernel fused -> Optional.of(FusedMatMulKernel.of(node, fused));
      default -> Optional.ofNullable(BY_OP.get(node.op().name())).map(maker -> maker.apply(node));
    };
  }
}
