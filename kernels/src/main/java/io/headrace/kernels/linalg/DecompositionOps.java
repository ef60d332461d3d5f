package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** Matrices of any shape as products of orthogonal ones with simpler ones. */
final class DecompositionOps {
  private DecompositionOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Qr(input: T) -> (q: T, r: T)")
            .attrs("full_matrices: bool = false", LinearAlgebraOps.TYPES)
            .shape(DecompositionOps::qrRule)
            .remark(LinearAlgebraOps.WIDE)
            .kernel(
                RowKernel.made(node -> {
                  boolean full = node.attrs().bool("full_matrices");
                  return rows -> qr(rows, full);
                })),
        Op.define("Svd(input: T) -> (s: T, u: T, v: T)")
            .attrs("compute_uv: bool = true", "full_matrices: bool = false", LinearAlgebraOps.TYPES)
            .shape(DecompositionOps::svdRule)
            .remark(LinearAlgebraOps.WIDE + " Singular vectors may have another sign.")
            .kernel(
                RowKernel.made(node -> {
                  boolean vectors = node.attrs().bool("compute_uv");
                  boolean full = node.attrs().bool("full_matrices");
                  return rows -> svd(rows, vectors, full);
                })));
  }

  /** The sizes of a matrix, as far as known. */
  private record Sizes(Shape outer, long m, long n, long least) {
    static Sizes of(Shape shape) {
      Shapes.checkRankAtLeast(shape, 2);
      if (shape.isUnknownRank()) {
        return new Sizes(shape, -1, -1, -1);
      }
      int rank = shape.rank();
      long m = shape.size(rank - 2);
      long n = shape.size(rank - 1);
      long least = m == 0 || n == 0 ? 0 : m < 0 || n < 0 ? -1 : Math.min(m, n);
      return new Sizes(shape.sub(0, rank - 2), m, n, least);
    }

    Shape shape(long... sizes) {
      return Shapes.concat(outer, Shape.of(sizes));
    }
  }

  private static List<Shape> qrRule(ShapeRule.Inputs in) {
    Sizes s = Sizes.of(in.shape(0));
    return in.attrs().bool("full_matrices")
        ? List.of(s.shape(s.m, s.m), s.shape(s.m, s.n))
        : List.of(s.shape(s.m, s.least), s.shape(s.least, s.n));
  }

  private static boolean qr(Rows rows, boolean full) {
    Sizes s = Sizes.of(MatrixCall.matrices(rows));
    int m = (int) s.m;
    int n = (int) s.n;
    int inner = (int) (full ? s.m : s.least);
    return MatrixCall.run(
        rows,
        List.of(Shape.of(m, inner), Shape.of(inner, n)),
        (in, stop) -> {
          HouseholderQr qr = new HouseholderQr(m, n, in[0], stop);
          return new double[][] {qr.q(inner), qr.r(inner)};
        });
  }

  private static List<Shape> svdRule(ShapeRule.Inputs in) {
    Sizes s = Sizes.of(in.shape(0));
    if (!in.attrs().bool("compute_uv")) {
      return List.of(s.shape(s.least), Shape.of(0), Shape.of(0));
    }
    boolean full = in.attrs().bool("full_matrices");
    return List.of(
        s.shape(s.least), s.shape(s.m, full ? s.m : s.least), s.shape(s.n, full ? s.n : s.least));
  }

  private static boolean svd(Rows rows, boolean vectors, boolean full) {
    Sizes s = Sizes.of(MatrixCall.matrices(rows));
    int m = (int) s.m;
    int n = (int) s.n;
    int inM = (int) (full ? s.m : s.least);
    int inN = (int) (full ? s.n : s.least);
    Shape values = Shape.of(s.least);
    if (vectors) {
      return MatrixCall.run(
          rows,
          List.of(values, Shape.of(m, inM), Shape.of(n, inN)),
          (in, stop) -> {
            SingularValues svd = new SingularValues(m, n, in[0], stop);
            return new double[][] {svd.values(), svd.u(inM), svd.v(inN)};
          });
    }
    MatrixCall.run(rows, List.of(values), (in, stop) -> valuesOnly(m, n, in[0], stop));
    MatrixCall.setNone(rows, 1);
    MatrixCall.setNone(rows, 2);
    return true;
  }

  private static double[][] valuesOnly(int m, int n, double[] matrix, Cancellation stop) {
    return new double[][] {new SingularValues(m, n, matrix, stop).values()};
  }
}
