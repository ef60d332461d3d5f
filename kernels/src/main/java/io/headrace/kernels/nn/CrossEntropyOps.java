package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.util.stream.Collectors.joining;

import io.headrace.kernels.elementwise.EqualityKernel;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.stream.LongStream;

/** The softmax cross-entropy ops: losses against dense or sparse labels, with their gradients. */
final class CrossEntropyOps {
  private CrossEntropyOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T)")
            .attrs("T: floating")
            .shape(CrossEntropyOps::denseRule)
            .remark(
                SoftmaxOps.DOUBLE_PRECISION
                    + " A label of 0 adds nothing to the loss, even if its logit is infinite, where"
                    + " TensorFlow's is NaN.")
            .runsOnGpu()
            .kernel(RowKernel.of(CrossEntropyOps::dense)),
        Op.define(
                "SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels)"
                    + " -> (loss: T, backprop: T)")
            .attrs("T: floating", "Tlabels: {int32, int64} = int64")
            .shape(CrossEntropyOps::sparseRule)
            .remark(SoftmaxOps.DOUBLE_PRECISION)
            .runsOnGpu()
            .kernel(RowKernel.of(CrossEntropyOps::sparse)));
  }

  private static List<Shape> denseRule(ShapeFunction.Inputs in) {
    Shape shape = ShapeFunctions.broadcast(in.shape(0), in.shape(1));
    Shape result = Shapes.withRank(shape, 2);
    return List.of(Shape.of(result.size(0)), result);
  }

  private static boolean dense(Rows rows) {
    Shape logits = rows.shape(0);
    Shape labels = rows.shape(1);
    if (!EqualityKernel.fit(logits, labels)) {
      throw invalidArgument(
          "logits and labels must be broadcastable: logits_size=%s labels_size=%s", logits, labels);
    }
    Shape shape = ShapeFunctions.broadcast(logits, labels);
    if (shape.rank() != 2) {
      throw invalidArgument(
          "logits and labels must be either 2-dimensional, or broadcasted to be"
              + " 2-dimensional");
    }
    Losses losses = new Losses(rows, shape);
    double[] targets = new double[losses.line.length];
    for (int i = 0; i < losses.lines * rows.count(); i++) {
      rows.cancellation().check();
      read(rows.row(0, i / losses.lines), i % losses.lines, losses.line);
      read(rows.row(1, i / losses.lines), i % losses.lines, targets);
      losses.add(i, targets);
    }
    losses.set();
    return true;
  }

  /** Reads row {@code index} of a matrix, broadcast to the length of {@code line}. */
  private static void read(Tensor matrix, int index, double[] line) {
    Shape shape = matrix.shape();
    int width = shape.rank() == 0 ? 1 : (int) shape.size(shape.rank() - 1);
    int from = shape.rank() < 2 || shape.size(0) == 1 ? 0 : index * width;
    for (int i = 0; i < line.length; i++) {
      int at = TensorMemory.offset(matrix) + from + (width == 1 ? 0 : i);
      line[i] = NumericElements.floating(matrix.dtype(), TensorMemory.array(matrix), at);
    }
  }

  /** The outputs of both ops: the loss of each row of logits, and the gradients. */
  private static final class Losses {
    final int lines;
    final double[] line;
    private final Rows rows;
    private final DataType dtype;
    private final Shape shape;
    private final Object losses;
    private final Object gradients;

    Losses(Rows rows, Shape shape) {
      this.rows = rows;
      this.shape = shape;
      this.lines = (int) shape.size(0);
      this.line = new double[(int) shape.size(1)];
      this.dtype = rows.dtype(0);
      this.losses = rows.allocate(dtype, shape.sub(0, 1));
      this.gradients = rows.allocate(dtype, shape);
    }

    /** Sets the loss of {@link #line} against the class probabilities {@code targets}. */
    void add(int index, double[] targets) {
      double sum = SoftmaxOps.shiftedSum(line);
      double logOfSum = Math.log(sum);
      double loss = 0;
      for (int j = 0; j < line.length; j++) {
        // a target of 0 contributes nothing, even if the logit is infinite
        loss += targets[j] == 0 ? 0 : targets[j] * (logOfSum - line[j]);
        setGradient(index, j, Math.exp(line[j]) / sum - targets[j]);
      }
      NumericElements.setFloating(dtype, losses, index, loss);
    }

    /** Sets the loss of {@link #line} against the class {@code label}. */
    void add(int index, int label) {
      double sum = SoftmaxOps.shiftedSum(line);
      for (int j = 0; j < line.length; j++) {
        setGradient(index, j, Math.exp(line[j]) / sum - (j == label ? 1 : 0));
      }
      NumericElements.setFloating(dtype, losses, index, Math.log(sum) - line[label]);
    }

    private void setGradient(int index, int j, double gradient) {
      NumericElements.setFloating(dtype, gradients, index * line.length + j, gradient);
    }

    void set() {
      rows.set(0, dtype, shape.sub(0, 1), losses);
      rows.set(1, dtype, shape, gradients);
    }
  }

  private static List<Shape> sparseRule(ShapeFunction.Inputs in) {
    Shape features = Shapes.withRank(in.shape(0), 2);
    Shape labels = Shapes.withRank(in.shape(1), 1);
    long batch = Shapes.mergeSize(features.size(0), labels.size(0));
    return List.of(Shape.of(batch), Shape.of(batch, features.size(1)));
  }

  private static boolean sparse(Rows rows) {
    Shape shape = rows.shape(0);
    Shape labelShape = rows.shape(1);
    if (shape.rank() != 2) {
      throw invalidArgument("logits must be 2-D, but got shape %s", shape);
    }
    if (labelShape.rank() != 1) {
      throw invalidArgument("labels must be 1-D, but got shape %s", labelShape);
    }
    if (shape.size(0) != labelShape.size(0)) {
      throw invalidArgument(
          "logits and labels must have the same first dimension, got logits shape %s and labels"
              + " shape %s",
          shape, labelShape);
    }
    if (shape.size(1) <= 0) {
      throw invalidArgument("Must have at least one class, but got logits shape %s", shape);
    }
    Losses losses = new Losses(rows, shape);
    for (int i = 0; i < losses.lines * rows.count(); i++) {
      rows.cancellation().check();
      int row = i / losses.lines;
      int label = label(rows.row(1, row), i % losses.lines, losses.line.length);
      SoftmaxOps.read(rows.row(0, row), i % losses.lines * losses.line.length, losses.line);
      losses.add(i, label);
    }
    losses.set();
    return true;
  }

  private static int label(Tensor labels, int index, int classes) {
    long label = labels.integer(index);
    if (label < 0 || label >= classes) {
      throw invalidArgument(
          "Received a label value of %d which is outside the valid range of [0, %d).  Label values:"
              + " %s",
          label, classes, text(labels));
    }
    return (int) label;
  }

  private static String text(Tensor labels) {
    return LongStream.of(labels.integers()).mapToObj(Long::toString).collect(joining(" "));
  }
}
