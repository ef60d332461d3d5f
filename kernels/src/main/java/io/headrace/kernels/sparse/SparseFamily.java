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
            CountSparseOutputOps.ops(),
            EditDistanceOps.ops(),
            SetOps.ops(),
            SparseAddOps.ops(),
            SparseBincountOps.ops(),
            SparseConcatOps.ops(),
            SparseCrossOps.ops(),
            SparseDenseCwiseOps.ops(),
            SparseFillEmptyRowsOps.ops(),
            SparseReduceOps.ops(),
            SparseReorderOps.ops(),
            SparseReshapeOps.ops(),
            SparseSegmentOps.ops(),
            SparseSerializationOps.ops(),
            SparseSliceOps.ops(),
            SparseSparseMaximumOps.ops(),
            SparseSplitOps.ops(),
            SparseTensorDenseAddOps.ops(),
            SparseTensorDenseMatMulOps.ops(),
            SparseTensorsMapOps.ops(),
            SparseToDenseOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
