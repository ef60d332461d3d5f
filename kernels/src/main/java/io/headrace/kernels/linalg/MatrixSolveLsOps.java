package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The MatrixSolveLs op: least squares solutions, by the normal equations, or, of any rank, by the
 * singular values.
 */
final class MatrixSolveLsOps {
  private MatrixSolveLsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> output: T")
            .attrs(PerMatrixKernel.TYPES, "fast: bool = true")
            .shape(MatrixSolveLsOps::infer)
            .remark(
                PerMatrixKernel.DOUBLE_PRECISION
                    + " Of float matrices that are nearly rank deficient it has solutions, too.")
            .kernel(
                RowKernel.made(node -> {
                  boolean isFast = node.attrs().bool("fast");
                  return rows -> solve(rows, isFast);
                })));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(2), 0);
    Shape matrix = in.shape(0);
    Shape right = in.shape(1);
    Shapes.checkRankAtLeast(matrix, 2);
    Shapes.checkRankAtLeast(right, 2);
    Shape batch = Shapes.merge(MatrixShapes.batch(matrix), MatrixShapes.batch(right));
    MatrixShapes.Sizes left = MatrixShapes.Sizes.of(matrix);
    MatrixShapes.Sizes sides = MatrixShapes.Sizes.of(right);
    Shapes.mergeSize(left.m(), sides.m());
    return List.of(Shapes.concat(batch, Shape.of(left.n(), sides.n())));
  }

  private static boolean solve(Rows rows, boolean isFast) {
    @Nullable Tensor regularizer = rows.same(2);
    if (regularizer == null) {
      return false;
    }
    PerMatrixKernel.checkBatches(rows);
    Shape matrix = rows.shape(0);
    Shape right = rows.shape(1);
    int m = (int) matrix.size(matrix.rank() - 2);
    int n = (int) matrix.size(matrix.rank() - 1);
    if (right.size(right.rank() - 2) != m) {
      throw invalidArgument("Input matrix and rhs are incompatible.");
    }
    int columns = (int) right.size(right.rank() - 1);
    double epsilon = rows.dtype(0) == DataType.FLOAT32 ? Math.ulp(1f) : Math.ulp(1.0);
    return PerMatrixKernel.run(
        rows,
        2,
        List.of(Shape.of(n, columns)),
        (in, stop) -> {
          double weight = weight(regularizer);
          if (m == 0 || n == 0 || columns == 0) {
            return new double[1][n * columns];
          }
          LeastSquares system = new LeastSquares(in[0], m, n, in[1], columns, stop);
          return new double[][] {isFast ? system.byNormalEquations(weight) : system.bySvd(epsilon)};
        });
  }

  private static double weight(Tensor regularizer) {
    if (regularizer.shape().rank() != 0) {
      throw invalidArgument("l2_regularizer must be scalar, got shape %s", regularizer.shape());
    }
    double weight = regularizer.doubles()[0];
    if (!(weight >= 0)) {
      throw invalidArgument("l2_regularizer must be >= 0.");
    }
    return weight;
  }

  /** A system of {@code m} equations in {@code n} unknowns, with several right-hand sides. */
  private static final class LeastSquares {
    private final double[] matrix;
    private final int m;
    private final int n;
    private final double[] right;
    private final int columns;
    private final Cancellation stop;

    LeastSquares(double[] matrix, int m, int n, double[] right, int columns, Cancellation stop) {
      this.matrix = matrix;
      this.m = m;
      this.n = n;
      this.right = right;
      this.columns = columns;
      this.stop = stop;
    }

    /** The solution that also minimizes its squared norm times {@code weight}. */
    double[] byNormalEquations(double weight) {
      double[] transposed = transposed(matrix, m, n);
      if (m >= n) {
        double[] gramian = regularized(product(transposed, n, m, matrix, n), n, weight);
        return solution(gramian, n, product(transposed, n, m, right, columns));
      }
      double[] gramian = regularized(product(matrix, m, n, transposed, m), m, weight);
      return product(transposed, n, m, solution(gramian, m, right), columns);
    }

    private static double[] regularized(double[] gramian, int order, double weight) {
      for (int i = 0; i < order; i++) {
        gramian[i * order + i] += weight;
      }
      return gramian;
    }

    /** Solves equations with a positive definite matrix. */
    private double[] solution(double[] gramian, int order, double[] sides) {
      double[] l = CholeskyOps.cholesky(order, gramian, stop);
      for (int i = 0; i < order; i++) {
        if (!(l[i * order + i] > 0)) {
          throw invalidArgument(
              "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or"
                  + " provide a larger l2_regularizer > 0.");
        }
      }
      double[] x = sides.clone();
      for (int i = 0; i < order; i++) {
        for (int k = 0; k < i; k++) {
          subtract(x, i, k, l[i * order + k]);
        }
        divide(x, i, l[i * order + i]);
      }
      for (int i = order - 1; i >= 0; i--) {
        for (int k = i + 1; k < order; k++) {
          subtract(x, i, k, l[k * order + i]);
        }
        divide(x, i, l[i * order + i]);
      }
      return x;
    }

    private void subtract(double[] x, int row, int other, double factor) {
      for (int j = 0; j < columns; j++) {
        x[row * columns + j] -= factor * x[other * columns + j];
      }
    }

    private void divide(double[] x, int row, double divisor) {
      for (int j = 0; j < columns; j++) {
        x[row * columns + j] /= divisor;
      }
    }

    /** The solution of the least norm; singular values that are relatively tiny count as zero. */
    double[] bySvd(double epsilon) {
      int least = Math.min(m, n);
      JacobiSvd svd = new JacobiSvd(m, n, matrix, stop);
      double[] values = svd.values();
      double[] u = svd.u(least);
      double[] projected = product(transposed(u, m, least), least, m, right, columns);
      for (int i = 0; i < least; i++) {
        boolean isZero = values[i] <= values[0] * epsilon * least;
        for (int j = 0; j < columns; j++) {
          projected[i * columns + j] = isZero ? 0 : projected[i * columns + j] / values[i];
        }
      }
      return product(svd.v(least), n, least, projected, columns);
    }

    private static double[] transposed(double[] matrix, int height, int width) {
      double[] result = new double[matrix.length];
      for (int i = 0; i < height; i++) {
        for (int j = 0; j < width; j++) {
          result[j * height + i] = matrix[i * width + j];
        }
      }
      return result;
    }

    private double[] product(double[] a, int height, int inner, double[] b, int width) {
      double[] result = new double[height * width];
      for (int i = 0; i < height; i++) {
        stop.check();
        for (int k = 0; k < inner; k++) {
          double factor = a[i * inner + k];
          for (int j = 0; j < width; j++) {
            result[i * width + j] += factor * b[k * width + j];
          }
        }
      }
      return result;
    }
  }
}
