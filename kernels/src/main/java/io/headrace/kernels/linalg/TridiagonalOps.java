package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** TridiagonalSolve and TridiagonalMatMul: systems and products with tridiagonal matrices. */
final class TridiagonalOps {
  private static final String[] DIAGONALS = {"superdiagonal", "main diagonal", "subdiagonal"};

  private TridiagonalOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("TridiagonalSolve(diagonals: T, rhs: T) -> output: T")
            .attrs(
                "partial_pivoting: bool = true",
                "perturb_singular: bool = false",
                PerMatrixKernel.TYPES)
            .shape(TridiagonalOps::inferSolve)
            .kernel(RowKernel.made(TridiagonalOps::solver)),
        Op.define("TridiagonalMatMul(superdiag: T, maindiag: T, subdiag: T, rhs: T) -> output: T")
            .attrs(PerMatrixKernel.TYPES)
            .shape(TridiagonalOps::inferProduct)
            .kernel(RowKernel.of(TridiagonalOps::multiply)));
  }

  private static List<Shape> inferSolve(ShapeFunction.Inputs in) {
    MatrixShapes.Sizes diagonals = MatrixShapes.Sizes.of(in.shape(0));
    MatrixShapes.Sizes right = MatrixShapes.Sizes.of(in.shape(1));
    Shapes.merge(diagonals.batch(), right.batch());
    Shapes.mergeSize(diagonals.n(), right.m());
    Shapes.mergeSize(diagonals.m(), 3);
    return List.of(in.shape(1));
  }

  private static List<Shape> inferProduct(ShapeFunction.Inputs in) {
    Shape diagonal = Shapes.merge(Shapes.merge(in.shape(0), in.shape(1)), in.shape(2));
    MatrixShapes.Sizes sizes = MatrixShapes.Sizes.of(diagonal);
    MatrixShapes.Sizes right = MatrixShapes.Sizes.of(in.shape(3));
    Shapes.merge(sizes.batch(), right.batch());
    Shapes.mergeSize(sizes.n(), right.m());
    Shapes.mergeSize(sizes.m(), 1);
    return List.of(in.shape(3));
  }

  /** The size of the dimension {@code fromEnd} from the end: 1 is the last. */
  private static int last(Shape shape, int fromEnd) {
    return (int) shape.size(shape.rank() - fromEnd);
  }

  private static RowKernel.Body solver(NodeSpec node) {
    boolean pivots = node.attrs().bool("partial_pivoting");
    boolean perturbs = node.attrs().bool("perturb_singular");
    if (perturbs && !pivots) {
      throw invalidArgument("Setting perturb_singular requires also setting partial_pivoting.");
    }
    return rows -> {
      PerMatrixKernel.checkBatches(rows);
      Shape diagonals = rows.shape(0);
      Shape right = rows.shape(1);
      if (last(diagonals, 2) != 3) {
        throw invalidArgument(
            "Expected diagonals to be provided as a matrix with 3 rows, got %d rows.",
            last(diagonals, 2));
      }
      if (last(diagonals, 1) != last(right, 2)) {
        throw invalidArgument(
            "Expected the same number of left-hand sides and right-hand sides, got %d and %d.",
            last(diagonals, 1), last(right, 2));
      }
      int n = last(right, 2);
      int columns = last(right, 1);
      boolean isFloat = rows.dtype(0) == DataType.FLOAT32;
      return PerMatrixKernel.run(
          rows,
          List.of(Shape.of(n, columns)),
          (in, _) -> {
            if (n == 0 || columns == 0) {
              return new double[1][0];
            }
            TridiagonalSystem system = new TridiagonalSystem(in[0], n, in[1], columns, isFloat);
            return new double[][] {
              perturbs ? system.perturbed() : pivots ? system.pivoted() : system.byThomas()
            };
          });
    };
  }

  private static boolean multiply(Rows rows) {
    PerMatrixKernel.checkBatches(rows, 4);
    Shape right = rows.shape(3);
    int m = last(right, 2);
    int n = last(right, 1);
    for (int i = 0; i < DIAGONALS.length; i++) {
      if (last(rows.shape(i), 2) != 1 || last(rows.shape(i), 1) != m) {
        throw invalidArgument("Invalid %s shape.", DIAGONALS[i]);
      }
    }
    boolean isFloat = rows.dtype(0) == DataType.FLOAT32;
    return PerMatrixKernel.run(
        rows, List.of(Shape.of(m, n)), (in, _) -> new double[][] {product(in, m, n, isFloat)});
  }

  private static double[] product(double[][] in, int m, int n, boolean isFloat) {
    double[] right = in[3];
    double[] result = new double[m * n];
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        int at = i * n + j;
        double sum = rounded(right[at] * in[1][i], isFloat);
        if (i > 0) {
          sum = rounded(sum + rounded(right[at - n] * in[2][i], isFloat), isFloat);
        }
        if (i < m - 1) {
          sum = rounded(sum + rounded(right[at + n] * in[0][i], isFloat), isFloat);
        }
        result[at] = sum;
      }
    }
    return result;
  }

  /** The value as it is after an operation on floats, or on doubles. */
  static double rounded(double value, boolean isFloat) {
    return isFloat ? (float) value : value;
  }
}
