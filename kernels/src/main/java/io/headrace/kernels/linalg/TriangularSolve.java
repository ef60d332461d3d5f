package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Solutions of systems of equations with triangular matrices, whose batches broadcast. */
final class TriangularSolve {
  /** The element at row and column of a triangular matrix. */
  @FunctionalInterface
  interface Elements {
    /** The element of {@code matrix}, within its bands. */
    double at(double[] matrix, int row, int column);
  }

  private final boolean lower;
  private final boolean adjoint;
  private final int bands;
  private final Elements elements;

  /**
   * Creates a solver.
   *
   * @param bands the number of diagonals with elements, from the main one on
   */
  TriangularSolve(boolean lower, boolean adjoint, int bands, Elements elements) {
    this.lower = lower;
    this.adjoint = adjoint;
    this.bands = bands;
    this.elements = elements;
  }

  /**
   * The shape rule: a batch of {@code matrix}, whose last dimension is the order, and right sides.
   */
  static List<Shape> rule(ShapeFunction.Inputs in, Shape matrix) {
    Shape right = in.shape(1);
    Shapes.checkRankAtLeast(right, 2);
    if (matrix.isUnknownRank() || right.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    long n = Shapes.mergeSize(matrix.size(matrix.rank() - 1), right.size(right.rank() - 2));
    Shape batch = ShapeFunctions.broadcast(MatrixShapes.batch(matrix), MatrixShapes.batch(right));
    return List.of(Shapes.concat(batch, Shape.of(n, right.size(right.rank() - 1))));
  }

  /** Sets the output for matrices of order {@code n} with {@code size} elements each. */
  void run(KernelCall call, int n, int size) {
    Tensor matrix = call.input(0);
    Tensor right = call.input(1);
    int columns = (int) right.shape().size(right.shape().rank() - 1);
    List<Shape> batches =
        List.of(MatrixShapes.batch(matrix.shape()), MatrixShapes.batch(right.shape()));
    Shape batch = ShapeFunctions.broadcast(batches.get(0), batches.get(1));
    Shape shape = Shapes.concat(batch, Shape.of(n, columns));
    DataType dtype = matrix.dtype();
    Object result = TensorLimit.allocate(dtype, shape);
    if (shape.elements() > 0) {
      BroadcastPlan plan = BroadcastPlan.ofRows(batches, 0);
      int[] left = plan.indices(0);
      int[] rightAt = plan.indices(1);
      for (int i = 0; i < plan.elements(); i++) {
        double[] triangle = new double[size];
        ComplexParts.readReal(
            TensorMemory.array(matrix),
            TensorMemory.offset(matrix) + left[i] * size,
            triangle,
            size);
        double[] x = new double[n * columns];
        ComplexParts.readReal(
            TensorMemory.array(right),
            TensorMemory.offset(right) + rightAt[i] * x.length,
            x,
            x.length);
        solve(n, triangle, x, columns, call.cancellation());
        for (int k = 0; k < x.length; k++) {
          NumericElements.setFloating(dtype, result, i * x.length + k, x[k]);
        }
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, result));
  }

  private void solve(int n, double[] triangle, double[] x, int columns, Cancellation stop) {
    boolean forward = lower != adjoint;
    for (int step = 0; step < n; step++) {
      stop.check();
      int i = forward ? step : n - 1 - step;
      int from = forward ? Math.max(0, i - bands + 1) : i + 1;
      int to = forward ? i : (int) Math.min(n, (long) i + bands);
      for (int k = from; k < to; k++) {
        double factor = adjoint ? elements.at(triangle, k, i) : elements.at(triangle, i, k);
        for (int j = 0; j < columns; j++) {
          x[i * columns + j] -= factor * x[k * columns + j];
        }
      }
      double diagonal = elements.at(triangle, i, i);
      for (int j = 0; j < columns; j++) {
        x[i * columns + j] /= diagonal;
      }
    }
  }
}
