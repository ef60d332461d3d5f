package io.headrace.runtime.tensor;

import io.headrace.proto.tensorflow.VariantTensorDataProto;

/**
 * A value of a variant tensor that can be serialized: a compressed element, a list of tensors.
 * Values that do not implement it (datasets, iterators) stay in their process. Immutable.
 */
public interface Variant {
  /** The value in TensorFlow's encoding, with its registered type name. */
  VariantTensorDataProto encode();

  /** A variant as received, decoded by the ops that know its type name. */
  record Encoded(VariantTensorDataProto proto) implements Variant {
    @Override
    public VariantTensorDataProto encode() {
      return proto;
    }
  }
}
