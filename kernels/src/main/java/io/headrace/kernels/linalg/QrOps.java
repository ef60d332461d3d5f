package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The Qr op: an orthogonal times an upper triangular matrix. */
final class QrOps {
  private QrOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Qr(input: T) -> (q: T, r: T)")
            .attrs("full_matrices: bool = false", PerMatrixKernel.TYPES)
            .shape(QrOps::qrRule)
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(
                RowKernel.made(node -> {
                  boolean full = node.attrs().bool("full_matrices");
                  return rows -> qr(rows, full);
                })));
  }

  private static List<Shape> qrRule(ShapeFunction.Inputs in) {
    MatrixShapes.Sizes s = MatrixShapes.Sizes.of(in.shape(0));
    return in.attrs().bool("full_matrices")
        ? List.of(s.shape(s.m(), s.m()), s.shape(s.m(), s.n()))
        : List.of(s.shape(s.m(), s.least()), s.shape(s.least(), s.n()));
  }

  private static boolean qr(Rows rows, boolean full) {
    MatrixShapes.Sizes s = MatrixShapes.Sizes.of(PerMatrixKernel.matrices(rows));
    int m = (int) s.m();
    int n = (int) s.n();
    int inner = (int) (full ? s.m() : s.least());
    return PerMatrixKernel.run(
        rows,
        List.of(Shape.of(m, inner), Shape.of(inner, n)),
        (in, stop) -> {
          HouseholderQr qr = new HouseholderQr(m, n, in[0], stop);
          return new double[][] {qr.q(inner), qr.r(inner)};
        });
  }
}
