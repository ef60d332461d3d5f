package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** The ops over sparse tensors and sets, by family. */
final class SparseOps {
  private SparseOps() {}

  static List<Op> ops() {
    return Stream.of(
            SparseSerializationOps.ops(),
            SparseTensorsMapOps.ops(),
            SparseArrangeOps.ops(),
            SparseComputeOps.ops(),
            SparseCrossOps.ops(),
            SetOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
