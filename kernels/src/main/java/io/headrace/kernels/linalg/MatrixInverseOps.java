package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The MatrixInverse op, by LU decomposition. */
final class MatrixInverseOps {
  private MatrixInverseOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixInverse(input: T) -> output: T")
            .attrs("adjoint: bool = false", PerMatrixKernel.TYPES)
            .shape(in -> List.of(MatrixShapes.square(in.shape(0))))
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(
                RowKernel.made(node -> {
                  boolean adjoint = node.attrs().bool("adjoint");
                  return rows -> inverse(rows, adjoint);
                })));
  }

  private static boolean inverse(Rows rows, boolean adjoint) {
    int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
    return PerMatrixKernel.run(
        rows,
        List.of(Shape.of(n, n)),
        (in, stop) -> {
          LuDecomposition factors =
              new LuDecomposition(n, adjoint ? PerMatrixKernel.transposed(n, in[0]) : in[0], stop);
          if (!factors.isInvertible()) {
            throw invalidArgument("Input is not invertible.");
          }
          double[] one = new double[n * n];
          for (int i = 0; i < n; i++) {
            one[i * n + i] = 1;
          }
          return new double[][] {factors.solve(one, n)};
        });
  }
}
