package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sparse tensors by numbers, so that they can be handed on, as through a queue, as one number each.
 * What is taken out is gone. Thread-safe.
 */
final class SparseTensorsMap {
  private final String name;
  private final Map<Long, SparseInput> held = new HashMap<>();
  private long next;

  SparseTensorsMap(String name) {
    this.name = name;
  }

  /** Keeps {@code tensor}; its number. */
  synchronized long add(SparseInput tensor) {
    held.put(next, tensor);
    return next++;
  }

  /**
   * The tensors of the numbers {@code handles}, in that order, which it then holds no longer.
   * INVALID_ARGUMENT if it has none of a number; those before it are gone, as in TensorFlow.
   */
  synchronized List<SparseInput> take(Tensor handles) {
    List<SparseInput> taken = new ArrayList<>();
    for (long handle : handles.integers()) {
      SparseInput tensor = held.remove(handle);
      if (tensor == null) {
        throw invalidArgument("Unable to find SparseTensor: %d in map: %s", handle, name);
      }
      taken.add(tensor);
    }
    return taken;
  }
}
