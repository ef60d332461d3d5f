package io.headrace.kernels.example;

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
}
