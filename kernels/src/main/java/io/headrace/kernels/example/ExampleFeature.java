package io.headrace.kernels.example;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** A feature to parse from tf.Examples, and the form of its output. */
sealed interface ExampleFeature {
  /** The dtype of its list: int64, float or string. */
  DataType dtype();

  /** A dense tensor of fixed shape; {@code defaultValue} is empty if the feature is required. */
  record Dense(DataType dtype, Shape shape, Tensor defaultValue) implements ExampleFeature {
    /** The number of elements in each example. */
    int stride() {
      return shape.elements();
    }
  }

  /** A dense tensor with a variable first dimension, padded with {@code padding} in a batch. */
  record Varlen(DataType dtype, Shape shape, Tensor padding) implements ExampleFeature {
    Shape inner() {
      return shape.dropFirst(1);
    }
  }

  /** A sparse tensor of any number of elements. */
  record Sparse(DataType dtype) implements ExampleFeature {}

  /** A ragged tensor of any number of elements, with row splits of dtype {@code splits}. */
  record Ragged(DataType dtype, DataType splits) implements ExampleFeature {}

  /**
   * Dense feature {@code index}: {@link Varlen} if the first dimension of {@code shape} is unknown,
   * otherwise {@link Dense}. INVALID_ARGUMENT where TensorFlow refuses shape or default.
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
