package io.headrace.kernels;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of an op's outputs that its inputs determine, for comparison with recorded outputs.
 * Singular vectors and eigenvectors have arbitrary signs, and more freedom where values are equal.
 * So tests compare the values, the shapes of the vectors, the matrix that values and vectors
 * reconstruct, and the products of the vectors with each other, which show that they are
 * orthonormal.
 */
final class ComparableOutputs {
  private ComparableOutputs() {}

  /** Tensors that are equal, except for rounding, for all correct {@code outputs} of {@code op}. */
  static List<Tensor> of(String op, List<Tensor> outputs) {
    return switch (op) {
      case "SelfAdjointEigV2" ->
          reconstruction(outputs.get(0), outputs.get(1), outputs.get(1), outputs.get(0).dtype());
      case "Svd" ->
          reconstruction(outputs.get(0), outputs.get(1), outputs.get(2), outputs.get(0).dtype());
      // Reserved outputs are empty or a zero, depending on the library that stock was built with.
      case "FusedBatchNormV3", "_FusedBatchNormEx" -> outputs.subList(0, 5);
      case "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3" ->
          outputs.subList(0, 3);
      default -> outputs;
    };
  }

  private static List<Tensor> reconstruction(Tensor values, Tensor u, Tensor v, DataType dtype) {
    if (u.shape().rank() < 2) {
      return List.of(values); // no vectors requested: stock leaves them uninitialized
    }
    List<Tensor> result = new ArrayList<>(List.of(values, shape(u), shape(v)));
    int p = (int) values.shape().size(values.shape().rank() - 1);
    int matrices = values.shape().sub(0, values.shape().rank() - 1).elements();
    for (int i = 0; i < matrices; i++) {
      Matrix left = Matrix.of(u, i);
      Matrix right = Matrix.of(v, i);
      result.add(left.columns(p).scaled(values, i * p).times(right.columns(p).transpose(), dtype));
      result.add(left.transpose().times(left, dtype));
      result.add(right.transpose().times(right, dtype));
    }
    return result;
  }

  private static Tensor shape(Tensor tensor) {
    return Tensor.vector(tensor.shape().dimensions());
  }

  /** A matrix, row-major. */
  private static final class Matrix {
    private final int height;
    private final int width;
    private final double[] elements;

    Matrix(int height, int width, double[] elements) {
      this.height = height;
      this.width = width;
      this.elements = elements;
    }

    static Matrix of(Tensor tensor, int index) {
      Shape shape = tensor.shape();
      int height = (int) shape.size(shape.rank() - 2);
      int width = (int) shape.size(shape.rank() - 1);
      double[] elements = new double[height * width];
      for (int i = 0; i < elements.length; i++) {
        int at = TensorMemory.offset(tensor) + index * elements.length + i;
        elements[i] = NumericElements.floating(tensor.dtype(), TensorMemory.array(tensor), at);
      }
      return new Matrix(height, width, elements);
    }

    Matrix columns(int count) {
      double[] result = new double[height * count];
      for (int i = 0; i < result.length; i++) {
        result[i] = elements[i / count * width + i % count];
      }
      return new Matrix(height, count, result);
    }

    Matrix transpose() {
      double[] result = new double[elements.length];
      for (int i = 0; i < result.length; i++) {
        result[i % width * height + i / width] = elements[i];
      }
      return new Matrix(/* height= */ width, /* width= */ height, result);
    }

    Matrix scaled(Tensor values, int from) {
      double[] result = new double[elements.length];
      for (int i = 0; i < result.length; i++) {
        int at = TensorMemory.offset(values) + from + i % width;
        result[i] =
            elements[i] * NumericElements.floating(values.dtype(), TensorMemory.array(values), at);
      }
      return new Matrix(height, width, result);
    }

    Tensor times(Matrix other, DataType dtype) {
      Shape shape = Shape.of(height, other.width);
      Object array = dtype.kind().newArray(height * other.width);
      for (int i = 0; i < height; i++) {
        for (int j = 0; j < other.width; j++) {
          double sum = 0;
          for (int k = 0; k < width; k++) {
            sum += elements[i * width + k] * other.elements[k * other.width + j];
          }
          NumericElements.setFloating(dtype, array, i * other.width + j, sum);
        }
      }
      return Tensor.wrap(dtype, shape, array);
    }
  }
}
