package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import org.jspecify.annotations.Nullable;

/**
 * A batch of matrices of one size, contiguous, in arrays of the accumulator type.
 *
 * @param dtype the element type
 * @param height rows of each
 * @param width columns of each
 * @param real the elements, or their real parts
 * @param imaginary the imaginary parts of complex elements; null for real ones
 * @param columnMajor whether the batch is a single matrix in column-major layout
 */
record MatrixBatch(
    DataType dtype,
    int height,
    int width,
    Object real,
    @Nullable Object imaginary,
    boolean columnMajor) {

  /** The batch of a tensor whose last two dimensions are {@code height} and {@code width}. */
  static MatrixBatch of(Tensor tensor, int height, int width) {
    boolean complex = tensor.dtype().kind().slots() == 2;
    return new MatrixBatch(
        tensor.dtype(),
        height,
        width,
        Accumulators.part(tensor, 0),
        complex ? Accumulators.part(tensor, 1) : null,
        false);
  }

  /** The transposes of the {@code height} by {@code width} matrices of {@code tensor}. */
  static MatrixBatch transposed(Tensor tensor, int height, int width, Cancellation stop) {
    int matrix = height * width;
    if (tensor.elements() == matrix) {
      MatrixBatch one = of(tensor, width, height);
      return new MatrixBatch(tensor.dtype(), width, height, one.real, one.imaginary, true);
    }
    Object array = TensorLimit.allocate(tensor.dtype(), tensor.shape());
    new StridedMove(tensor.dtype().kind())
        .dimension(matrix == 0 ? 0 : tensor.elements() / matrix, matrix, matrix)
        .dimension(width, 1, height)
        .dimension(height, width, 1)
        .run(TensorMemory.array(tensor), TensorMemory.offset(tensor), array, 0, stop);
    return of(Tensor.wrap(tensor.dtype(), tensor.shape(), array), width, height);
  }

  /** The complex conjugates; the batch itself if it is real. */
  MatrixBatch conjugate() {
    return imaginary == null
        ? this
        : new MatrixBatch(dtype, height, width, real, Accumulators.negated(imaginary), columnMajor);
  }

  /**
   * For each i, the product of matrix {@code left[i]} of this batch and matrix {@code right[i]} of
   * {@code other}, contiguous in an array of the dtype.
   */
  Object times(MatrixBatch other, int[] left, int[] right, Cancellation stop) {
    int size = Shape.of(left.length, height, other.width).elements();
    if (imaginary == null || other.imaginary == null) {
      Object sums = Accumulators.newArray(dtype, size);
      add(real, other, other.real, left, right, sums, stop);
      return Accumulators.narrow(dtype, sums);
    }
    Object re = Accumulators.newArray(dtype, size);
    add(real, other, other.real, left, right, re, stop);
    add(Accumulators.negated(imaginary), other, other.imaginary, left, right, re, stop);
    Object im = Accumulators.newArray(dtype, size);
    add(real, other, other.imaginary, left, right, im, stop);
    add(imaginary, other, other.real, left, right, im, stop);
    return Accumulators.join(re, im);
  }

  private void add(
      Object a, MatrixBatch other, Object b, int[] left, int[] right, Object c, Cancellation stop) {
    int n = other.width;
    for (int i = 0; i < left.length; ) {
      int run = columnMajor ? 1 : foldable(left, right, i);
      MatrixProduct product = new MatrixProduct(run * height, width, n, stop);
      if (columnMajor) {
        product.transposeLeft();
      }
      if (other.columnMajor) {
        product.transposeRight();
      }
      product.add(a, left[i] * height * width, b, right[i] * width * n, c, i * height * n);
      i += run;
    }
  }

  /** The number of products from {@code i} on that share their right matrix and fold into one. */
  private static int foldable(int[] left, int[] right, int i) {
    int end = i + 1;
    while (end < left.length && right[end] == right[i] && left[end] == left[end - 1] + 1) {
      end++;
    }
    return end - i;
  }
}
