package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Numbers;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.sparse.SparseInput;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** Probabilities in proportion to exponentials. */
final class SoftmaxOps {
  /** What differs from TensorFlow. */
  static final String WIDE = "Computed in double precision and rounded once.";

  private SoftmaxOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Softmax(logits: T) -> softmax: T")
            .attrs("T: floating")
            .shape(SoftmaxOps::rule)
            .remark(WIDE)
            .kernel(RowKernel.of(rows -> softmax(rows, false))),
        Op.define("LogSoftmax(logits: T) -> logsoftmax: T")
            .attrs("T: floating")
            .shape(SoftmaxOps::rule)
            .remark(WIDE)
            .kernel(RowKernel.of(rows -> softmax(rows, true))),
        Op.define("SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> output: T")
            .attrs("T: {half, float, double}")
            .shape(SoftmaxOps::sparseRule)
            .remark(WIDE)
            .stateless(SoftmaxOps::sparse));
  }

  private static List<Shape> rule(ShapeRule.Inputs in) {
    Shapes.checkRankAtLeast(in.shape(0), 1);
    return List.of(in.shape(0));
  }

  private static boolean softmax(Rows rows, boolean log) {
    Shape shape = rows.shape(0);
    if (shape.rank() == 0) {
      throw invalidArgument("logits must have >= 1 dimension, got %s", shape);
    }
    int width = (int) shape.size(shape.rank() - 1);
    Tensor logits = rows.all(0);
    DataType dtype = logits.dtype();
    Object array = rows.allocate(dtype, shape);
    double[] line = new double[width];
    for (int at = 0; at < logits.elements(); at += width) {
      rows.cancellation().check();
      read(logits, at, line);
      double sum = shiftedSum(line);
      double logOfSum = Math.log(sum);
      for (int i = 0; i < width; i++) {
        double value = log ? line[i] - logOfSum : Math.exp(line[i]) / sum;
        Numbers.setFloating(dtype, array, at + i, value);
      }
    }
    rows.set(0, Tensor.of(dtype, logits.shape(), array));
    return true;
  }

  /** Reads the elements from {@code at} on. */
  static void read(Tensor tensor, int at, double[] line) {
    for (int i = 0; i < line.length; i++) {
      line[i] = Numbers.floating(tensor.dtype(), tensor.array(), tensor.offset() + at + i);
    }
  }

  /** Takes the largest number from each, and gives the sum of their exponentials. */
  static double shiftedSum(double[] line) {
    double largest = Double.NEGATIVE_INFINITY;
    for (double x : line) {
      largest = Math.max(largest, x);
    }
    double sum = 0;
    for (int i = 0; i < line.length; i++) {
      line[i] -= largest;
      sum += Math.exp(line[i]);
    }
    return sum;
  }

  private static List<Shape> sparseRule(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(2), 1);
    return List.of(Shapes.withRank(in.shape(1), 1));
  }

  /** Over each line of the last dimension; values come in the order of their indices. */
  private static void sparse(KernelCall call) {
    checkSparse(call.input(0).shape(), call.input(1).shape(), call.input(2).shape());
    SparseInput sparse = SparseInput.of(call, 0);
    int[] order = sparse.order();
    DataType dtype = sparse.values().dtype();
    Object array = TensorLimit.allocate(dtype, Shape.of(order.length));
    Tensor values = sparse.pickValues(order);
    int end = 0;
    for (int from = 0; from < order.length; from = end) {
      call.cancellation().check();
      end = from + 1;
      while (end < order.length && isOneLine(sparse, order[from], order[end])) {
        end++;
      }
      double[] line = new double[end - from];
      read(values, from, line);
      double sum = shiftedSum(line);
      for (int i = 0; i < line.length; i++) {
        Numbers.setFloating(dtype, array, from + i, Math.exp(line[i]) / sum);
      }
    }
    call.setOutput(0, Tensor.of(dtype, Shape.of(order.length), array));
  }

  private static void checkSparse(Shape indices, Shape values, Shape shape) {
    if (indices.rank() != 2) {
      throw invalidArgument("Input sp_indices should be a matrix but received shape: %s", indices);
    }
    if (values.rank() != 1 || shape.rank() != 1) {
      throw invalidArgument(
          "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s",
          values, shape);
    }
    if (shape.size(0) < 2) {
      throw invalidArgument(
          "Input should have rank >= 2, but received shape of %d dimensions", shape.size(0));
    }
  }

  private static boolean isOneLine(SparseInput sparse, int a, int b) {
    for (int axis = 0; axis < sparse.rank() - 1; axis++) {
      if (sparse.index(a, axis) != sparse.index(b, axis)) {
        return false;
      }
    }
    return true;
  }
}
