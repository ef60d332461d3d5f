package io.headrace.runtime.device;

import io.headrace.runtime.tensor.Tensor;

/**
 * A variable on an edge of a {@code Ref} argument, as in TensorFlow 1: the edge carries the handle,
 * and the executor reads the variable when a consumer takes the value. Thread-safe.
 */
public interface VariableReference {
  /** The current value; FAILED_PRECONDITION if the variable is not initialized. */
  Tensor readReference();

  /**
   * The current value of the variable of {@code handle}; INVALID_ARGUMENT for any other handle,
   * FAILED_PRECONDITION if the variable is not initialized.
   */
  static Tensor read(Tensor handle) {
    if (handle.elements() == 1 && handle.reference(0) instanceof VariableReference reference) {
      return reference.readReference();
    }
    throw WrongHandle.of(handle, "variable");
  }
}
