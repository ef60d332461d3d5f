package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The SelfAdjointEigV2 op: eigenvalues and eigenvectors of symmetric matrices. */
final class SelfAdjointEigOps {
  private SelfAdjointEigOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("SelfAdjointEigV2(input: T) -> (e: T, v: T)")
            .attrs("compute_v: bool = true", PerMatrixKernel.TYPES)
            .shape(SelfAdjointEigOps::eigenRule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION + " Eigenvectors may have another sign.")
            .kernel(
                RowKernel.made(node -> {
                  boolean vectors = node.attrs().bool("compute_v");
                  return rows -> eigen(rows, vectors);
                })));
  }

  private static List<Shape> eigenRule(ShapeFunction.Inputs in) {
    Shape shape = MatrixShapes.square(in.shape(0));
    Shape values = shape.isUnknownRank() ? shape : shape.sub(0, shape.rank() - 1);
    return List.of(values, in.attrs().bool("compute_v") ? shape : Shape.of(0));
  }

  private static boolean eigen(Rows rows, boolean vectors) {
    int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
    Shape values = Shape.of(n);
    PerMatrixKernel.run(
        rows,
        vectors ? List.of(values, Shape.of(n, n)) : List.of(values),
        (in, stop) -> eigen(n, in[0], vectors, stop));
    if (!vectors) {
      PerMatrixKernel.setNone(rows, 1);
    }
    return true;
  }

  private static double[][] eigen(int n, double[] matrix, boolean vectors, Cancellation stop) {
    SymmetricEigen eigen = new SymmetricEigen(n, matrix, stop);
    if (!eigen.converged()) {
      throw invalidArgument(
          "Self-adjoint eigen decomposition was not successful. The input might not be valid.");
    }
    return vectors
        ? new double[][] {eigen.values(), eigen.vectors()}
        : new double[][] {eigen.values()};
  }
}
