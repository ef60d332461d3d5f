package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorEquality;
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
import java.util.List;

/**
 * The EditDistance op: the Levenshtein distance between the sequences, along the last dimension, of
 * two sparse tensors in row-major order.
 */
final class EditDistanceOps {
  private EditDistanceOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "EditDistance(hypothesis_indices: int64, hypothesis_values: T,"
                    + " hypothesis_shape: int64, truth_indices: int64, truth_values: T,"
                    + " truth_shape: int64) -> output: float")
            .attrs("normalize: bool = true", "T: {fixedwidth, string}")
            .shape(EditDistanceOps::rule)
            .kernel(node -> {
              boolean normalize = node.attrs().bool("normalize");
              return call -> new Distances(call, normalize).run();
            }));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(3), 2);
    Tensor hypothesis = in.constant(2);
    Tensor truth = in.constant(5);
    if (hypothesis == null || truth == null) {
      return List.of(Shape.UNKNOWN);
    }
    if (hypothesis.elements() != truth.elements()) {
      throw invalidArgument(
          "Num elements of hypothesis_shape does not match truth_shape: %d vs. %d",
          hypothesis.elements(), truth.elements());
    }
    return List.of(Shape.of(batch(hypothesis.integers(), truth.integers())));
  }

  /** The larger size of each dimension but the last. */
  private static long[] batch(long[] hypothesis, long[] truth) {
    long[] sizes = new long[Math.max(0, truth.length - 1)];
    for (int axis = 0; axis < sizes.length; axis++) {
      sizes[axis] = Math.max(hypothesis[axis], truth[axis]);
    }
    return sizes;
  }

  private static final class Distances {
    private final KernelCall call;
    private final boolean normalize;
    private final SparseTensor hypothesis;
    private final SparseTensor truth;
    private final Shape shape;
    private final float[] distances;

    Distances(KernelCall call, boolean normalize) {
      this.call = call;
      this.normalize = normalize;
      this.hypothesis = new SparseTensor(call.input(0), call.input(1), call.input(2));
      this.truth = new SparseTensor(call.input(3), call.input(4), call.input(5));
      check();
      hypothesis.checkSize();
      truth.checkSize();
      this.shape = Shape.of(batch(hypothesis.shape().integers(), truth.shape().integers()));
      if (shape.elements() == 0) {
        throw invalidArgument("Got output shape %s which has 0 elements", shape);
      }
      this.distances = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
    }

    private void check() {
      checkRank("hypothesis_indices", "matrix", hypothesis.indices(), 2);
      checkRank("truth_indices", "matrix", truth.indices(), 2);
      checkRank("hypothesis_values", "vector", hypothesis.values(), 1);
      checkRank("truth_values", "vector", truth.values(), 1);
      checkRank("hypothesis_shape", "vector", hypothesis.shape(), 1);
      checkRank("truth_shape", "vector", truth.shape(), 1);
      checkColumns("hypothesis", hypothesis);
      if (truth.rank() < 2) {
        throw invalidArgument(
            "Input SparseTensors must have rank at least 2, but truth_shape rank is: %d",
            truth.rank());
      }
      checkColumns("truth", truth);
      checkValues("hypothesis", hypothesis);
      checkValues("truth", truth);
      if (truth.rank() != hypothesis.rank()) {
        throw invalidArgument(
            "Expected truth and hypothesis to have matching ranks, but their shapes are: %s and %s",
            truth.shape().shape(), hypothesis.shape().shape());
      }
    }

    private static void checkRank(String name, String kind, Tensor tensor, int rank) {
      if (tensor.shape().rank() != rank) {
        throw invalidArgument("%s should be a %s, but got shape: %s", name, kind, tensor.shape());
      }
    }

    private static void checkColumns(String name, SparseTensor sparse) {
      if (sparse.rank() != sparse.indices().shape().size(1)) {
        throw invalidArgument(
            "Expected %s_shape.NumElements == #cols(%s_indices), their shapes are: %s and %s",
            name, name, sparse.shape().shape(), sparse.indices().shape());
      }
    }

    private static void checkValues(String name, SparseTensor sparse) {
      if (sparse.count() != sparse.indices().shape().size(0)) {
        throw invalidArgument(
            "Expected %s_values.NumElements == #rows(%s_indices), their shapes are: %s and %s",
            name, name, sparse.values().shape(), sparse.indices().shape());
      }
    }

    void run() {
      int h = 0;
      int t = 0;
      while (h < hypothesis.count() || t < truth.count()) {
        call.cancellation().check();
        int order = h == hypothesis.count() ? -1 : t == truth.count() ? 1 : compare(t, h);
        int hEnd = order >= 0 ? end(hypothesis, h) : h;
        int tEnd = order <= 0 ? end(truth, t) : t;
        int at = order <= 0 ? offset(truth, t) : offset(hypothesis, h);
        distances[at] = distance(h, hEnd, t, tEnd);
        h = hEnd;
        t = tEnd;
      }
      call.setOutput(0, Tensor.wrap(DataType.FLOAT32, shape, distances));
    }

    private float distance(int h, int hEnd, int t, int tEnd) {
      if (h == hEnd) {
        return normalize ? 1 : tEnd - t;
      }
      if (t == tEnd) {
        return normalize ? Float.POSITIVE_INFINITY : hEnd - h;
      }
      float edits = levenshtein(h, hEnd, t, tEnd);
      return normalize ? edits / (tEnd - t) : edits;
    }

    /** Compares the sequence of truth's value {@code t} with that of hypothesis's {@code h}. */
    private int compare(int t, int h) {
      for (int axis = 0; axis < truth.rank() - 1; axis++) {
        int order = Long.compare(truth.index(t, axis), hypothesis.index(h, axis));
        if (order != 0) {
          return order;
        }
      }
      return 0;
    }

    /** The end of the sequence that begins at value {@code from}. */
    private int end(SparseTensor sparse, int from) {
      int to = from + 1;
      while (to < sparse.count() && isSame(sparse, from, to)) {
        to++;
      }
      return to;
    }

    private static boolean isSame(SparseTensor sparse, int a, int b) {
      for (int axis = 0; axis < sparse.rank() - 1; axis++) {
        if (sparse.index(a, axis) != sparse.index(b, axis)) {
          return false;
        }
      }
      return true;
    }

    private int offset(SparseTensor sparse, int i) {
      long at = 0;
      for (int axis = 0; axis < shape.rank(); axis++) {
        at = at * shape.size(axis) + sparse.index(i, axis);
      }
      if (at < 0 || at >= distances.length) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "Got an inner product %d which would require writing to outside of the buffer for the"
                + " output tensor (max elements %d)",
            at,
            distances.length);
      }
      return (int) at;
    }

    private int levenshtein(int h, int hEnd, int t, int tEnd) {
      int[] row = new int[hEnd - h + 1];
      for (int j = 0; j < row.length; j++) {
        row[j] = j;
      }
      for (int i = t; i < tEnd; i++) {
        call.cancellation().check();
        int diagonal = row[0]++;
        for (int j = 1; j < row.length; j++) {
          int substituted = diagonal + (isEqual(i, h + j - 1) ? 0 : 1);
          diagonal = row[j];
          row[j] = Math.min(substituted, 1 + Math.min(diagonal, row[j - 1]));
        }
      }
      return row[row.length - 1];
    }

    private boolean isEqual(int t, int h) {
      DataType dtype = truth.values().dtype();
      if (dtype.isFloating() || dtype.isComplex()) {
        return isEqualNumber(dtype, t, h);
      }
      return TensorEquality.equal(truth.values().row(t), hypothesis.values().row(h));
    }

    /** As numbers, -0 equals 0, and NaN nothing. */
    private boolean isEqualNumber(DataType dtype, int t, int h) {
      int parts = dtype.isComplex() ? 2 : 1;
      Object truths = TensorMemory.array(truth.values());
      Object hypotheses = TensorMemory.array(hypothesis.values());
      int truthAt = (TensorMemory.offset(truth.values()) + t) * parts;
      int hypothesisAt = (TensorMemory.offset(hypothesis.values()) + h) * parts;
      for (int part = 0; part < parts; part++) {
        double a = NumericElements.real(dtype.partType(), truths, truthAt + part);
        if (a != NumericElements.real(dtype.partType(), hypotheses, hypothesisAt + part)) {
          return false;
        }
      }
      return true;
    }
  }
}
