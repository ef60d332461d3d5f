package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * The BandedTriangularSolve op: systems of linear equations with a triangular matrix of which only
 * the bands next to the diagonal are given.
 */
final class BandedTriangularSolveOps {
  private BandedTriangularSolveOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("BandedTriangularSolve(matrix: T, rhs: T) -> output: T")
            .attrs("lower: bool = true", "adjoint: bool = false", PerMatrixKernel.TYPES)
            .shape(in -> {
              Shapes.checkRankAtLeast(in.shape(0), 2);
              return TriangularSolve.rule(in, in.shape(0));
            })
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(node -> {
              boolean lower = node.attrs().bool("lower");
              boolean adjoint = node.attrs().bool("adjoint");
              return call -> solve(call, lower, adjoint);
            }));
  }

  private static void solve(KernelCall call, boolean lower, boolean adjoint) {
    Shape bands = call.input(0).shape();
    Shape right = call.input(1).shape();
    if (bands.rank() < 2) {
      throw invalidArgument("In[0] ndims must be >= 2: %d", bands.rank());
    }
    if (right.rank() < 2) {
      throw invalidArgument("In[1] ndims must be >= 2: %d", right.rank());
    }
    int count = (int) bands.size(bands.rank() - 2);
    int n = (int) bands.size(bands.rank() - 1);
    if (count < 1) {
      throw invalidArgument("Number of bands must be positive, and is %d", count);
    }
    if (right.size(right.rank() - 2) != n) {
      throw invalidArgument(
          "In[0] mismatch In[1] shape: %d vs. %d: %s %s",
          n, right.size(right.rank() - 2), bands, right);
    }
    // Of a lower matrix, the diagonal is the first band; of an upper one, the last.
    new TriangularSolve(
            lower,
            adjoint,
            true,
            (matrix, row, column) -> {
              int distance = lower ? row - column : column - row;
              int band = lower ? distance : count - 1 - distance;
              return distance >= count ? 0 : matrix[band * n + row];
            })
        .run(call, n, count * n);
  }
}
