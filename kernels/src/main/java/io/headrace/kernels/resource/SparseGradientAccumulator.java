package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.variant.TensorList;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An accumulator of sparse gradients (IndexedSlices). The mean of a row is over the gradients that
 * contain the row. The indices of a gradient are assumed to ascend. Thread-safe.
 */
final class SparseGradientAccumulator extends GradientAccumulator {
  /** Rows of a tensor: their indices, their values, and the number of gradients summed in each. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Rows(long[] indices, Tensor values, int[] counts) {}

  private Rows held = new Rows(new long[0], Tensor.vector(new float[0]), new int[0]);

  SparseGradientAccumulator(DataType dtype, Shape shape, boolean isMean) {
    super(dtype, shape, isMean);
  }

  /**
   * Adds a gradient; INVALID_ARGUMENT if its shape does not match.
   *
   * @param gradientShape the dense shape of the gradient; null if unknown
   */
  void apply(
      long localStep,
      Tensor indices,
      Tensor values,
      @Nullable Tensor gradientShape,
      GradientArithmetic math,
      StepContext step) {
    add(
        localStep,
        () -> {
          check(indices, values, gradientShape);
          int[] ones = new int[indices.elements()];
          Arrays.fill(ones, 1);
          Rows gradient = new Rows(indices.integers(), values.detach(), ones);
          held = isEmpty() ? gradient : merged(held, gradient, math, step);
        });
  }

  private void check(Tensor indices, Tensor values, @Nullable Tensor gradientShape) {
    if (indices.shape().rank() != 1) {
      throw invalidArgument(
          "Input indices should be vector but received shape: %s", indices.shape());
    }
    if (values.shape().rank() == 0) {
      throw invalidArgument("Values cannot be 0-dimensional.");
    }
    if (values.shape().size(0) != indices.elements()) {
      throw invalidArgument(
          "Expected %d non-empty input values, got %d", indices.elements(), values.shape().size(0));
    }
    if (gradientShape != null) {
      checkShape(gradientShape);
    }
    if (shape().rank() > 0 && shape().size(0) >= 0) {
      for (int i = 0; i < indices.elements(); i++) {
        if (indices.integer(i) >= shape().size(0)) {
          throw invalidArgument(
              "Shape mismatch: index of slice %d exceeded limits of shape; index is %d exceeded %d",
              i, indices.integer(i), shape().size(0));
        }
      }
    }
    checkValues(isEmpty() ? shape() : held.values().shape(), values.shape());
  }

  private void checkShape(Tensor given) {
    if (shape().rank() > given.elements()) {
      throw invalidArgument(
          "Shape mismatch: expected shape rank at least %d, got %d",
          shape().rank(), given.elements());
    }
    for (int i = 0; i < shape().rank(); i++) {
      if (shape().size(i) >= 0 && shape().size(i) != given.integer(i)) {
        throw invalidArgument(
            "Shape mismatch: expected shape dim %d to be %d, got %d",
            i, shape().size(i), given.integer(i));
      }
    }
  }

  private void checkValues(Shape expected, Shape given) {
    if (expected.rank() > given.rank() || (!isEmpty() && expected.rank() != given.rank())) {
      throw invalidArgument(
          "Shape mismatch: expected values rank %s%d, got %d",
          isEmpty() ? "at least " : "", expected.rank(), given.rank());
    }
    for (int i = 1; i < expected.rank(); i++) {
      if (expected.size(i) >= 0 && expected.size(i) != given.size(i)) {
        throw invalidArgument(
            "Shape mismatch: expected values dim %d to be %d, got %d",
            i, expected.size(i), given.size(i));
      }
    }
  }

  /** The union of both, by ascending index; common rows are summed. */
  private static Rows merged(Rows a, Rows b, GradientArithmetic math, StepContext step) {
    int most = a.indices.length + b.indices.length;
    long[] indices = new long[most];
    int[] counts = new int[most];
    int[] fromA = new int[most];
    int[] fromB = new int[most];
    int rows = 0;
    for (int i = 0, j = 0; i < a.indices.length || j < b.indices.length; rows++) {
      boolean takesA =
          j == b.indices.length || (i < a.indices.length && a.indices[i] <= b.indices[j]);
      boolean takesB =
          i == a.indices.length || (j < b.indices.length && b.indices[j] <= a.indices[i]);
      indices[rows] = takesA ? a.indices[i] : b.indices[j];
      counts[rows] = (takesA ? a.counts[i] : 0) + (takesB ? b.counts[j] : 0);
      fromA[rows] = takesA ? i : -1;
      fromB[rows] = takesB ? j : -1;
      i += takesA ? 1 : 0;
      j += takesB ? 1 : 0;
    }
    Tensor sum = math.add(spread(a.values, fromA, rows), spread(b.values, fromB, rows), step);
    return new Rows(Arrays.copyOf(indices, rows), sum, Arrays.copyOf(counts, rows));
  }

  /** Gathers the rows {@code from} of {@code values}; -1 yields a row of zeros. */
  private static Tensor spread(Tensor values, int[] from, int rows) {
    Shape rowShape = values.shape().dropFirst(1);
    int width = rowShape.elements();
    Tensor result = TensorList.zeros(values.dtype(), rowShape.prepend(rows));
    for (int row = 0; row < rows; row++) {
      if (from[row] >= 0) {
        values
            .dtype()
            .kind()
            .copy(
                TensorMemory.array(values),
                TensorMemory.offset(values) + from[row] * width,
                TensorMemory.array(result),
                row * width,
                width);
      }
    }
    return result;
  }

  @Override
  List<Tensor> sum() {
    return outputs(held.values());
  }

  @Override
  List<Tensor> mean(GradientArithmetic math, int gathered, StepContext step) {
    long[] sizes = new long[held.values().shape().rank()];
    Arrays.fill(sizes, 1);
    sizes[0] = held.counts().length;
    Tensor counts = math.counts(Shape.of(sizes), held.counts());
    return outputs(math.divide(held.values(), counts, step));
  }

  private List<Tensor> outputs(Tensor values) {
    long[] sizes = values.shape().dimensions();
    sizes[0] = shape().rank() > 0 ? shape().size(0) : Shape.UNKNOWN_DIMENSION;
    return List.of(Tensor.vector(held.indices()), values, Tensor.vector(sizes));
  }
}
