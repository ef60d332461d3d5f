package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** The MatrixTriangularSolve op: systems of linear equations with a triangular matrix. */
final class MatrixTriangularSolveOps {
  private MatrixTriangularSolveOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixTriangularSolve(matrix: T, rhs: T) -> output: T")
            .attrs("lower: bool = true", "adjoint: bool = false", PerMatrixKernel.TYPES)
            .shape(in -> TriangularSolve.rule(in, MatrixShapes.square(in.shape(0))))
            .remark(PerMatrixKernel.DOUBLE_PRECISION)
            .kernel(node -> {
              boolean lower = node.attrs().bool("lower");
              boolean adjoint = node.attrs().bool("adjoint");
              return call -> solve(call, lower, adjoint);
            }));
  }

  private static void solve(KernelCall call, boolean lower, boolean adjoint) {
    Shape matrix = call.input(0).shape();
    Shape right = call.input(1).shape();
    if (matrix.rank() < 2) {
      throw invalidArgument("In[0] ndims must be >= 2: %d", matrix.rank());
    }
    if (right.rank() < 2) {
      throw invalidArgument("In[1] ndims must be >= 2: %d", right.rank());
    }
    long n = matrix.size(matrix.rank() - 1);
    if (matrix.size(matrix.rank() - 2) != n) {
      throw invalidArgument(
          "In[0] matrices in the last dimensions must be square (%d =/= %d)",
          matrix.size(matrix.rank() - 2), n);
    }
    if (right.size(right.rank() - 2) != n) {
      throw invalidArgument(
          "In[0] mismatch In[1] shape: %d vs. %d: %s %s MatrixTriangularSolve %b %b",
          n, right.size(right.rank() - 2), matrix, right, lower, adjoint);
    }
    int order = (int) n;
    new TriangularSolve(
            lower, adjoint, order, (triangle, row, column) -> triangle[row * order + column])
        .run(call, order, order * order);
  }
}
