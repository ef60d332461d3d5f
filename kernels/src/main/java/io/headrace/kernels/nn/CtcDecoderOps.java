package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AttrBounds;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ops CTCGreedyDecoder and CTCBeamSearchDecoder: the sequences of labels that logits stand for,
 * the most probable class of each time step or the most probable sequences.
 */
final class CtcDecoderOps {
  private CtcDecoderOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "CTCGreedyDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: int64,"
                    + " decoded_values: int64, decoded_shape: int64, log_probability: T)")
            .attrs(
                "merge_repeated: bool = false",
                "blank_index: int = -1",
                "T: {float, double} = float")
            .shape(in -> rule(in, 1))
            .kernel(node -> call -> greedy(call, node.attrs())),
        Op.define(
                "CTCBeamSearchDecoder(inputs: T, sequence_length: int32) -> (decoded_indices:"
                    + " top_paths * int64, decoded_values: top_paths * int64, decoded_shape:"
                    + " top_paths * int64, log_probability: T)")
            .attrs(
                "beam_width: int",
                "top_paths: int",
                "merge_repeated: bool = true",
                "T: {float, double} = float")
            .shape(in -> rule(in, (int) in.attrs().integer("top_paths")))
            .kernel(node -> {
              int width = AttrBounds.int32AtLeast(1, node.attrs(), "beam_width");
              int paths = AttrBounds.int32AtLeast(1, node.attrs(), "top_paths");
              boolean mergeRepeated = node.attrs().bool("merge_repeated");
              return call -> beamSearch(call, width, paths, mergeRepeated);
            }));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in, int paths) {
    Shape inputs = Shapes.withRank(in.shape(0), 3);
    Shape lengths = Shapes.withRank(in.shape(1), 1);
    long batch = Shapes.mergeSize(inputs.size(1), lengths.size(0));
    List<Shape> shapes = new ArrayList<>();
    shapes.addAll(Collections.nCopies(paths, Shape.of(Shape.UNKNOWN_DIMENSION, 2)));
    shapes.addAll(Collections.nCopies(paths, Shape.of(Shape.UNKNOWN_DIMENSION)));
    shapes.addAll(Collections.nCopies(paths, Shape.of(2)));
    shapes.add(Shape.of(batch, paths));
    return shapes;
  }

  private static void greedy(KernelCall call, Attrs attrs) {
    Decoding decoding = new Decoding(call, 1);
    long index = attrs.integer("blank_index");
    int classes = decoding.classes;
    long blank = index < 0 ? classes + index : index;
    if (blank < 0 || blank >= classes) {
      throw invalidArgument(
          "blank_index expected to be between %d and %d but was %d", -classes, classes - 1, index);
    }
    LogArithmetic arithmetic = LogArithmetic.of(decoding.logits.dtype());
    boolean mergeRepeated = attrs.bool("merge_repeated");
    double[] line = new double[classes];
    for (int b = 0; b < decoding.batch; b++) {
      call.cancellation().check();
      int[] labels = new int[Math.max(0, decoding.steps(b))];
      int count = 0;
      int previous = -1;
      double sum = 0;
      for (int t = 0; t < labels.length; t++) {
        decoding.read(t, b, line);
        int best = 0;
        for (int c = 1; c < classes; c++) {
          best = line[c] > line[best] ? c : best;
        }
        sum = arithmetic.round(sum - line[best]);
        if (best != blank && !(mergeRepeated && best == previous)) {
          labels[count++] = best;
        }
        previous = best;
      }
      decoding.add(b, 0, Arrays.copyOf(labels, count), sum);
    }
    decoding.set();
  }

  private static void beamSearch(KernelCall call, int width, int paths, boolean mergeRepeated) {
    Decoding decoding = new Decoding(call, paths);
    LogArithmetic arithmetic = LogArithmetic.of(decoding.logits.dtype());
    double[] line = new double[decoding.classes];
    for (int b = 0; b < decoding.batch; b++) {
      CtcBeamSearch search =
          new CtcBeamSearch(arithmetic, decoding.classes, width, call.cancellation());
      for (int t = 0; t < decoding.steps(b); t++) {
        decoding.read(t, b, line);
        search.step(line);
      }
      List<CtcBeam> best = search.best(paths);
      for (int p = 0; p < paths; p++) {
        decoding.add(b, p, best.get(p).labels(mergeRepeated), best.get(p).total);
      }
    }
    decoding.set();
  }

  /** The inputs of a call, and its outputs as they are found. */
  private static final class Decoding {
    private final KernelCall call;
    private final Tensor logits;
    private final Tensor lengths;
    private final int batch;
    private final int classes;
    private final int paths;

    /** The labels of each path, sequence by sequence. */
    private final List<List<int[]>> decoded;

    private final Object scores;

    Decoding(KernelCall call, int paths) {
      this.call = call;
      this.logits = call.input(0);
      this.lengths = call.input(1);
      this.paths = paths;
      check();
      this.batch = (int) logits.shape().size(1);
      this.classes = (int) logits.shape().size(2);
      this.scores = TensorLimit.allocate(logits.dtype(), Shape.of(batch, paths));
      this.decoded =
          IntStream.range(0, paths).<List<int[]>>mapToObj(_ -> new ArrayList<>()).toList();
    }

    private void check() {
      Shape shape = logits.shape();
      if (shape.rank() != 3) {
        throw invalidArgument("inputs is not a 3-Tensor");
      }
      if (shape.elements() == 0) {
        throw invalidArgument("inputs must not be empty");
      }
      if (lengths.shape().rank() != 1) {
        throw invalidArgument("sequence_length is not a vector");
      }
      if (shape.size(1) != lengths.elements()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "len(sequence_length) != batch_size.  len(sequence_length):  %d batch_size: %d",
            lengths.elements(),
            shape.size(1));
      }
      for (int b = 0; b < lengths.elements(); b++) {
        if (steps(b) > shape.size(0)) {
          throw StatusException.of(
              StatusCode.FAILED_PRECONDITION, "sequence_length(%d) <= %d", b, shape.size(0));
        }
      }
    }

    /** The number of time steps of sequence {@code b}; negative ones are none. */
    int steps(int b) {
      return (int) lengths.integer(b);
    }

    /** Reads the logits of sequence {@code b} at time step {@code t}. */
    void read(int t, int b, double[] line) {
      int from = TensorMemory.offset(logits) + (t * batch + b) * classes;
      Object array = TensorMemory.array(logits);
      for (int c = 0; c < classes; c++) {
        line[c] = NumericElements.floating(logits.dtype(), array, from + c);
      }
    }

    /** Adds the labels of path {@code p} of sequence {@code b}, the next of that path. */
    void add(int b, int p, int[] labels, double score) {
      decoded.get(p).add(labels);
      NumericElements.setFloating(logits.dtype(), scores, b * paths + p, score);
    }

    void set() {
      for (int p = 0; p < paths; p++) {
        set(p, decoded.get(p));
      }
      call.setOutput(3 * paths, Tensor.wrap(logits.dtype(), Shape.of(batch, paths), scores));
    }

    private void set(int p, List<int[]> sequences) {
      long count = sequences.stream().mapToLong(labels -> labels.length).sum();
      Shape shape = Shape.of(count, 2);
      long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
      long[] values = (long[]) TensorLimit.allocate(DataType.INT64, Shape.of(count));
      int at = 0;
      int longest = 0;
      for (int b = 0; b < batch; b++) {
        int[] labels = sequences.get(b);
        longest = Math.max(longest, labels.length);
        for (int i = 0; i < labels.length; i++) {
          indices[2 * at] = b;
          indices[2 * at + 1] = i;
          values[at++] = labels[i];
        }
      }
      call.setOutput(p, Tensor.wrap(DataType.INT64, shape, indices));
      call.setOutput(paths + p, Tensor.wrap(DataType.INT64, Shape.of(count), values));
      call.setOutput(2 * paths + p, Tensor.vector(new long[] {batch, longest}));
    }
  }
}
