package io.headrace.kernels.sparse;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops over sparse tensors and sets. */
public final class SparseFamily {
  private SparseFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            SetOps.ops(),
            SparseArrangeOps.ops(),
            SparseComputeOps.ops(),
            SparseCrossOps.ops(),
            SparseSegmentOps.ops(),
            SparseSerializationOps.ops(),
            SparseTensorsMapOps.ops(),
            SparseToDenseOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
