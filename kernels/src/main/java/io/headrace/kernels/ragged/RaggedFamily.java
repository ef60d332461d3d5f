package io.headrace.kernels.ragged;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops over ragged tensors. */
public final class RaggedFamily {
  private RaggedFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            RaggedBincountOps.ops(),
            RaggedCrossOps.ops(),
            RaggedFillEmptyRowsOps.ops(),
            RaggedGatherOps.ops(),
            RaggedRangeOps.ops(),
            RaggedTensorToSparseOps.ops(),
            RaggedTensorToTensorOps.ops(),
            RaggedVariantGradientOps.ops(),
            RaggedVariantOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
