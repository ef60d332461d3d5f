package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.StreamRole;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates for kernels. Where the memory is taken by tensors that nobody refers to any more, which
 * the collector has not found yet because they are small on the host, it is asked to. Thread-safe.
 */
final class GpuMemory {
  /** How often the collector is asked before an allocation fails. */
  private static final int MAX_COLLECTIONS = 3;

  /** How long the memory of the tensors that the collector found may take to be freed. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private static final Object COLLECTING = new Object();
  private static final AtomicLong COLLECTIONS = new AtomicLong();

  private GpuMemory() {}

  /** As {@link GpuContext#allocate}. */
  static DeviceBuffer allocate(
      GpuContext context, long bytes, String owner, StreamRole user, HostWait wait) {
    for (int tries = 0; ; tries++) {
      long seen = COLLECTIONS.get();
      try {
        return context.allocate(bytes, owner, user, wait);
      } catch (StatusException e) {
        if (e.code() != StatusCode.RESOURCE_EXHAUSTED
            || tries == MAX_COLLECTIONS
            || bytes > context.memory().limit()) {
          throw e;
        }
      }
      wait.cancellation().check();
      collect(seen);
    }
  }

  /** Asks the collector, unless another thread has done so after {@code seen} collections. */
  private static void collect(long seen) {
    synchronized (COLLECTING) {
      if (COLLECTIONS.get() == seen) {
        System.gc();
        COLLECTIONS.incrementAndGet();
      }
    }
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "the wait for memory was interrupted", e);
    }
  }
}
