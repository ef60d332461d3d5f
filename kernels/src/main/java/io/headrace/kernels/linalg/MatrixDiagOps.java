package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Ops that take and put the diagonals of matrices. */
final class MatrixDiagOps {
  private MatrixDiagOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> band: T")
            .attrs("T: fixedwidth", "Tindex: {int32, int64} = int64")
            .shape(MatrixDiagOps::bandRule)
            .kernel(RowKernel.of(MatrixDiagOps::band)),
        Op.define("MatrixDiag(diagonal: T) -> output: T")
            .attrs("T: fixedwidth")
            .shape(MatrixDiagOps::matrixDiagRule)
            .kernel(RowKernel.of(MatrixDiagOps::matrixDiag)),
        Op.define("MatrixDiagPart(input: T) -> diagonal: T")
            .attrs("T: fixedwidth")
            .shape(MatrixDiagOps::matrixDiagPartRule)
            .kernel(RowKernel.of(MatrixDiagOps::matrixDiagPart)),
        Op.define("Diag(diagonal: T) -> output: T")
            .attrs("T: {float, double, int32, int64, complex64, complex128, bfloat16, half}")
            .shape(in -> List.of(Shapes.concat(in.shape(0), in.shape(0))))
            .kernel(RowKernel.of(MatrixDiagOps::diag)),
        Op.define("DiagPart(input: T) -> diagonal: T")
            .attrs("T: {float, double, int32, int64, complex64, complex128, bfloat16, half}")
            .shape(MatrixDiagOps::diagPartRule)
            .kernel(RowKernel.of(MatrixDiagOps::diagPart)));
  }

  private static Shape checkMatrix(String name, Shape shape, int rank) {
    if (!shape.isUnknownRank() && shape.rank() < rank) {
      throw invalidArgument("%s must be at least %d-dim, received shape: %s", name, rank, shape);
    }
    return shape;
  }

  private static List<Shape> bandRule(ShapeRule.Inputs in) {
    return List.of(checkMatrix("input", in.shape(0), 2));
  }

  private static boolean band(Rows rows) {
    Tensor lower = rows.same(1);
    Tensor upper = rows.same(2);
    if (lower == null || upper == null) {
      return false;
    }
    Shape shape = checkMatrix("input", rows.shape(0), 2);
    long height = shape.size(shape.rank() - 2);
    long width = shape.size(shape.rank() - 1);
    long below = bound("num_lower", lower, "rows", height);
    long above = bound("num_upper", upper, "columns", width);
    Object array = rows.allocate(rows.dtype(0), shape);
    Tensor input = rows.all(0);
    ElementKind kind = input.dtype().kind();
    int lines = width == 0 ? 0 : shape.elements() / (int) width;
    for (int line = 0; line < lines * rows.count(); line++) {
      long i = line % height;
      int from = (int) Math.clamp(below < 0 ? 0 : i - below, 0, width);
      int to = (int) Math.clamp(above < 0 ? width : i + above + 1, from, width);
      int at = line * (int) width + from;
      int source = (rows.varies(0) ? line : line % lines) * (int) width + from;
      kind.copy(input.array(), input.offset() + source, array, at, to - from);
    }
    rows.set(0, rows.dtype(0), shape, array);
    return true;
  }

  private static long bound(String name, Tensor bound, String what, long limit) {
    if (bound.shape().rank() != 0) {
      throw invalidArgument("%s must be scalar, got shape %s", name, bound.shape());
    }
    long value = bound.integer(0);
    if (value > limit) {
      throw invalidArgument(
          "%s must be negative or less or equal to number of %s (%d) got: %d",
          name, what, limit, value);
    }
    return value;
  }

  private static boolean matrixDiag(Rows rows) {
    Shape shape = checkMatrix("diagonal", rows.shape(0), 1);
    int n = (int) shape.size(shape.rank() - 1);
    Shape result = Shapes.concat(shape, Shape.of(n));
    int matrices = shape.sub(0, shape.rank() - 1).elements();
    spread(rows, result, matrices, n, n * n, n + 1);
    return true;
  }

  /** Lays {@code blocks} runs of {@code n} elements out, each {@code step} apart. */
  private static void spread(Rows rows, Shape result, int blocks, int n, int block, int step) {
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    new StridedMove(input.dtype().kind())
        .dimension(rows.count(), rows.stride(0), result.elements())
        .dimension(blocks, n, block)
        .dimension(n, 1, step)
        .run(input.array(), input.offset(), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
  }

  private static List<Shape> matrixDiagRule(ShapeRule.Inputs in) {
    Shape shape = checkMatrix("diagonal", in.shape(0), 1);
    return List.of(
        shape.isUnknownRank()
            ? shape
            : Shapes.concat(shape, shape.sub(shape.rank() - 1, shape.rank())));
  }

  private static boolean matrixDiagPart(Rows rows) {
    Shape shape = checkMatrix("input", rows.shape(0), 2);
    int height = (int) shape.size(shape.rank() - 2);
    int width = (int) shape.size(shape.rank() - 1);
    int n = Math.min(height, width);
    Shape outer = shape.sub(0, shape.rank() - 2);
    Shape result = Shapes.concat(outer, Shape.of(n));
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    new StridedMove(input.dtype().kind())
        .dimension(rows.count(), rows.stride(0), result.elements())
        .dimension(outer.elements(), height * width, n)
        .dimension(n, width + 1, 1)
        .run(input.array(), input.offset(), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }

  private static List<Shape> matrixDiagPartRule(ShapeRule.Inputs in) {
    Shape shape = checkMatrix("input", in.shape(0), 2);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    long a = shape.size(shape.rank() - 2);
    long b = shape.size(shape.rank() - 1);
    return List.of(
        Shapes.concat(
            shape.sub(0, shape.rank() - 2),
            Shape.of(a < 0 || b < 0 ? Shape.UNKNOWN_DIMENSION : Math.min(a, b))));
  }

  private static boolean diag(Rows rows) {
    Shape shape = rows.shape(0);
    if (shape.rank() == 0) {
      throw invalidArgument("Input must be at least rank 1, got 0");
    }
    int n = shape.elements();
    spread(rows, Shapes.concat(shape, shape), 1, n, n * n, n + 1);
    return true;
  }

  private static List<Shape> diagPartRule(ShapeRule.Inputs in) {
    Shape shape = in.shape(0);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    if (shape.rank() % 2 != 0 || shape.rank() == 0) {
      throw invalidArgument(
          "Input must have even and non-zero rank, input rank is %d", shape.rank());
    }
    int half = shape.rank() / 2;
    return List.of(Shapes.merge(shape.sub(0, half), shape.sub(half, 2 * half)));
  }

  private static boolean diagPart(Rows rows) {
    Shape shape = rows.shape(0);
    int half = shape.rank() / 2;
    if (shape.rank() % 2 != 0 || half == 0) {
      throw invalidArgument(
          "The rank of the tensor should be even and positive, got shape %s", shape);
    }
    Shape result = shape.sub(0, half);
    if (!result.equals(shape.sub(half, 2 * half))) {
      throw invalidArgument("Invalid shape %s: dimensions i and i + %d must be equal", shape, half);
    }
    int n = result.elements();
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    new StridedMove(input.dtype().kind())
        .dimension(rows.count(), rows.stride(0), n)
        .dimension(n, n + 1, 1)
        .run(input.array(), input.offset(), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }
}
