package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
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
    for (int i = 0; i < 2; i++) {
      if (call.input(i).elements() == 0) {
        throw invalidArgument("In[%d] must not be an empty tensor: %s", i, call.input(i).shape());
      }
    }
    if (right.size(right.rank() - 2) != n) {
      throw invalidArgument(
          "In[0] mismatch In[1] shape: %d vs. %d: %s %s",
          n, right.size(right.rank() - 2), bands, right);
    }
    // Of a lower matrix, the diagonal is the first band; of an upper one, the last.
    int diagonal = lower ? 0 : count - 1;
    checkFirst(call.input(0), diagonal * n, n);
    new TriangularSolve(
            lower,
            adjoint,
            count,
            (matrix, row, column) -> matrix[(diagonal + row - column) * n + row])
        .run(call, n, count * n);
  }

  /** Checks the diagonal of the first of the matrices; of the others, a zero divides. */
  private static void checkFirst(Tensor matrices, int from, int n) {
    double[] diagonal = new double[n];
    ComplexParts.readReal(
        TensorMemory.array(matrices), TensorMemory.offset(matrices) + from, diagonal, n);
    for (double element : diagonal) {
      if (element == 0) {
        throw invalidArgument("Input matrix is not invertible.");
      }
    }
  }
}
