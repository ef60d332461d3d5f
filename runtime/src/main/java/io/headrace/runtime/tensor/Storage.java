package io.headrace.runtime.tensor;

/** The storage of a tensor's elements. Never modified once a tensor refers to it. */
sealed interface Storage {
  /**
   * A Java array of the dtype's {@link ElementKind}, from element {@code offset} on. The array may
   * be longer than the tensor, and other tensors may be views of it.
   */
  record HostArray(Object array, int offset) implements Storage {}
}
