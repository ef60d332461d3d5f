package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.runtime.device.Cleanup;
import java.util.ArrayDeque;
import java.util.List;

/** The events of a context, which are used again. Used under the context's lock. */
final class GpuEvents {
  private final ArrayDeque<Long> idle = new ArrayDeque<>();

  /** An event that nothing waits for any more, or a new one. */
  long take(CudaDriver driver) {
    Long handle = idle.poll();
    return handle == null ? driver.eventCreate(false) : handle;
  }

  /** Keeps an event whose work is done. */
  void give(long handle) {
    idle.push(handle);
  }

  /** Destroys the events that are idle. */
  void destroy(CudaDriver driver) {
    List<Long> all = List.copyOf(idle);
    idle.clear();
    Cleanup.forEach(all, driver::eventDestroy);
  }
}
