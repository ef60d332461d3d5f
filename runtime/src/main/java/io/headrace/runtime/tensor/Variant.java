package io.headrace.runtime.tensor;

import io.headrace.proto.tensorflow.VariantTensorDataProto;

/**
 * A value of a variant tensor that can travel: a compressed element, a list of tensors. Values that
 * do not implement it (datasets, iterators) stay in their process. Immutable.
 */
public interface Variant {
  /** The value as TensorFlow writes it, with its registered type name. */
  VariantTensorDataProto encode();

  /** A variant as it came from the wire: whoever knows its type name decodes it. */
  record Encoded(VariantTensorDataProto proto) implements Variant {
    @Override
    public VariantTensorDataProto encode() {
      return proto;
    }
  }
}
