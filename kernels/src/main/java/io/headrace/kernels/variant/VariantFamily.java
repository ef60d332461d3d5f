package io.headrace.kernels.variant;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/**
 * Ops on tensor lists, tensor maps and compressed elements, which are values of variant tensors.
 */
public final class VariantFamily {
  private VariantFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            CompressionOps.ops(),
            TensorListConcatOps.ops(),
            TensorListOps.ops(),
            TensorListPushBackOps.ops(),
            TensorListScatterOps.ops(),
            TensorListStackOps.ops(),
            TensorMapOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
