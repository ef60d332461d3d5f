package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The RaggedBincount op: a histogram of each row. */
final class RaggedBincountOps {
  private RaggedBincountOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedBincount(splits: int64, values: Tidx, size: Tidx, weights: T) -> output: T")
            .attrs(
                "Tidx: {int32, int64}",
                "T: {int32, int64, float, double}",
                "binary_output: bool = false")
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              boolean binary = node.attrs().bool("binary_output");
              return call -> bincount(call, binary);
            }));
  }

  private static void bincount(KernelCall call, boolean binary) {
    Tensor splits = call.input(0);
    Tensor values = call.input(1);
    Tensor weights = call.input(3);
    long size = binCount(call.input(2));
    checkSplits(splits, values.elements());
    boolean weighted = weights.elements() > 0 && !binary;
    if (weighted && weights.elements() != values.elements()) {
      throw invalidArgument(
          "there must be a weight for each of the %d values, and are %d",
          values.elements(), weights.elements());
    }
    DataType dtype = weights.dtype();
    Shape shape = Shape.of(splits.elements() - 1, size);
    Object bins = TensorLimit.allocate(dtype, shape);
    Object one = dtype.kind().newArray(1);
    setOne(dtype, one, 0);
    for (int row = 0; row + 1 < splits.elements(); row++) {
      call.cancellation().check();
      for (int i = (int) splits.integer(row); i < splits.integer(row + 1); i++) {
        long value = values.integer(i);
        if (value < 0) {
          throw invalidArgument("Input must be non-negative");
        }
        if (value < size) {
          int bin = row * (int) size + (int) value;
          if (binary) {
            setOne(dtype, bins, bin);
          } else if (weighted) {
            Combiner.ADD.into(
                dtype, bins, bin, TensorMemory.array(weights), TensorMemory.offset(weights) + i, 1);
          } else {
            Combiner.ADD.into(dtype, bins, bin, one, 0, 1);
          }
        }
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, bins));
  }

  private static void setOne(DataType dtype, Object array, int at) {
    if (dtype.isFloating()) {
      NumericElements.setFloating(dtype, array, at, 1);
    } else {
      NumericElements.setInteger(array, at, 1);
    }
  }

  /** The number of bins in {@code size}; INVALID_ARGUMENT unless a scalar of at least 0. */
  private static long binCount(Tensor size) {
    if (size.shape().rank() != 0) {
      throw invalidArgument("Shape must be rank 0 but is rank %d", size.shape().rank());
    }
    if (size.integer(0) < 0) {
      throw invalidArgument("size (%d) must be non-negative", size.integer(0));
    }
    return size.integer(0);
  }

  private static void checkSplits(Tensor splits, int values) {
    if (splits.elements() == 0) {
      throw invalidArgument("Splits must be non-empty");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("Splits must start with 0, not with %d", splits.integer(0));
    }
    long last = splits.integer(splits.elements() - 1);
    if (last != values) {
      throw invalidArgument(
          "Splits must end with the number of values, got %d instead of %d", last, values);
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1)) {
        throw invalidArgument(
            "Splits must rise, and %d follows %d", splits.integer(i), splits.integer(i - 1));
      }
    }
  }
}
