package io.headrace.runtime.execute;

import io.headrace.runtime.device.Reference;
import io.headrace.runtime.tensor.Tensor;

/**
 * What an Identity, or a switch, makes of a reference to a variable of TensorFlow 1. There it is a
 * tensor that shares the variable's memory, which is changed in place: so whoever takes it behind a
 * change sees the change. SyncReplicasOptimizer, for one, tells its workers of a new step by a
 * tensor that was read before it. Here tensors never change, so each who takes an alias reads it
 * anew, when it begins.
 *
 * @param handle the variable's
 */
record Alias(Tensor handle) {
  /** What the variable holds now. */
  Tensor read() {
    return Reference.read(handle);
  }
}
