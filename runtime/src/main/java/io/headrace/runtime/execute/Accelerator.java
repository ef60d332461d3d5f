package io.headrace.runtime.execute;

import io.headrace.runtime.device.Cleanup;
import java.util.List;

/**
 * A device beside the CPUs that a server offers, such as a GPU. Its kernels take tensors from the
 * host and from its memory, and leave their results there. Thread-safe.
 */
public interface Accelerator extends AutoCloseable {
  /** The type that nodes are pinned to: {@code GPU}. */
  String type();

  /** The bytes of its memory that this process may use. */
  long memoryLimit();

  /** TensorFlow's {@code physical_device_desc}. */
  String description();

  /** Makes the kernels of the nodes that {@link AcceleratedNodes} names. */
  DeviceKernels kernels();

  /** Frees the device. Idempotent. */
  @Override
  void close();

  /** Closes all of {@code accelerators}; the first failure is thrown at the end. */
  static void closeAll(List<Accelerator> accelerators) {
    Cleanup.forEach(accelerators, Accelerator::close);
  }
}
