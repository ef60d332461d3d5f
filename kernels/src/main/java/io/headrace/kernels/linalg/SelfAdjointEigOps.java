package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** SelfAdjointEig and SelfAdjointEigV2: eigenvalues and eigenvectors of symmetric matrices. */
final class SelfAdjointEigOps {
  private SelfAdjointEigOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("SelfAdjointEig(input: T) -> output: T")
            .attrs(PerMatrixKernel.TYPES)
            .shape(SelfAdjointEigOps::packedRule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION + " Eigenvectors may have another sign.")
            .kernel(RowKernel.of(SelfAdjointEigOps::packed)),
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

  private static List<Shape> packedRule(ShapeFunction.Inputs in) {
    Shape shape = MatrixShapes.square(in.shape(0));
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    long n = shape.size(shape.rank() - 1);
    return List.of(Shapes.withSize(shape, shape.rank() - 2, n < 0 ? n : n + 1));
  }

  /** The eigenvalues as a first row above the eigenvectors. */
  private static boolean packed(Rows rows) {
    int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
    return PerMatrixKernel.run(
        rows,
        List.of(Shape.of(n + 1, n)),
        (in, stop) -> {
          double[][] parts = eigen(n, in[0], true, stop);
          double[] packed = Arrays.copyOf(parts[0], (n + 1) * n);
          System.arraycopy(parts[1], 0, packed, n, n * n);
          return new double[][] {packed};
        });
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
