package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** What is known of square matrices: factors, determinants, inverses, solutions, eigenvalues. */
final class LinearAlgebraOps {
  static final String TYPES = "T: {double, float}";

  static final String WIDE = "Computed in double precision and rounded once.";

  private LinearAlgebraOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Cholesky(input: T) -> output: T")
            .attrs(TYPES)
            .shape(in -> List.of(squareRule(in.shape(0))))
            .remark(
                WIDE
                    + " Of a matrix that is not positive definite, NaN: the lower triangle, and"
                    + " zeros above it where TensorFlow leaves what was there.")
            .kernel(
                RowKernel.of(rows -> {
                  int n = MatrixCall.square(rows, "Input matrix must be square.");
                  return MatrixCall.run(
                      rows,
                      List.of(Shape.of(n, n)),
                      (in, stop) -> new double[][] {cholesky(n, in[0], stop)});
                })),
        Op.define("MatrixDeterminant(input: T) -> output: T")
            .attrs(TYPES)
            .shape(LinearAlgebraOps::determinantRule)
            .remark(WIDE)
            .kernel(
                RowKernel.of(rows -> {
                  int n = MatrixCall.square(rows, "Input matrix must be square.");
                  return MatrixCall.run(
                      rows,
                      List.of(Shape.SCALAR),
                      (in, stop) -> new double[][] {{new LuFactors(n, in[0], stop).determinant()}});
                })),
        Op.define("MatrixInverse(input: T) -> output: T")
            .attrs("adjoint: bool = false", TYPES)
            .shape(in -> List.of(squareRule(in.shape(0))))
            .remark(WIDE)
            .kernel(
                RowKernel.made(node -> {
                  boolean adjoint = node.attrs().bool("adjoint");
                  return rows -> inverse(rows, adjoint);
                })),
        Op.define("MatrixSolve(matrix: T, rhs: T) -> output: T")
            .attrs("adjoint: bool = false", TYPES)
            .shape(LinearAlgebraOps::solveRule)
            .remark(WIDE)
            .kernel(
                RowKernel.made(node -> {
                  boolean adjoint = node.attrs().bool("adjoint");
                  return rows -> solve(rows, adjoint);
                })),
        Op.define("SelfAdjointEigV2(input: T) -> (e: T, v: T)")
            .attrs("compute_v: bool = true", TYPES)
            .shape(LinearAlgebraOps::eigenRule)
            .remark(WIDE + " Eigenvectors may have another sign.")
            .kernel(
                RowKernel.made(node -> {
                  boolean vectors = node.attrs().bool("compute_v");
                  return rows -> eigen(rows, vectors);
                })));
  }

  /** A shape whose last two dimensions are one. */
  private static Shape squareRule(Shape shape) {
    Shapes.checkRankAtLeast(shape, 2);
    if (shape.isUnknownRank()) {
      return shape;
    }
    int rank = shape.rank();
    long n = Shapes.mergeSize(shape.size(rank - 2), shape.size(rank - 1));
    return Shapes.concat(shape.sub(0, rank - 2), Shape.of(n, n));
  }

  private static Shape outer(Shape shape) {
    return shape.isUnknownRank() ? shape : shape.sub(0, shape.rank() - 2);
  }

  /** The Cholesky factor of a matrix of which the lower triangle is read. */
  private static double[] cholesky(int n, double[] a, Cancellation stop) {
    double[] l = new double[n * n];
    for (int j = 0; j < n; j++) {
      stop.check();
      double diagonal = a[j * n + j];
      for (int k = 0; k < j; k++) {
        diagonal -= l[j * n + k] * l[j * n + k];
      }
      if (diagonal <= 0) {
        return lowerOfNaN(n);
      }
      double root = Math.sqrt(diagonal);
      l[j * n + j] = root;
      for (int i = j + 1; i < n; i++) {
        double sum = a[i * n + j];
        for (int k = 0; k < j; k++) {
          sum -= l[i * n + k] * l[j * n + k];
        }
        l[i * n + j] = sum / root;
      }
    }
    return l;
  }

  private static double[] lowerOfNaN(int n) {
    double[] l = new double[n * n];
    for (int i = 0; i < n; i++) {
      Arrays.fill(l, i * n, i * n + i + 1, Double.NaN);
    }
    return l;
  }

  private static List<Shape> determinantRule(ShapeRule.Inputs in) {
    return List.of(outer(squareRule(in.shape(0))));
  }

  private static boolean inverse(Rows rows, boolean adjoint) {
    int n = MatrixCall.square(rows, "Input matrix must be square.");
    return MatrixCall.run(
        rows,
        List.of(Shape.of(n, n)),
        (in, stop) -> {
          LuFactors factors =
              new LuFactors(n, adjoint ? MatrixCall.transposed(n, in[0]) : in[0], stop);
          if (factors.isSingular()) {
            throw invalidArgument("Input is not invertible.");
          }
          double[] one = new double[n * n];
          for (int i = 0; i < n; i++) {
            one[i * n + i] = 1;
          }
          return new double[][] {factors.solve(one, n)};
        });
  }

  private static List<Shape> solveRule(ShapeRule.Inputs in) {
    Shape matrix = squareRule(in.shape(0));
    Shape right = in.shape(1);
    Shapes.checkRankAtLeast(right, 2);
    Shape batch = Shapes.merge(outer(matrix), outer(right));
    long n = last(matrix, 2);
    return List.of(
        Shapes.concat(batch, Shape.of(Shapes.mergeSize(n, last(right, 2)), last(right, 1))));
  }

  private static long last(Shape shape, int fromEnd) {
    return shape.isUnknownRank() ? Shape.UNKNOWN_DIMENSION : shape.size(shape.rank() - fromEnd);
  }

  private static boolean solve(Rows rows, boolean adjoint) {
    MatrixCall.checkBatches(rows);
    int n = MatrixCall.square(rows, "First input (lhs) must be a square matrix.");
    Shape right = rows.shape(1);
    if (last(right, 2) != n) {
      throw invalidArgument("Input matrix and rhs are incompatible.");
    }
    int columns = (int) last(right, 1);
    return MatrixCall.run(
        rows,
        List.of(Shape.of(n, columns)),
        (in, stop) -> {
          if (columns == 0) {
            return new double[1][0];
          }
          LuFactors factors =
              new LuFactors(n, adjoint ? MatrixCall.transposed(n, in[0]) : in[0], stop);
          if (factors.isSingular()) {
            throw invalidArgument("Input matrix is not invertible.");
          }
          return new double[][] {factors.solve(in[1], columns)};
        });
  }

  private static List<Shape> eigenRule(ShapeRule.Inputs in) {
    Shape shape = squareRule(in.shape(0));
    Shape values = shape.isUnknownRank() ? shape : shape.sub(0, shape.rank() - 1);
    return List.of(values, in.attrs().bool("compute_v") ? shape : Shape.of(0));
  }

  private static boolean eigen(Rows rows, boolean vectors) {
    int n = MatrixCall.square(rows, "Input matrix must be square.");
    Shape values = Shape.of(n);
    MatrixCall.run(
        rows,
        vectors ? List.of(values, Shape.of(n, n)) : List.of(values),
        (in, stop) -> eigen(n, in[0], vectors, stop));
    if (!vectors) {
      MatrixCall.setNone(rows, 1);
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
