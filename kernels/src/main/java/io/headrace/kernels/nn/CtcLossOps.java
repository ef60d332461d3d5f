package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.util.stream.Collectors.joining;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.sparse.SparseTensor;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The CTCLoss op: for each sequence of a batch, the loss of logits against a sequence of labels,
 * and its gradient. The last class is the blank.
 */
final class CtcLossOps {
  private CtcLossOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "CTCLoss(inputs: T, labels_indices: int64, labels_values: int32,"
                    + " sequence_length: int32) -> (loss: T, gradient: T)")
            .attrs(
                "preprocess_collapse_repeated: bool = false",
                "ctc_merge_repeated: bool = true",
                "ignore_longer_outputs_than_inputs: bool = false",
                "T: {float, double} = float")
            .shape(CtcLossOps::rule)
            .remark(
                "Gradients of float are within 2e-5 of TensorFlow's, which adds logarithms as"
                    + " floats. Logits without classes, and indices that overflow the size of a"
                    + " tensor, end TensorFlow's process and are INVALID_ARGUMENT here.")
            .kernel(node -> call -> new Batch(call, node.attrs()).run()));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape inputs = Shapes.withRank(in.shape(0), 3);
    Shape indices = Shapes.withRank(in.shape(1), 2);
    Shape values = Shapes.withRank(in.shape(2), 1);
    Shape lengths = Shapes.withRank(in.shape(3), 1);
    Shapes.mergeSize(indices.size(0), values.size(0));
    long batch = Shapes.mergeSize(inputs.size(1), lengths.size(0));
    return List.of(Shape.of(batch), Shapes.withSize(inputs, 1, batch));
  }

  /** The sequences of one call. */
  private static final class Batch {
    private final KernelCall call;
    private final boolean collapseRepeated;
    private final boolean mergeRepeated;
    private final boolean ignoreLongerOutputs;
    private final Tensor logits;
    private final Tensor indices;
    private final Tensor values;
    private final Tensor lengths;

    Batch(KernelCall call, Attrs attrs) {
      this.call = call;
      this.collapseRepeated = attrs.bool("preprocess_collapse_repeated");
      this.mergeRepeated = attrs.bool("ctc_merge_repeated");
      this.ignoreLongerOutputs = attrs.bool("ignore_longer_outputs_than_inputs");
      this.logits = call.input(0);
      this.indices = call.input(1);
      this.values = call.input(2);
      this.lengths = call.input(3);
    }

    void run() {
      checkShapes();
      Shape shape = logits.shape();
      int batch = (int) shape.size(1);
      int classes = (int) shape.size(2);
      int[][] labels = labels(batch);
      int[] steps = steps(batch);
      int[][] targets = new int[batch][];
      for (int b = 0; b < batch; b++) {
        targets[b] = target(b, labels[b], classes, steps[b]);
      }
      DataType dtype = logits.dtype();
      Object losses = TensorLimit.allocate(dtype, Shape.of(batch));
      Object gradients = TensorLimit.allocate(dtype, shape);
      for (int b = 0; b < batch; b++) {
        if (steps[b] == 0 || (ignoreLongerOutputs && labels[b].length > steps[b])) {
          continue;
        }
        CtcAlignment alignment =
            new CtcAlignment(
                LogArithmetic.of(dtype),
                targets[b],
                steps[b],
                classes,
                mergeRepeated,
                call.cancellation());
        read(alignment, b, steps[b]);
        NumericElements.setFloating(dtype, losses, b, alignment.loss());
        double[] gradient = alignment.gradient();
        for (int t = 0; t < steps[b]; t++) {
          for (int c = 0; c < classes; c++) {
            NumericElements.setFloating(
                dtype, gradients, (t * batch + b) * classes + c, gradient[t * classes + c]);
          }
        }
      }
      call.setOutput(0, Tensor.wrap(dtype, Shape.of(batch), losses));
      call.setOutput(1, Tensor.wrap(dtype, shape, gradients));
    }

    private void read(CtcAlignment alignment, int b, int steps) {
      int batch = (int) logits.shape().size(1);
      double[] line = new double[(int) logits.shape().size(2)];
      for (int t = 0; t < steps; t++) {
        int from = TensorMemory.offset(logits) + (t * batch + b) * line.length;
        for (int c = 0; c < line.length; c++) {
          line[c] = NumericElements.floating(logits.dtype(), TensorMemory.array(logits), from + c);
        }
        alignment.setLogits(t, line);
      }
    }

    private void checkShapes() {
      checkRank(logits, 3, "inputs is not a 3-Tensor");
      checkRank(lengths, 1, "sequence_length is not a vector");
      checkRank(indices, 2, "labels_indices is not a matrix");
      checkRank(values, 1, "labels_values is not a vector");
      if (indices.shape().size(1) <= 1) {
        throw invalidArgument(
            "labels_indices second dimension must be >= 1. Received %d", indices.shape().size(1));
      }
      if (logits.shape().size(0) == 0) {
        throw invalidArgument("Max time or first dimension of input cannot be 0.");
      }
      long batch = logits.shape().size(1);
      if (batch != lengths.elements()) {
        throw invalidArgument(
            "len(sequence_length) != batch_size.  len(sequence_length):  %d batch_size: %d",
            lengths.elements(), batch);
      }
      if (indices.shape().size(0) != values.elements()) {
        throw invalidArgument(
            "labels_indices and labels_values must contain the same number of rows, but saw shapes:"
                + " %s vs. %s",
            indices.shape(), values.shape());
      }
      if (batch == 0) {
        throw invalidArgument("batch_size must not be 0");
      }
      if (indices.shape().size(1) != 2) {
        throw invalidArgument("Order length must be SparseTensor rank.");
      }
      if (logits.shape().size(2) == 0) {
        throw invalidArgument("inputs must have a class for the blank, and have none");
      }
    }

    private static void checkRank(Tensor tensor, int rank, String message) {
      if (tensor.shape().rank() != rank) {
        throw invalidArgument("%s", message);
      }
    }

    /** The labels of each sequence, as given. */
    private int[][] labels(int batch) {
      long longest = 0;
      for (int i = 0; i < values.elements(); i++) {
        longest = Math.max(longest, indices.integer(2 * i + 1) + 1);
      }
      if (Shapes.multiply(batch, longest) < 0) {
        throw invalidArgument(
            "Encountered overflow when multiplying %d with %d, result: -1", batch, longest);
      }
      SparseTensor sparse =
          new SparseTensor(indices.compact(), values, Tensor.vector(new long[] {batch, longest}));
      try {
        sparse.checkOrdered();
      } catch (StatusException e) {
        throw new StatusException(
            e.code(), "label SparseTensor is not valid: " + e.getMessage(), e);
      }
      int[][] labels = new int[batch][];
      int to = 0;
      for (int b = 0; b < batch; b++) {
        int from = to;
        while (to < values.elements() && sparse.index(to, 0) == b) {
          to++;
        }
        labels[b] = IntStream.range(from, to).map(i -> (int) values.integer(i)).toArray();
      }
      return labels;
    }

    /** The number of time steps of each sequence. */
    private int[] steps(int batch) {
      long most = logits.shape().size(0);
      int[] steps = new int[batch];
      for (int b = 0; b < batch; b++) {
        steps[b] = (int) lengths.integer(b);
        if (steps[b] > most) {
          throw invalidArgument("sequence_length(%d) <= %d", b, most);
        }
      }
      for (int b = 0; b < batch; b++) {
        if (steps[b] < 0) {
          throw invalidArgument("seq_len(%d) < 0", b);
        }
      }
      return steps;
    }

    /** The labels of sequence {@code b} that are aligned with its logits: those before blanks. */
    private int[] target(int b, int[] labels, int classes, int steps) {
      if (labels.length == 0) {
        throw invalidArgument("Labels length is zero in batch %d", b);
      }
      int[] target = new int[labels.length];
      int count = 0;
      boolean isOver = false;
      for (int i = 0; i < labels.length; i++) {
        if (collapseRepeated && i > 0 && labels[i] == labels[i - 1]) {
          continue;
        }
        if (labels[i] >= classes - 1) {
          isOver = true;
        } else if (isOver) {
          throw invalidArgument(
              "Saw a non-null label (index >= num_classes - 1) following a null label, batch: %d"
                  + " num_classes: %d labels: %s labels seen so far: %s",
              b, classes, text(labels), text(Arrays.copyOf(target, count)));
        } else {
          target[count++] = labels[i];
        }
      }
      int[] kept = Arrays.copyOf(target, count);
      for (int label : kept) {
        if (label < 0) {
          throw invalidArgument(
              "All labels must be nonnegative integers, batch: %d labels: %s", b, text(kept));
        }
      }
      if (!ignoreLongerOutputs && labels.length > steps) {
        throw invalidArgument(
            "Not enough time for target transition sequence (required: %d, available: %d)%dYou can"
                + " turn this error into a warning by using the flag"
                + " ignore_longer_outputs_than_inputs",
            labels.length, steps, b);
      }
      return kept;
    }

    private static String text(int[] labels) {
      return IntStream.of(labels).mapToObj(Integer::toString).collect(joining(","));
    }
  }
}
