package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** The Eig op: eigenvalues and eigenvectors of square matrices. */
final class EigOps {
  private EigOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Eig(input: T) -> (e: Tout, v: Tout)")
            .attrs(
                "compute_v: bool = true",
                "T: {float, double, complex64, complex128}",
                "Tout: {complex64, complex128}")
            .shape(EigOps::rule)
            .remark(
                PerMatrixKernel.DOUBLE_PRECISION
                    + " Eigenvectors may have another sign or phase, and eigenvalues may come in"
                    + " another order where rounding decides on it."
                    + " Without compute_v, v is the number 0, where TensorFlow's is not set.")
            .kernel(RowKernel.made(EigOps::body)));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape shape = MatrixShapes.square(in.shape(0));
    Shape values = shape.isUnknownRank() ? shape : shape.sub(0, shape.rank() - 1);
    return List.of(values, in.attrs().bool("compute_v") ? shape : Shape.of(0));
  }

  private static RowKernel.Body body(NodeSpec node) {
    DataType in = node.inputTypes().getFirst();
    DataType out = node.outputTypes().getFirst();
    boolean isSingle = in == DataType.FLOAT32 || in == DataType.COMPLEX64;
    DataType expected = isSingle ? DataType.COMPLEX64 : DataType.COMPLEX128;
    if (out != expected) {
      throw invalidArgument("Invalid output dtype %d vs %d", out.number(), expected.number());
    }
    boolean vectors = node.attrs().bool("compute_v");
    double epsilon = isSingle ? Math.ulp(1f) : Math.ulp(1.0);
    return rows -> compute(rows, out, vectors, epsilon);
  }

  private static boolean compute(Rows rows, DataType out, boolean vectors, double epsilon) {
    int n = PerMatrixKernel.square(rows, "Input matrix must be square.");
    boolean isComplex = rows.dtype(0).isComplex();
    PerMatrixKernel.runComplex(
        rows,
        out,
        vectors ? List.of(Shape.of(n), Shape.of(n, n)) : List.of(Shape.of(n)),
        (re, im, stop) -> {
          Eigenpairs pairs =
              isComplex
                  ? complex(n, re, im, vectors, epsilon, stop)
                  : real(n, re, vectors, epsilon, stop);
          return new double[][] {
            pairs.valuesRe(), pairs.valuesIm(), pairs.vectorsRe(), pairs.vectorsIm()
          };
        });
    if (!vectors) {
      rows.setSame(1, Tensor.wrap(out, Shape.SCALAR, TensorLimit.allocate(out, Shape.SCALAR)));
    }
    return true;
  }

  private static Eigenpairs complex(
      int n, double[] re, double[] im, boolean vectors, double epsilon, Cancellation stop) {
    if (n > 1) {
      checkFinite(re);
      checkFinite(im);
    }
    ComplexSchur schur = new ComplexSchur(n, re, im, vectors, stop);
    check(schur.isConverged());
    return vectors ? Eigenpairs.of(n, schur, epsilon, stop) : Eigenpairs.valuesOf(n, schur, stop);
  }

  private static Eigenpairs real(
      int n, double[] matrix, boolean vectors, double epsilon, Cancellation stop) {
    checkFinite(matrix);
    RealSchur schur = new RealSchur(n, matrix, epsilon, vectors, stop);
    check(schur.isConverged());
    return vectors ? Eigenpairs.of(n, schur, epsilon, stop) : Eigenpairs.valuesOf(n, schur);
  }

  private static void checkFinite(double[] numbers) {
    for (double number : numbers) {
      check(Double.isFinite(number));
    }
  }

  private static void check(boolean isSuccessful) {
    if (!isSuccessful) {
      throw invalidArgument(
          "Eigen decomposition was not successful. The input might not be valid.");
    }
  }
}
