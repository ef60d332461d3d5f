package io.headrace.runtime.execute;

import io.headrace.runtime.device.VariableReference;
import io.headrace.runtime.tensor.Tensor;

/**
 * The output of an Identity or a switch whose input is a reference to a variable of TensorFlow 1.
 * TensorFlow outputs a tensor that shares the variable's memory, so a consumer that runs after an
 * assignment sees the assigned value; SyncReplicasOptimizer, for one, announces a new step to its
 * workers by a tensor read before the step. Tensors are immutable here, so each consumer of an
 * alias reads the variable when it starts.
 *
 * @param handle the variable's handle
 */
record ReferenceAlias(Tensor handle) {
  /** The variable's current value. */
  Tensor read() {
    return VariableReference.read(handle);
  }
}
