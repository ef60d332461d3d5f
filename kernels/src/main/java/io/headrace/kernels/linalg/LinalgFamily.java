package io.headrace.kernels.linalg;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Products, factors and diagonals of matrices, and Einsum. */
public final class LinalgFamily {
  private LinalgFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            CrossOps.ops(),
            DecompositionOps.ops(),
            EinsumOps.ops(),
            LinearAlgebraOps.ops(),
            MatMulOps.ops(),
            MatrixDiagV3Ops.ops(),
            MatrixDiagOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
