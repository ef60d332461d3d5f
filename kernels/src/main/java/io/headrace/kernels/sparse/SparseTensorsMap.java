package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A resource that holds sparse tensors by integer handle, so that a queue can carry the handles.
 * Taking a tensor removes it. Thread-safe.
 */
final class SparseTensorsMap {
  private final String name;
  private final Map<Long, SparseTensor> held = new HashMap<>();
  private long next;

  SparseTensorsMap(String name) {
    this.name = name;
  }

  /** Adds {@code tensor}, and returns its handle. */
  synchronized long add(SparseTensor tensor) {
    held.put(next, tensor);
    return next++;
  }

  /**
   * Removes and returns the tensors of {@code handles}, in that order. INVALID_ARGUMENT if a handle
   * is unknown; the tensors of the handles before it are removed nevertheless, as in TensorFlow.
   */
  synchronized List<SparseTensor> take(Tensor handles) {
    List<SparseTensor> taken = new ArrayList<>();
    for (long handle : handles.integers()) {
      SparseTensor tensor = held.remove(handle);
      if (tensor == null) {
        throw invalidArgument("Unable to find SparseTensor: %d in map: %s", handle, name);
      }
      taken.add(tensor);
    }
    return taken;
  }
}
