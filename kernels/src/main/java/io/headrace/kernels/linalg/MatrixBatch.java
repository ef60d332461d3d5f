package io.headrace.kernels.linalg;

import io.headrace.kernels.kit.Carrying;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * Matrices of one size, one after the other, in the arrays that are computed with.
 *
 * @param dtype what their elements are
 * @param height rows of each
 * @param width columns of each
 * @param real the elements, or their real parts
 * @param imaginary the imaginary parts, of complex elements only
 * @param turned whether there is one only, which lies column by column
 */
record MatrixBatch(
    DataType dtype,
    int height,
    int width,
    Object real,
    @Nullable Object imaginary,
    boolean turned) {

  /** Reads a tensor whose last dimensions are {@code height} and {@code width}. */
  static MatrixBatch of(Tensor tensor, int height, int width) {
    boolean complex = tensor.dtype().kind().slots() == 2;
    return new MatrixBatch(
        tensor.dtype(),
        height,
        width,
        Carrying.part(tensor, 0),
        complex ? Carrying.part(tensor, 1) : null,
        false);
  }

  /** Reads the matrices of {@code tensor} with rows and columns exchanged. */
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
        .run(tensor.array(), tensor.offset(), array, 0, stop);
    return of(Tensor.of(tensor.dtype(), tensor.shape(), array), width, height);
  }

  /** The same matrices, with the imaginary parts negated. */
  MatrixBatch conjugate() {
    return imaginary == null
        ? this
        : new MatrixBatch(dtype, height, width, real, Carrying.negated(imaginary), turned);
  }

  /**
   * The products of the matrices {@code left[i]} of this and {@code right[i]} of {@code other}, for
   * each i, one after the other in an array of the dtype.
   */
  Object times(MatrixBatch other, int[] left, int[] right, Cancellation stop) {
    int size = Shape.of(left.length, height, other.width).elements();
    if (imaginary == null || other.imaginary == null) {
      Object sums = Carrying.newArray(dtype, size);
      add(real, other, other.real, left, right, sums, stop);
      return Carrying.narrow(dtype, sums);
    }
    Object re = Carrying.newArray(dtype, size);
    add(real, other, other.real, left, right, re, stop);
    add(Carrying.negated(imaginary), other, other.imaginary, left, right, re, stop);
    Object im = Carrying.newArray(dtype, size);
    add(real, other, other.imaginary, left, right, im, stop);
    add(imaginary, other, other.real, left, right, im, stop);
    return Carrying.join(re, im);
  }

  private void add(
      Object a, MatrixBatch other, Object b, int[] left, int[] right, Object c, Cancellation stop) {
    int n = other.width;
    for (int i = 0; i < left.length; ) {
      int run = turned ? 1 : run(left, right, i);
      MatrixProduct product = new MatrixProduct(run * height, width, n, stop);
      if (turned) {
        product.turnedLeft();
      }
      if (other.turned) {
        product.turnedRight();
      }
      product.add(a, left[i] * height * width, b, right[i] * width * n, c, i * height * n);
      i += run;
    }
  }

  /** How many products from {@code i} on are one, of a taller matrix with the same right one. */
  private static int run(int[] left, int[] right, int i) {
    int end = i + 1;
    while (end < left.length && right[end] == right[i] && left[end] == left[end - 1] + 1) {
      end++;
    }
    return end - i;
  }
}
