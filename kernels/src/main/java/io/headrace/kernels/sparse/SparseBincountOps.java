package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The SparseBincount op: a histogram of a sparse vector, or of each row of a sparse matrix. */
final class SparseBincountOps {
  private SparseBincountOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseBincount(indices: int64, values: Tidx, dense_shape: int64, size: Tidx,"
                    + " weights: T) -> output: T")
            .attrs(
                "Tidx: {int32, int64}",
                "T: {int32, int64, float, double}",
                "binary_output: bool = false")
            .shape(SparseBincountOps::rule)
            .kernel(node -> {
              boolean binary = node.attrs().bool("binary_output");
              return call -> bincount(call, binary);
            }));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Tensor size = in.constant(3);
    if (size == null) {
      return List.of(Shape.UNKNOWN);
    }
    if (size.shape().rank() != 0) {
      throw invalidArgument("Shape must be rank 0 but is rank %d", size.shape().rank());
    }
    long bins = size.integer(0);
    if (bins < 0) {
      throw invalidArgument("size (%d) must be non-negative", bins);
    }
    Shape shape = Shapes.fromSizes(in, 2);
    if (shape.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    return List.of(shape.rank() == 1 ? Shape.of(bins) : Shape.of(shape.size(0), bins));
  }

  private static void bincount(KernelCall call, boolean binary) {
    Tensor indices = call.input(0);
    Tensor values = call.input(1);
    Tensor sizes = call.input(2);
    Tensor weights = call.input(4);
    long size = size(call.input(3));
    check(indices, values, sizes, binary ? values : weights);
    boolean vector = sizes.elements() == 1;
    long rows = vector ? 1 : sizes.integer(0);
    DataType dtype = weights.dtype();
    Shape shape = vector ? Shape.of(size) : Shape.of(rows, size);
    Object bins = TensorLimit.allocate(dtype, shape);
    Object one = dtype.kind().newArray(1);
    if (dtype.isFloating()) {
      NumericElements.setFloating(dtype, one, 0, 1);
    } else {
      NumericElements.setInteger(one, 0, 1);
    }
    boolean weighted = weights.elements() > 0 && !binary;
    Combiner how = binary ? Combiner.UPDATE : Combiner.ADD;
    int rank = (int) indices.shape().size(1);
    for (int i = 0; i < values.elements(); i++) {
      long row = vector ? 0 : indices.integer(i * rank);
      long bin = values.integer(i);
      if (row < 0 || row >= rows) {
        throw invalidArgument(
            "Index out of bound. `batch` (%d) must be less than the dimension size (%d).",
            row, rows);
      }
      if (bin < 0 && vector) {
        throw invalidArgument("Input arr must be non-negative!");
      }
      // Of a matrix, TensorFlow passes over bins on both sides of the range.
      if (bin >= 0 && bin < size) {
        int at = (int) (row * size + bin);
        if (weighted) {
          how.into(
              dtype, bins, at, TensorMemory.array(weights), TensorMemory.offset(weights) + i, 1);
        } else {
          how.into(dtype, bins, at, one, 0, 1);
        }
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, bins));
  }

  private static long size(Tensor size) {
    if (size.shape().rank() != 0) {
      throw invalidArgument("Shape must be rank 0 but is rank %d", size.shape().rank());
    }
    if (size.integer(0) < 0) {
      throw invalidArgument("size (%d) must be non-negative", size.integer(0));
    }
    return size.integer(0);
  }

  private static void check(Tensor indices, Tensor values, Tensor sizes, Tensor weights) {
    if (indices.shape().rank() != 2) {
      throw invalidArgument("indices must be a matrix, and is of shape %s", indices.shape());
    }
    SparseTensor.checkRankOf("Sparse values should be a vector", values, 1);
    if (indices.shape().size(0) != values.elements()) {
      throw invalidArgument(
          "there must be an index for each of the %d values, and are %d",
          values.elements(), indices.shape().size(0));
    }
    if (sizes.shape().rank() != 1 || indices.shape().size(1) != sizes.elements()) {
      throw invalidArgument(
          "dense_shape must be a vector with a size for each of the %d dimensions of the indices,"
              + " and is of shape %s",
          indices.shape().size(1), sizes.shape());
    }
    if (sizes.elements() == 0) {
      throw invalidArgument("dense_shape must have at least one size");
    }
    if (weights.elements() > 0 && weights.elements() != values.elements()) {
      throw invalidArgument("Input indices and weights must have the same size.");
    }
    new SparseTensor(indices, values, sizes).checkWithin();
  }
}
