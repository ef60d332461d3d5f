package io.headrace.kernels.example;

import com.google.protobuf.ByteString;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** A feature, or a list of features, that is parsed out of sequence examples, and its form. */
sealed interface SequenceFeature {
  /** Its key. */
  ByteString name();

  /** What its lists must hold. */
  DataType dtype();

  /**
   * Every feature has the elements of {@code shape}. A feature that is missing is {@code
   * defaultValue}, which has no elements if it is required; a list that is missing is empty if
   * {@code mayBeMissing}.
   */
  record Dense(
      ByteString name, DataType dtype, Shape shape, Tensor defaultValue, boolean mayBeMissing)
      implements SequenceFeature {}

  /** Any number of elements, as a sparse tensor. */
  record Sparse(ByteString name, DataType dtype) implements SequenceFeature {}

  /** Any number of elements, as a ragged tensor with row splits of {@code splits}. */
  record Ragged(ByteString name, DataType dtype, DataType splits) implements SequenceFeature {}
}
