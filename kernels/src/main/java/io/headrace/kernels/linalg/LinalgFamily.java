package io.headrace.kernels.linalg;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Matrix products, decompositions, diagonals, cross products and Einsum. */
public final class LinalgFamily {
  private LinalgFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            BandedTriangularSolveOps.ops(),
            CholeskyOps.ops(),
            CrossOps.ops(),
            DiagOps.ops(),
            EigOps.ops(),
            EinsumOps.ops(),
            LuOps.ops(),
            MatMulOps.ops(),
            MatrixBandPartOps.ops(),
            MatrixDeterminantOps.ops(),
            MatrixDiagOps.ops(),
            MatrixDiagV3Ops.ops(),
            MatrixInverseOps.ops(),
            MatrixLogarithmOps.ops(),
            MatrixSolveLsOps.ops(),
            MatrixSolveOps.ops(),
            MatrixSquareRootOps.ops(),
            MatrixTriangularSolveOps.ops(),
            QrOps.ops(),
            SelfAdjointEigOps.ops(),
            SvdOps.ops(),
            TridiagonalOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
