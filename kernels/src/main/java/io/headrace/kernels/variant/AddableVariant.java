package io.headrace.kernels.variant;

/**
 * A value of a variant tensor of which there are zeros, and sums with others of its kind, as
 * gradients need them: what TensorFlow registers for ZerosLike and AddN. Immutable.
 */
public interface AddableVariant {
  /** The name under which TensorFlow registered the type. */
  String typeName();

  /** The same with zeros in place of its numbers. */
  AddableVariant zeros();

  /**
   * Its sum with {@code other}, which has the same type name.
   *
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT if they have no sum
   */
  AddableVariant plus(AddableVariant other);
}
