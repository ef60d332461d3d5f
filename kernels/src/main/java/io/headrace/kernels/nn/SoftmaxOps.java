package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The ops Softmax and LogSoftmax, and the arithmetic that other softmax ops share. */
final class SoftmaxOps {
  /** The remark on how results differ from TensorFlow's. */
  static final String DOUBLE_PRECISION = "Computed in double precision and rounded once.";

  private SoftmaxOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Softmax(logits: T) -> softmax: T")
            .attrs("T: floating")
            .shape(SoftmaxOps::rule)
            .remark(DOUBLE_PRECISION)
            .runsOnGpu()
            .kernel(RowKernel.of(rows -> softmax(rows, false))),
        Op.define("LogSoftmax(logits: T) -> logsoftmax: T")
            .attrs("T: floating")
            .shape(SoftmaxOps::rule)
            .remark(DOUBLE_PRECISION)
            .runsOnGpu()
            .kernel(RowKernel.of(rows -> softmax(rows, true))));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
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
        NumericElements.setFloating(dtype, array, at + i, value);
      }
    }
    rows.set(0, Tensor.wrap(dtype, logits.shape(), array));
    return true;
  }

  /** Reads elements into {@code line}, from element {@code at} of {@code tensor} on. */
  static void read(Tensor tensor, int at, double[] line) {
    for (int i = 0; i < line.length; i++) {
      line[i] =
          NumericElements.floating(
              tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + at + i);
    }
  }

  /** Subtracts the largest element from all, and returns the sum of their exponentials. */
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
}
