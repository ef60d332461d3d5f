package io.headrace.kernels.example;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** One feature that is parsed out of examples, and the form it is given. */
sealed interface ExampleFeature {
  /** What its list must hold. */
  DataType dtype();

  /** Of one shape in every example; {@code defaultValue} has no elements if it is required. */
  record Dense(DataType dtype, Shape shape, Tensor defaultValue) implements ExampleFeature {
    int stride() {
      return shape.elements();
    }
  }

  /** Of any length in its first dimension; shorter ones are padded with {@code padding}. */
  record Varlen(DataType dtype, Shape shape, Tensor padding) implements ExampleFeature {
    Shape inner() {
      return shape.dropFirst(1);
    }
  }

  /** Of any number of elements, given as a sparse tensor. */
  record Sparse(DataType dtype) implements ExampleFeature {}

  /** Of any number of elements, given as a ragged tensor with row splits of {@code splits}. */
  record Ragged(DataType dtype, DataType splits) implements ExampleFeature {}

  /**
   * Feature {@code index} of the dense ones, of shape {@code shape}, checked as TensorFlow does.
   */
  static ExampleFeature dense(int index, DataType dtype, Shape shape, Tensor defaultValue) {
    checkShape(index, shape);
    boolean varlen = shape.rank() > 0 && shape.size(0) < 0;
    if (varlen && defaultValue.elements() != 1) {
      throw StatusException.invalidArgument(
          "dense_shape[%d] is a variable length shape: %s, therefore def_value[%d] must contain a"
              + " single element (the padding element).  But its shape is: %s",
          index, shape, index, defaultValue.shape());
    }
    boolean fits = shape.isCompatibleWith(defaultValue.shape());
    if (!varlen && defaultValue.elements() > 0 && !fits) {
      throw StatusException.invalidArgument(
          "def_value[%d].shape() == %s is not compatible with dense_shapes_[%d] == %s",
          index, defaultValue.shape(), index, shape);
    }
    if (defaultValue.dtype() != dtype) {
      throw StatusException.invalidArgument(
          "dense_defaults[%d].dtype() == %s != dense_types_[%d] == %s",
          index, defaultValue.dtype().tfName(), index, dtype.tfName());
    }
    return varlen ? new Varlen(dtype, shape, defaultValue) : new Dense(dtype, shape, defaultValue);
  }

  private static void checkShape(int index, Shape shape) {
    boolean known = !shape.isUnknownRank() && (shape.rank() == 0 || shape.dropFirst(1).isKnown());
    if (!known) {
      throw StatusException.invalidArgument(
          "dense_shapes[%d] has unknown rank or unknown inner dimensions: %s", index, shape);
    }
  }
}
