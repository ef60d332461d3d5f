package io.headrace.gpu.cuda;

import java.lang.foreign.MemorySegment;

/** Host memory as an argument of the driver. */
final class HostMemory {
  private HostMemory() {}

  /** The address of native memory; a heap array has none that lasts. */
  static long address(MemorySegment memory) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("the driver copies native memory only, not " + memory);
    }
    return memory.address();
  }
}
