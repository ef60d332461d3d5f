package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.GpuFault;

/** Faults of copies that lie with the host. */
final class HostFaults {
  private HostFaults() {}

  static GpuFault freedTooEarly() {
    return new GpuFault(
        GpuFault.Kind.ILLEGAL_ADDRESS, "the pinned memory was freed before the copy ran");
  }
}
