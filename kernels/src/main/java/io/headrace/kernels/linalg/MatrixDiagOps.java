package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The ops MatrixDiag and MatrixDiagPart: batches of matrices and their main diagonals. */
final class MatrixDiagOps {
  private MatrixDiagOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixDiag(diagonal: T) -> output: T")
            .attrs("T: fixedwidth")
            .shape(MatrixDiagOps::matrixDiagRule)
            .kernel(RowKernel.of(MatrixDiagOps::matrixDiag)),
        Op.define("MatrixDiagPart(input: T) -> diagonal: T")
            .attrs("T: fixedwidth")
            .shape(MatrixDiagOps::matrixDiagPartRule)
            .kernel(RowKernel.of(MatrixDiagOps::matrixDiagPart)));
  }

  private static boolean matrixDiag(Rows rows) {
    Shape shape = MatrixShapes.checkRankAtLeast("diagonal", rows.shape(0), 1);
    int n = (int) shape.size(shape.rank() - 1);
    Shape result = Shapes.concat(shape, Shape.of(n));
    int matrices = shape.sub(0, shape.rank() - 1).elements();
    spread(rows, result, matrices, n, n * n, n + 1);
    return true;
  }

  /**
   * Sets output 0 to {@code result}, zeros but for {@code blocks} runs of {@code n} elements of the
   * input: runs begin {@code block} elements apart, the elements of a run lie {@code step} apart.
   */
  static void spread(Rows rows, Shape result, int blocks, int n, int block, int step) {
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    new StridedMove(input.dtype().kind())
        .dimension(rows.count(), rows.stride(0), result.elements())
        .dimension(blocks, n, block)
        .dimension(n, 1, step)
        .run(TensorMemory.array(input), TensorMemory.offset(input), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
  }

  private static List<Shape> matrixDiagRule(ShapeFunction.Inputs in) {
    Shape shape = MatrixShapes.checkRankAtLeast("diagonal", in.shape(0), 1);
    return List.of(
        shape.isUnknownRank()
            ? shape
            : Shapes.concat(shape, shape.sub(shape.rank() - 1, shape.rank())));
  }

  private static boolean matrixDiagPart(Rows rows) {
    Shape shape = MatrixShapes.checkRankAtLeast("input", rows.shape(0), 2);
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
        .run(TensorMemory.array(input), TensorMemory.offset(input), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }

  private static List<Shape> matrixDiagPartRule(ShapeFunction.Inputs in) {
    Shape shape = MatrixShapes.checkRankAtLeast("input", in.shape(0), 2);
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
}
