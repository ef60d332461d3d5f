package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;

/** Bincount and DenseBincount: the number of occurrences of each integer, or the sum of weights. */
final class BincountOps {
  private static final String TYPES = "{int32, int64, float, double}";

  private BincountOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DenseBincount(input: Tidx, size: Tidx, weights: T) -> output: T")
            .attrs("Tidx: {int32, int64}", "T: " + TYPES, "binary_output: bool = false")
            .shape(BincountOps::denseRule)
            .kernel(RowKernel.made(BincountOps::dense)),
        Op.define("Bincount(arr: int32, size: int32, weights: T) -> bins: T")
            .attrs("T: " + TYPES)
            .shape(BincountOps::bincountRule)
            .kernel(RowKernel.of(BincountOps::bincount)));
  }

  private static List<Shape> denseRule(ShapeFunction.Inputs in) {
    Shape input = in.shape(0);
    Shapes.checkRankAtMost(input, 2);
    Shapes.checkRankAtMost(in.shape(1), 0);
    long size = size(in, 1);
    if (input.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    if (size < 0) {
      return List.of(Shapes.ofRank(input.rank()));
    }
    return List.of(input.rank() == 2 ? Shape.of(input.size(0), size) : Shape.of(size));
  }

  private static long size(ShapeFunction.Inputs in, int index) {
    OptionalLong size = Shapes.constantScalar(in, index);
    if (size.isPresent() && size.getAsLong() < 0) {
      throw invalidArgument("size (%d) must be non-negative", size.getAsLong());
    }
    return size.orElse(Shape.UNKNOWN_DIMENSION);
  }

  private static RowKernel.Body dense(NodeSpec node) {
    boolean binary = node.attrs().bool("binary_output");
    return rows -> {
      Tensor sizes = rows.same(1);
      if (sizes == null) {
        return false;
      }
      Shape input = rows.shape(0);
      if (input.rank() > 2) {
        throw invalidArgument("Shape must be at most rank 2 but is rank %d", input.rank());
      }
      long size = checkSize(sizes);
      checkWeights(input, rows.shape(2));
      Shape result = input.rank() == 2 ? Shape.of(input.size(0), size) : Shape.of(size);
      Object bins = rows.allocate(rows.dtype(2), result);
      for (int row = 0; row < rows.count(); row++) {
        rows.cancellation().check();
        Counter counter = new Counter(rows.row(2, row), binary, bins, row * result.elements());
        counter.count(rows.row(0, row), (int) size);
      }
      rows.set(0, rows.dtype(2), result, bins);
      return true;
    };
  }

  private static long checkSize(Tensor size) {
    if (size.shape().rank() != 0) {
      throw invalidArgument("Shape must be rank 0 but is rank %d", size.shape().rank());
    }
    if (size.integer(0) < 0) {
      throw invalidArgument("size (%d) must be non-negative", size.integer(0));
    }
    return size.integer(0);
  }

  private static void checkWeights(Shape input, Shape weights) {
    if (!weights.equals(input) && weights.elements() != 0) {
      throw invalidArgument(
          "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts"
              + " as all weights equal to 1. Received %s",
          weights);
    }
  }

  /** Adds weights, or 1 without weights, to the bins of one row. */
  private static final class Counter {
    private final Tensor weights;
    private final boolean weighted;
    private final boolean binary;
    private final Object bins;
    private final int first;

    Counter(Tensor weights, boolean binary, Object bins, int first) {
      this.weights = weights;
      this.weighted = weights.elements() > 0 && !binary;
      this.binary = binary;
      this.bins = bins;
      this.first = first;
    }

    /** Counts the values of a vector, or those of each row of a matrix into bins of its own. */
    void count(Tensor input, int size) {
      boolean lines = input.shape().rank() == 2;
      int width = lines ? (int) input.shape().size(1) : input.elements();
      for (int i = 0; i < input.elements(); i++) {
        long value = input.integer(i);
        if (value < 0) {
          throw lines
              ? invalidArgument(
                  "Input 'in' must be non-negative! Negative input value found: %d", value)
              : invalidArgument("Input arr must be non-negative!");
        }
        if (value < size) {
          add(first + (lines ? i / width * size : 0) + (int) value, i);
        }
      }
    }

    private void add(int bin, int i) {
      int w = TensorMemory.offset(weights) + i;
      switch (bins) {
        case int[] a -> a[bin] = binary ? 1 : a[bin] + (weighted ? intAt(w) : 1);
        case long[] a -> a[bin] = binary ? 1 : a[bin] + (weighted ? longAt(w) : 1);
        case float[] a -> a[bin] = binary ? 1 : a[bin] + (weighted ? floatAt(w) : 1);
        case double[] a -> a[bin] = binary ? 1 : a[bin] + (weighted ? doubleAt(w) : 1);
        default -> throw new AssertionError(bins.getClass());
      }
    }

    private int intAt(int index) {
      return ((int[]) TensorMemory.array(weights))[index];
    }

    private long longAt(int index) {
      return ((long[]) TensorMemory.array(weights))[index];
    }

    private float floatAt(int index) {
      return ((float[]) TensorMemory.array(weights))[index];
    }

    private double doubleAt(int index) {
      return ((double[]) TensorMemory.array(weights))[index];
    }
  }

  private static List<Shape> bincountRule(ShapeFunction.Inputs in) {
    Shapes.checkRankAtMost(in.shape(1), 0);
    return List.of(Shape.of(size(in, 1)));
  }

  private static boolean bincount(Rows rows) {
    Tensor sizes = rows.same(1);
    if (sizes == null) {
      return false;
    }
    long size = checkSize(sizes);
    Shape values = rows.shape(0);
    Shape weights = rows.shape(2);
    if (weights.elements() > 0 && weights.elements() != values.elements()) {
      throw invalidArgument("Input indices and weights must have the same size.");
    }
    Shape result = Shape.of(size);
    Object bins = rows.allocate(rows.dtype(2), result);
    for (int row = 0; row < rows.count(); row++) {
      rows.cancellation().check();
      Tensor vector = rows.row(0, row).reshape(Shape.of(values.elements()));
      new Counter(rows.row(2, row), false, bins, row * (int) size).count(vector, (int) size);
    }
    rows.set(0, rows.dtype(2), result, bins);
    return true;
  }
}
