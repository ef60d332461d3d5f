package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.nn.FractionalRegions.Runs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** FractionalMaxPoolGrad and FractionalAvgPoolGrad: the gradients of {@link FractionalPoolOps}. */
final class FractionalPoolGradientOps {
  private static final int RANK = 4;
  private static final String SEQUENCES =
      ", row_pooling_sequence: int64, col_pooling_sequence: int64) -> output: T";
  private static final String OVERLAPPING = "overlapping";
  private static final String MISFITS =
      "Tensors that do not fit together are INVALID_ARGUMENT; TensorFlow reads past them.";

  private FractionalPoolGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "FractionalMaxPoolGrad(orig_input: T, orig_output: T, out_backprop: T" + SEQUENCES)
            .attrs(OVERLAPPING + ": bool = false", FractionalPoolOps.TYPES)
            .remark(MISFITS)
            .shape(in -> List.of(Shapes.withRank(in.shape(0), RANK)))
            .kernel(node -> {
              boolean overlapping = node.attrs().bool(OVERLAPPING);
              return call -> call.setOutput(0, ofMax(call, overlapping));
            }),
        Op.define(
                "FractionalAvgPoolGrad(orig_input_tensor_shape: int64, out_backprop: T" + SEQUENCES)
            .attrs(OVERLAPPING + ": bool = false", FractionalPoolOps.TYPES)
            .remark(MISFITS)
            .shape(in ->
                List.of(in.constant(0) == null ? Shapes.ofRank(RANK) : ShapeInputs.inferred(in, 0)))
            .kernel(node -> {
              boolean overlapping = node.attrs().bool(OVERLAPPING);
              return call -> call.setOutput(0, ofMean(call, overlapping));
            }));
  }

  /** The first maximum of a region gets all of its gradient. */
  private static Tensor ofMax(KernelCall call, boolean overlapping) {
    Tensor images = call.input(0);
    Tensor largest = call.input(1);
    Tensor gradient = call.input(2);
    checkImages("orig_input", images.shape());
    checkImages("orig_output", largest.shape());
    checkVector("row_pooling_sequence", call.input(3));
    checkVector("col_pooling_sequence", call.input(4));
    Shape shape = images.shape();
    Shape result = largest.shape();
    if (shape.size(0) != result.size(0)
        || shape.size(3) != result.size(3)
        || call.input(3).elements() - 1L != result.size(1)
        || call.input(4).elements() - 1L != result.size(2)) {
      throw differs();
    }
    FractionalRegions regions =
        FractionalRegions.of(
            shape, call.input(3).integers(), call.input(4).integers(), overlapping);
    if (regions.rows().isNegative() || regions.columns().isNegative()) {
      throw differs();
    }
    int[] argmaxes = argmaxes(call, regions, result);
    for (int i = 0; i < argmaxes.length; i++) {
      if (argmaxes[i] < 0 || !PoolSecondGradientOps.equal(images, argmaxes[i], largest, i)) {
        throw differs();
      }
    }
    Pool.checkShape("out_backprop", result, gradient);
    Object sums = TensorLimit.allocate(gradient.dtype(), shape);
    for (int i = 0; i < argmaxes.length; i++) {
      Combiner.ADD.into(
          gradient.dtype(),
          sums,
          argmaxes[i],
          TensorMemory.array(gradient),
          TensorMemory.offset(gradient) + i,
          1);
    }
    return Tensor.wrap(gradient.dtype(), shape, sums);
  }

  private static StatusException differs() {
    return invalidArgument("tensor_out_dup is not the same as tensor_out");
  }

  private static void checkImages(String name, Shape shape) {
    if (shape.rank() != RANK) {
      throw invalidArgument("%s should be a tensor of rank 4, got shape %s", name, shape);
    }
    if (shape.elements() == 0) {
      throw invalidArgument("%s must not be empty, got shape %s", name, shape);
    }
  }

  private static void checkVector(String name, Tensor sequence) {
    if (sequence.shape().rank() != 1) {
      throw invalidArgument("%s must be a vector, received shape %s", name, sequence.shape());
    }
  }

  private static int[] argmaxes(KernelCall call, FractionalRegions regions, Shape result) {
    Tensor images = call.input(0);
    int channels = (int) result.size(RANK - 1);
    TensorLimit.check(DataType.INT32, result);
    int[] argmaxes = new int[result.elements()];
    Arrays.fill(argmaxes, -1);
    regions.visit(
        call.cancellation(),
        (pixel, region) -> {
          for (int c = 0; c < channels; c++) {
            int at = region * channels + c;
            int candidate = pixel * channels + c;
            if (argmaxes[at] < 0 || Pool.isLess(images, argmaxes[at], candidate)) {
              argmaxes[at] = candidate;
            }
          }
        });
    return argmaxes;
  }

  /** The pixels of a region get equal shares of its gradient, added up as doubles. */
  private static Tensor ofMean(KernelCall call, boolean overlapping) {
    Tensor gradient = call.input(1);
    Shape result = gradient.shape();
    Shape shape = meanShape(call.input(0), result, call.input(2), call.input(3));
    TensorLimit.check(DataType.FLOAT64, shape);
    Runs rows =
        Runs.of(call.input(2).integers(), (int) result.size(1), (int) shape.size(1), overlapping);
    Runs columns =
        Runs.of(call.input(3).integers(), (int) result.size(2), (int) shape.size(2), overlapping);
    if (rows.isNegative()) {
      throw invalidArgument(
          "Row sequence tensor values must not be negative, got %s",
          Arrays.toString(call.input(2).integers()));
    }
    if (columns.isNegative()) {
      throw invalidArgument(
          "Column sequence tensor values must not be negative, got %s",
          Arrays.toString(call.input(3).integers()));
    }
    if (result.size(0) > shape.size(0) || result.size(3) > shape.size(3)) {
      throw invalidArgument("out_backprop of shape %s does not fit %s", result, shape);
    }
    FractionalRegions regions = new FractionalRegions((int) result.size(0), rows, columns);
    double[] sums = (double[]) TensorLimit.allocate(DataType.FLOAT64, shape);
    int channels = (int) result.size(3);
    int inChannels = (int) shape.size(3);
    regions.visit(
        call.cancellation(),
        (pixel, region) -> {
          int size = regions.size(region);
          for (int c = 0; c < channels; c++) {
            sums[pixel * inChannels + c] += number(gradient, region * channels + c) / size;
          }
        });
    return Tensor.wrap(gradient.dtype(), shape, converted(sums, gradient.dtype(), shape));
  }

  private static Shape meanShape(Tensor sizes, Shape result, Tensor rows, Tensor columns) {
    if (sizes.shape().rank() != 1 || sizes.elements() != RANK) {
      throw invalidArgument("original input tensor shape must be1-dimensional and 4 elements");
    }
    if (result.rank() != RANK) {
      throw invalidArgument("out_backprop must be 4-dimensional");
    }
    for (long size : result.dimensions()) {
      if (size <= 0) {
        throw invalidArgument("out_backprop must be positive for all dimension, got:%d", size);
      }
    }
    checkLength("row_seq_tensor", result, rows, result.size(1));
    checkLength("col_seq_tensor", result, columns, result.size(2));
    List<String> names = List.of("Batch", "Rows", "Columns", "Depth");
    for (int i = 0; i < RANK; i++) {
      if (sizes.integer(i) == 0) {
        throw invalidArgument("%s dimension of input must not be 0", names.get(i));
      }
    }
    for (long size : sizes.integers()) {
      if (size < 0) {
        throw invalidArgument("Expected a non-negative size, got %d", size);
      }
    }
    return Shape.of(sizes.integers());
  }

  private static void checkLength(String name, Shape result, Tensor sequence, long count) {
    if (sequence.elements() <= count) {
      throw invalidArgument(
          "Given out_backprop shape %s, %s must have at least %d elements, but got %d",
          result, name, count + 1, sequence.elements());
    }
  }

  private static double number(Tensor tensor, int i) {
    return NumericElements.real(
        tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + i);
  }

  private static Object converted(double[] sums, DataType dtype, Shape shape) {
    if (dtype == DataType.FLOAT64) {
      return sums;
    }
    Object array = TensorLimit.allocate(dtype, shape);
    for (int i = 0; i < sums.length; i++) {
      if (dtype == DataType.FLOAT32) {
        NumericElements.setFloating(dtype, array, i, sums[i]);
      } else {
        NumericElements.setInteger(array, i, truncated(dtype, sums[i]));
      }
    }
    return array;
  }

  /** {@code sum} without its fraction; the lowest integer for what does not fit, as on x86. */
  private static long truncated(DataType dtype, double sum) {
    long lowest = dtype == DataType.INT64 ? Long.MIN_VALUE : Integer.MIN_VALUE;
    return Math.abs(sum) < -(double) lowest ? (long) sum : lowest;
  }
}
