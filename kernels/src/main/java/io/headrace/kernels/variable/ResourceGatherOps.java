package io.headrace.kernels.variable;

import io.headrace.kernels.kit.ReplacedInputCall;
import io.headrace.kernels.movement.GatherNdOps;
import io.headrace.kernels.movement.GatherOps;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ResourceGather and ResourceGatherNd: gather from a variable without copying its value. */
final class ResourceGatherOps {
  private ResourceGatherOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResourceGather(resource: resource, indices: Tindices) -> output: dtype")
            .attrs(
                "batch_dims: int = 0",
                "validate_indices: bool = true",
                "dtype: type",
                "Tindices: {int32, int64}")
            .stateful(Effect.READS)
            .kernel(Gather::new),
        Op.define("ResourceGatherNd(resource: resource, indices: Tindices) -> output: dtype")
            .attrs("dtype: type", "Tindices: {int32, int64}")
            .stateful(Effect.READS)
            .kernel(ResourceGatherOps::gatherNd));
  }

  private static Kernel.Sync gatherNd(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    return call ->
        ResourceVariableOps.typed(call.input(0), dtype)
            .readInPlace(
                value -> GatherNdOps.gather(new ReplacedInputCall(call, null, value).asRows()));
  }

  /** Gathers slices along the first dimension after the batch dimensions. */
  private record Gather(DataType dtype, long batchDims) implements Kernel.Sync {
    Gather(NodeSpec node) {
      this(node.attrs().type("dtype"), node.attrs().integer("batch_dims"));
    }

    private boolean gather(KernelCall call, @Nullable RowsCall many) {
      return ResourceVariableOps.typed(call.input(0), dtype)
          .readInPlace(value -> {
            ReplacedInputCall replaced = new ReplacedInputCall(call, many, value);
            return GatherOps.gather(replaced.asRows(), batchDims, batchDims, true);
          });
    }

    @Override
    public void compute(KernelCall call) {
      gather(call, null);
    }

    @Override
    public boolean computeRows(RowsCall call) {
      return !call.isRows(0) && gather(call, call);
    }
  }
}
