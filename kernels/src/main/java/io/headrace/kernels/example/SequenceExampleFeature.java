package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.ByteString;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** A context feature or feature list to parse from tf.SequenceExamples, and its output form. */
sealed interface SequenceExampleFeature {
  /** Its key. */
  ByteString name();

  /** The dtype of its values: int64, float or string. */
  DataType dtype();

  /**
   * A dense tensor, with {@code shape} for each feature. A missing context feature is {@code
   * defaultValue}, or an error if that is empty; a missing feature list is empty if {@code
   * mayBeMissing}, otherwise an error.
   */
  record Dense(
      ByteString name, DataType dtype, Shape shape, Tensor defaultValue, boolean mayBeMissing)
      implements SequenceExampleFeature {}

  /** A sparse tensor of any number of elements. */
  record Sparse(ByteString name, DataType dtype) implements SequenceExampleFeature {}

  /** A ragged tensor of any number of elements, with row splits of dtype {@code splits}. */
  record Ragged(ByteString name, DataType dtype, DataType splits)
      implements SequenceExampleFeature {}

  /**
   * The dense context feature {@code i}. INVALID_ARGUMENT unless {@code shape} is known and the
   * default value is empty or of that shape and {@code dtype}.
   */
  static Dense contextDense(
      ByteString name, int i, DataType dtype, Shape shape, Tensor defaultValue) {
    if (!shape.isKnown()) {
      throw invalidArgument(
          "context_dense_shapes[%d] of %s must be known, and is %s", i, name.toStringUtf8(), shape);
    }
    if (defaultValue.dtype() != dtype) {
      throw invalidArgument(
          "context_dense_defaults[%d].dtype() == %s != context_dense_types[%d] == %s",
          i, defaultValue.dtype().tfName(), i, dtype.tfName());
    }
    if (defaultValue.elements() > 0 && !shape.equals(defaultValue.shape())) {
      throw invalidArgument(
          "Default value for context feature %s has an incorrect shape: saw %s but expected %s",
          name.toStringUtf8(), defaultValue.shape(), shape);
    }
    return new Dense(name, dtype, shape, defaultValue, false);
  }

  /** A dense feature list. INVALID_ARGUMENT unless {@code shape} is known and not empty. */
  static Dense listDense(ByteString name, DataType dtype, Shape shape, boolean mayBeMissing) {
    if (!shape.isKnown() || shape.elements() == 0) {
      throw invalidArgument(
          "Unexpected shape error in feature %s: %s must be known and not empty",
          name.toStringUtf8(), shape);
    }
    Tensor none = Tensor.wrap(dtype, Shape.of(0), dtype.kind().newArray(0));
    return new Dense(name, dtype, shape, none, mayBeMissing);
  }
}
