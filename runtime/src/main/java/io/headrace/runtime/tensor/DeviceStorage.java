package io.headrace.runtime.tensor;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The elements of a tensor in the memory of a device other than the host, which never change.
 * {@link TensorMemory#onDevice} makes a tensor of it, whose elements are copied to the host when
 * and if something there reads them. No part of the API of programs. Thread-safe.
 */
public interface DeviceStorage {
  /**
   * The elements in a new array of the dtype's {@link ElementKind}, which is the caller's. Waits
   * for the work that computes them.
   *
   * @throws io.headrace.runtime.status.StatusException UNAVAILABLE if the device was lost with them
   */
  Object toHost();

  /**
   * The elements in memory of the host outside the Java heap, as {@link TensorMemory#ofSegment}
   * takes it; nothing if they are few, or if there is no such memory, and then {@link #toHost} has
   * them. Waits for the work that computes them.
   *
   * @throws io.headrace.runtime.status.StatusException UNAVAILABLE if the device was lost with them
   */
  default Optional<MemorySegment> toNative() {
    return Optional.empty();
  }
}
