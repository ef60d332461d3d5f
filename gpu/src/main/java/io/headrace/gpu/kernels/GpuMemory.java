package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.StreamRole;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/**
 * Allocates for kernels. Where the memory is taken by tensors that nobody refers to any more, which
 * the collector has not found yet because they are small on the host, it is asked to.
 */
final class GpuMemory {
  /** How often the collector is asked before an allocation fails. */
  private static final int MAX_COLLECTIONS = 3;

  /** How long what the collector found may take to be freed. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private GpuMemory() {}

  /** As {@link GpuContext#allocate}. */
  static DeviceBuffer allocate(GpuContext context, long bytes, String owner, HostWait wait) {
    for (int collections = 0; ; collections++) {
      try {
        return context.allocate(bytes, owner, StreamRole.COMPUTE, wait);
      } catch (StatusException e) {
        if (e.code() != StatusCode.RESOURCE_EXHAUSTED || collections == MAX_COLLECTIONS) {
          throw e;
        }
      }
      collect();
    }
  }

  private static void collect() {
    System.gc();
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "the wait for memory was interrupted", e);
    }
  }
}
