package io.headrace.runtime.device;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tensors that the steps of a session leave to later ones, by handles that clients hold. They
 * stay until they are deleted, or until the session ends and this with it. Thread-safe.
 */
public final class SessionTensors {
  private final Map<String, Tensor> held = new ConcurrentHashMap<>();
  private final AtomicLong count = new AtomicLong();

  /**
   * Keeps {@code tensor}, which node {@code node} on {@code device} was given. Its handle: the
   * three parts "node;number;device" by which TensorFlow's clients know where to read it.
   */
  public String keep(String node, Device device, Tensor tensor) {
    String handle = node + ";" + count.getAndIncrement() + ";" + device.name();
    held.put(handle, tensor);
    return handle;
  }

  /** The tensor of {@code handle}; INVALID_ARGUMENT if there is none, or none any more. */
  public Tensor get(String handle) {
    Tensor tensor = held.get(handle);
    if (tensor == null) {
      throw StatusException.invalidArgument(
          "The tensor with handle '%s' is not in the session store.", handle);
    }
    return tensor;
  }

  /** Forgets the tensor of {@code handle}; INVALID_ARGUMENT if there is none. */
  public void delete(String handle) {
    if (held.remove(handle) == null) {
      throw StatusException.invalidArgument(
          "Failed to delete a tensor with handle '%s' in the session store.", handle);
    }
  }
}
