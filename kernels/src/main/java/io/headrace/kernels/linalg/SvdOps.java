package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The Svd op: singular values and, on request, singular vectors. */
final class SvdOps {
  private SvdOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Svd(input: T) -> (s: T, u: T, v: T)")
            .attrs("compute_uv: bool = true", "full_matrices: bool = false", PerMatrixKernel.TYPES)
            .shape(SvdOps::svdRule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION + " Singular vectors may have another sign.")
            .kernel(
                RowKernel.made(node -> {
                  boolean vectors = node.attrs().bool("compute_uv");
                  boolean full = node.attrs().bool("full_matrices");
                  return rows -> svd(rows, vectors, full);
                })));
  }

  private static List<Shape> svdRule(ShapeFunction.Inputs in) {
    MatrixShapes.Sizes s = MatrixShapes.Sizes.of(in.shape(0));
    if (!in.attrs().bool("compute_uv")) {
      return List.of(s.shape(s.least()), Shape.of(0), Shape.of(0));
    }
    boolean full = in.attrs().bool("full_matrices");
    return List.of(
        s.shape(s.least()),
        s.shape(s.m(), full ? s.m() : s.least()),
        s.shape(s.n(), full ? s.n() : s.least()));
  }

  private static boolean svd(Rows rows, boolean vectors, boolean full) {
    MatrixShapes.Sizes s = MatrixShapes.Sizes.of(PerMatrixKernel.matrices(rows));
    int m = (int) s.m();
    int n = (int) s.n();
    int inM = (int) (full ? s.m() : s.least());
    int inN = (int) (full ? s.n() : s.least());
    Shape values = Shape.of(s.least());
    if (vectors) {
      return PerMatrixKernel.run(
          rows,
          List.of(values, Shape.of(m, inM), Shape.of(n, inN)),
          (in, stop) -> {
            JacobiSvd svd = new JacobiSvd(m, n, in[0], stop);
            return new double[][] {svd.values(), svd.u(inM), svd.v(inN)};
          });
    }
    PerMatrixKernel.run(rows, List.of(values), (in, stop) -> valuesOnly(m, n, in[0], stop));
    PerMatrixKernel.setNone(rows, 1);
    PerMatrixKernel.setNone(rows, 2);
    return true;
  }

  private static double[][] valuesOnly(int m, int n, double[] matrix, Cancellation stop) {
    return new double[][] {new JacobiSvd(m, n, matrix, stop).values()};
  }
}
