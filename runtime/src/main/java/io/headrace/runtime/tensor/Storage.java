package io.headrace.runtime.tensor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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

  /** The memory of a device, and an array as well, from when the host first asked for it. */
  final class OnDevice implements Storage {
    private final DeviceStorage memory;

    @GuardedBy("this")
    private @Nullable HostArray copy;

    OnDevice(DeviceStorage memory) {
      this.memory = memory;
    }

    DeviceStorage memory() {
      return memory;
    }

    @Override
    public synchronized HostArray host() {
      HostArray known = copy;
      if (known == null) {
        known = new HostArray(memory.toHost(), 0);
        copy = known;
      }
      return known;
    }

    @Override
    public int offset() {
      return 0;
    }
  }
}
