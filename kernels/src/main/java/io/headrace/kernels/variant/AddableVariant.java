package io.headrace.kernels.variant;

/**
 * A variant value with zeros and sums, which gradients need: the variant types with TensorFlow's
 * unary function ZEROS_LIKE and binary function ADD. Immutable.
 */
public interface AddableVariant {
  /** TensorFlow's registered type name. */
  String typeName();

  /** A value of the same structure whose tensors are zeros. */
  AddableVariant zeros();

  /**
   * The sum with {@code other}, which has the same type name.
   *
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT if the values cannot be
   *     added
   */
  AddableVariant plus(AddableVariant other);
}
