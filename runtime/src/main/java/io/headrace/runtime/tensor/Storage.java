package io.headrace.runtime.tensor;

import org.jspecify.annotations.Nullable;

/** The storage of a tensor's elements. Never modified once a tensor refers to it. */
sealed interface Storage {
  /** The elements on the host. */
  HostArray host();

  /** The index, in elements, of the first one in the host's array. */
  int offset();

  /**
   * A Java array of the dtype's {@link ElementKind}, from element {@code offset} on. The array may
   * be longer than the tensor, and other tensors may be views of it.
   */
  record HostArray(Object array, int offset) implements Storage {
    @Override
    public HostArray host() {
      return this;
    }
  }

  /**
   * The memory of a device, and an array as well, from when the host first asked for it. Readers
   * that ask at once may each copy it; one copy is kept. Thread-safe.
   */
  final class OnDevice implements Storage {
    private final DeviceStorage memory;

    private volatile @Nullable HostArray copy;

    OnDevice(DeviceStorage memory) {
      this.memory = memory;
    }

    DeviceStorage memory() {
      return memory;
    }

    @Override
    public HostArray host() {
      HostArray known = copy;
      // No lock is held meanwhile, as the threads that copy may be waiting for it.
      return known == null ? keep(new HostArray(memory.toHost(), 0)) : known;
    }

    private synchronized HostArray keep(HostArray made) {
      HostArray first = copy;
      if (first != null) {
        return first;
      }
      copy = made;
      return made;
    }

    @Override
    public int offset() {
      return 0;
    }
  }
}
