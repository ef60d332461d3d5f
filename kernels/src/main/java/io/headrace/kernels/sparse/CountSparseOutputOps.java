package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AttrBounds;
import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * DenseCountSparseOutput, SparseCountSparseOutput and RaggedCountSparseOutput: histograms of rows,
 * as sparse tensors.
 */
final class CountSparseOutputOps {
  private static final String OUTPUTS =
      " -> (output_indices: int64, output_values: output_type, output_dense_shape: int64)";

  private static final String[] ATTRS = {
    "T: {int32, int64}",
    "minlength: int = -1",
    "maxlength: int = -1",
    "binary_output: bool",
    "output_type: {int32, int64, float, double}"
  };

  private CountSparseOutputOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DenseCountSparseOutput(values: T, weights: output_type)" + OUTPUTS)
            .attrs(ATTRS)
            .shape(in -> {
              Shapes.checkRankAtLeast(in.shape(0), 1);
              Shapes.checkRankAtMost(in.shape(0), 2);
              return shapes(in.shape(0).rank());
            })
            .kernel(node -> kernel(node.attrs(), CountSparseOutputOps::dense)),
        Op.define(
                "SparseCountSparseOutput(indices: int64, values: T, dense_shape: int64, weights:"
                    + " output_type)"
                    + OUTPUTS)
            .attrs(ATTRS)
            .shape(CountSparseOutputOps::sparseRule)
            .kernel(node -> kernel(node.attrs(), CountSparseOutputOps::sparse)),
        Op.define(
                "RaggedCountSparseOutput(splits: int64, values: T, weights: output_type)" + OUTPUTS)
            .attrs(ATTRS)
            .shape(in -> {
              int rank = in.shape(1).rank();
              return shapes(rank < 0 ? rank : rank + 1);
            })
            .kernel(node -> kernel(node.attrs(), CountSparseOutputOps::ragged)));
  }

  private static List<Shape> sparseRule(ShapeFunction.Inputs in) {
    Shape indices = Shapes.withRank(in.shape(0), 2);
    return shapes((int) indices.size(1));
  }

  /** The output shapes for an input of {@code rank}; -1 if unknown. */
  private static List<Shape> shapes(int rank) {
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION, rank), Shapes.ofRank(1), Shape.of(rank));
  }

  /** Adds the values of one call to {@code histogram}. */
  @FunctionalInterface
  private interface Body {
    void count(KernelCall call, Histogram histogram);
  }

  private static Kernel.Sync kernel(Attrs attrs, Body body) {
    long minimum = AttrBounds.atLeast(-1, attrs, "minlength");
    long maximum = AttrBounds.atLeast(-1, attrs, "maxlength");
    boolean binary = attrs.bool("binary_output");
    DataType dtype = attrs.type("output_type");
    return call -> {
      Histogram histogram = new Histogram(dtype, minimum, maximum, binary);
      body.count(call, histogram);
      histogram.set(call);
    };
  }

  private static void checkValues(Tensor values) {
    for (int i = 0; i < values.elements(); i++) {
      if (values.integer(i) < 0) {
        throw invalidArgument("Input values must all be non-negative");
      }
    }
  }

  private static void dense(KernelCall call, Histogram histogram) {
    Tensor values = call.input(0);
    Tensor weights = call.input(1);
    int rank = values.shape().rank();
    if (rank != 1 && rank != 2) {
      throw invalidArgument("Input must be a 1 or 2-dimensional tensor. Got: %s", values.shape());
    }
    checkValues(values);
    if (weights.elements() > 0 && !weights.shape().equals(values.shape())) {
      throw invalidArgument(
          "Weights and data must have the same shape. Weight shape: %s; data shape: %s",
          weights.shape(), values.shape());
    }
    int rows = rank == 1 ? 1 : (int) values.shape().size(0);
    if (rows == 0) {
      throw invalidArgument("Invalid input: Shapes dimension cannot be 0.");
    }
    histogram.rows(rows, rank == 1);
    int width = values.elements() / rows;
    for (int i = 0; i < values.elements(); i++) {
      histogram.add(i / width, values.integer(i), weights, i);
    }
  }

  private static void sparse(KernelCall call, Histogram histogram) {
    SparseTensor input = new SparseTensor(call.input(0), call.input(1), call.input(2));
    Tensor weights = call.input(3);
    checkSparse(input, weights);
    boolean vector = input.rank() == 1;
    long rows = vector ? 1 : input.size(0);
    if (rows <= 0 || rows >= Integer.MAX_VALUE) {
      throw invalidArgument("Cannot allocate %d batches, is the dense shape too wide?", rows);
    }
    histogram.rows((int) rows, vector);
    for (int i = 0; i < input.count(); i++) {
      int row = vector ? 0 : (int) input.index(i, 0);
      histogram.add(row, input.values().integer(i), weights, i);
    }
  }

  private static void checkSparse(SparseTensor input, Tensor weights) {
    Shape indices = input.indices().shape();
    if (indices.rank() != 2) {
      throw invalidArgument("Input indices must be a 2-dimensional tensor. Got: %s", indices);
    }
    if (input.values().shape().rank() != 1) {
      throw invalidArgument("Input values must be a vector. Got: %s", input.values().shape());
    }
    if (input.shape().shape().rank() != 1) {
      throw invalidArgument("Input shape must be a vector. Got: %s", input.shape().shape());
    }
    if (input.count() != indices.size(0)) {
      throw invalidArgument(
          "Number of values must match first dimension of indices.Got %d values, indices shape: %s",
          input.count(), indices);
    }
    if (input.rank() != indices.size(1)) {
      throw invalidArgument(
          "Number of dimensions must match second dimension of indices.Got %d dimensions, indices"
              + " shape: %s",
          input.rank(), indices);
    }
    if (input.rank() == 0) {
      throw invalidArgument("The shape argument requires at least one element.");
    }
    for (int i = 0; i < input.count(); i++) {
      for (int axis = 0; axis < input.rank(); axis++) {
        long index = input.index(i, axis);
        if (index < 0 || index >= input.size(axis)) {
          throw invalidArgument(
              "Invalid index value at %d: dimension %d has value %d which is not in [0, %d)",
              i, axis, index, input.size(axis));
        }
      }
    }
    checkValues(input.values());
    if (weights.elements() > 0 && !weights.shape().equals(input.values().shape())) {
      throw invalidArgument(
          "Weights and values must have the same shape. Weight shape: %s; values shape: %s",
          weights.shape(), input.values().shape());
    }
  }

  private static void ragged(KernelCall call, Histogram histogram) {
    Tensor splits = call.input(0);
    Tensor values = call.input(1);
    Tensor weights = call.input(2);
    if (weights.elements() > 0 && !weights.shape().equals(values.shape())) {
      throw invalidArgument(
          "Weights and values must have the same shape. Weight shape: %s; values shape: %s",
          weights.shape(), values.shape());
    }
    int rows = splits.elements() - 1;
    if (rows < 1) {
      throw invalidArgument("Must provide at least 2 elements for the splits argument");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("Splits must start with 0, not with %d", splits.integer(0));
    }
    if (splits.integer(rows) != values.elements()) {
      throw invalidArgument(
          "Splits must end with the number of values, got %d instead of %d",
          splits.integer(rows), values.elements());
    }
    checkValues(values);
    histogram.rows(rows, false);
    int row = 0;
    for (int i = 0; i < values.elements(); i++) {
      // The last split is the number of values, so that the search for the row ends.
      while (i >= splits.integer(row)) {
        row++;
      }
      histogram.add(row - 1, values.integer(i), weights, i);
    }
  }

  /** The counts, or sums of weights, of the values of each row. */
  private static final class Histogram {
    private final DataType dtype;
    private final long minimum;
    private final long maximum;
    private final boolean binary;
    private final Map<Integer, Map<Long, Object>> counts = new TreeMap<>();
    private final Object one;
    private int rows;
    private boolean vector;
    private int total;
    private long largest;

    Histogram(DataType dtype, long minimum, long maximum, boolean binary) {
      this.dtype = dtype;
      this.minimum = minimum;
      this.maximum = maximum;
      this.binary = binary;
      this.one = dtype.kind().newArray(1);
      if (dtype.isFloating()) {
        NumericElements.setFloating(dtype, one, 0, 1);
      } else {
        NumericElements.setInteger(one, 0, 1);
      }
    }

    void rows(int count, boolean isVector) {
      this.rows = count;
      this.vector = isVector;
    }

    void add(int row, long value, Tensor weights, int i) {
      if (maximum >= 0 && value >= maximum) {
        return;
      }
      if (value == Long.MAX_VALUE) {
        throw invalidArgument("a counted value must be below 2^63 - 1, and is %d", value);
      }
      largest = Math.max(largest, value);
      Object cell =
          counts
              .computeIfAbsent(row, _ -> new HashMap<>())
              .computeIfAbsent(value, _ -> dtype.kind().newArray(1));
      if (binary) {
        Combiner.UPDATE.into(dtype, cell, 0, one, 0, 1);
      } else if (weights.elements() > 0) {
        Combiner.ADD.into(
            dtype, cell, 0, TensorMemory.array(weights), TensorMemory.offset(weights) + i, 1);
      } else {
        Combiner.ADD.into(dtype, cell, 0, one, 0, 1);
      }
    }

    void set(KernelCall call) {
      counts.values().forEach(row -> total += row.size());
      int width = vector ? 1 : 2;
      Shape indexShape = Shape.of(total, width);
      long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, indexShape);
      Object values = TensorLimit.allocate(dtype, Shape.of(total));
      int at = 0;
      for (Map.Entry<Integer, Map<Long, Object>> row : counts.entrySet()) {
        for (Map.Entry<Long, Object> count : new TreeMap<>(row.getValue()).entrySet()) {
          indices[at * width] = row.getKey();
          indices[at * width + width - 1] = count.getKey();
          dtype.kind().copy(count.getValue(), 0, values, at++, 1);
        }
      }
      long size = maximum >= 0 ? maximum : Math.max(largest + 1, minimum);
      call.setOutput(0, Tensor.wrap(DataType.INT64, indexShape, indices));
      call.setOutput(1, Tensor.wrap(dtype, Shape.of(total), values));
      call.setOutput(2, vector ? Tensor.vector(size) : Tensor.vector(rows, size));
    }
  }
}
