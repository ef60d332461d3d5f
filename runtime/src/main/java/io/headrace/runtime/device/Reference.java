package io.headrace.runtime.device;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;

/**
 * A variable that an edge of a {@code Ref} argument carries, as in TensorFlow 1: the edge holds its
 * handle, and the executor reads the variable where a consumer takes the value. Thread-safe.
 */
public interface Reference {
  /** The variable's value now; FAILED_PRECONDITION if it has none. */
  Tensor readReference();

  /**
   * The value now of the variable with {@code handle}; INVALID_ARGUMENT if the handle is not that
   * of one variable, FAILED_PRECONDITION if the variable has no value.
   */
  static Tensor read(Tensor handle) {
    if (handle.elements() == 1 && handle.reference(0) instanceof Reference reference) {
      return reference.readReference();
    }
    throw StatusException.invalidArgument(
        "the handle must be that of one variable, and is %s", handle);
  }
}
