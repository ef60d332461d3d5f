package io.headrace.kernels.sparse;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops over sparse tensors, and set operations. */
public final class SparseFamily {
  private SparseFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            SetOps.ops(),
            SparseConcatOps.ops(),
            SparseCrossOps.ops(),
            SparseFillEmptyRowsOps.ops(),
            SparseReduceSumOps.ops(),
            SparseReorderOps.ops(),
            SparseReshapeOps.ops(),
            SparseSegmentOps.ops(),
            SparseSerializationOps.ops(),
            SparseSliceOps.ops(),
            SparseTensorDenseMatMulOps.ops(),
            SparseTensorsMapOps.ops(),
            SparseToDenseOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
