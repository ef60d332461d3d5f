package io.headrace.runtime.device;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tensors that a session keeps between steps, by handles that clients hold. A tensor is kept until
 * it is deleted or the session ends. Thread-safe.
 */
public final class SessionTensors {
  private final Map<String, Tensor> held = new ConcurrentHashMap<>();
  private final AtomicLong count = new AtomicLong();

  /**
   * Keeps {@code tensor}, the input of node {@code node} on {@code device}, and returns its handle
   * "node;number;device", from which TensorFlow's clients know where to read it.
   */
  public String keep(String node, Device device, Tensor tensor) {
    String handle = node + ";" + count.getAndIncrement() + ";" + device.name();
    held.put(handle, tensor);
    return handle;
  }

  /** The tensor of {@code handle}; INVALID_ARGUMENT if it does not exist or was deleted. */
  public Tensor get(String handle) {
    Tensor tensor = held.get(handle);
    if (tensor == null) {
      throw StatusException.invalidArgument(
          "The tensor with handle '%s' is not in the session store.", handle);
    }
    return tensor;
  }

  /** Deletes the tensor of {@code handle}; INVALID_ARGUMENT if it does not exist. */
  public void delete(String handle) {
    if (held.remove(handle) == null) {
      throw StatusException.invalidArgument(
          "Failed to delete a tensor with handle '%s' in the session store.", handle);
    }
  }
}
