package io.headrace.kernels.resource;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Queues, barriers, accumulators, stacks, staging areas, tensor arrays and mutexes. */
public final class ResourceFamily {
  private ResourceFamily() {}

  /**
   * The ops of this family.
   *
   * @param entropy seeds the random generators of nodes without a seed
   */
  public static List<Op> ops(LongSupplier entropy) {
    return Stream.of(
            ConditionalAccumulatorOps.ops(),
            BarrierOps.ops(),
            MutexOps.ops(),
            QueueOps.ops(entropy),
            SessionTensorOps.ops(),
            StackOps.ops(),
            StageOps.ops(),
            TensorArrayOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
