package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.DeviceMemory;
import io.headrace.fakecuda.machine.GpuFault;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A device, and its primary context while it is retained. Used under the driver's lock. */
final class FakeDevice {
  private final long seed;
  private final long memoryBytes;
  private final boolean recovers;
  private final List<String> faults = new ArrayList<>();
  private DeviceTimeline timeline;
  private DeviceMemory memory;
  private final Map<Long, Object> handles = new HashMap<>();
  private long context;
  private int retains;
  private @Nullable CudaError lost;

  FakeDevice(long memoryBytes, long seed, boolean recovers) {
    this.memoryBytes = memoryBytes;
    this.seed = seed;
    this.recovers = recovers;
    timeline = new DeviceTimeline(seed);
    memory = new DeviceMemory(memoryBytes, timeline);
  }

  DeviceTimeline timeline() {
    return timeline;
  }

  DeviceMemory memory() {
    return memory;
  }

  /** The faults of the device, in words. */
  List<String> faults() {
    return faults;
  }

  /** The handle of the primary context; 0 if it is not retained. */
  long context() {
    return context;
  }

  /** Modules, functions, streams and events of the context. */
  Map<Long, Object> handles() {
    return handles;
  }

  /** Retains the context; {@code fresh} is its handle if it is made by that. */
  long retain(long fresh) {
    if (!recovers) {
      checkNotLost();
    }
    if (retains++ == 0) {
      context = fresh;
    }
    return context;
  }

  void release() {
    if (retains == 0) {
      throw new DriverError(CudaError.INVALID_CONTEXT);
    }
    if (--retains == 0) {
      destroy();
    }
  }

  /**
   * Destroys the context with all that it has; what is not freed is no leak then. A lost device
   * that does not recover stays lost.
   */
  void destroy() {
    if (lost == null) {
      timeline.drain();
    }
    handles.clear();
    context = 0;
    retains = 0;
    if (recovers) {
      lost = null;
    }
    timeline = new DeviceTimeline(seed);
    memory = new DeviceMemory(memoryBytes, timeline);
  }

  /** Fails if an earlier error has lost the context. */
  void checkNotLost() {
    if (lost != null) {
      throw new DriverError(lost);
    }
  }

  /** Loses the context: all later calls fail, and pending work is dropped. */
  void lose(CudaError error) {
    if (lost == null) {
      lost = error;
      timeline.drop();
    }
  }

  /** Runs work; a fault of it is kept and loses the context. */
  void guard(String description, Runnable work) {
    try {
      work.run();
    } catch (GpuFault fault) {
      faults.add(description + ": " + fault.getMessage());
      lose(
          switch (fault.kind()) {
            case ILLEGAL_ADDRESS -> CudaError.ILLEGAL_ADDRESS;
            case MISALIGNED_ADDRESS -> CudaError.MISALIGNED_ADDRESS;
            case TIMEOUT -> CudaError.LAUNCH_TIMEOUT;
            case UNINITIALIZED, RACE, SYNCHRONIZATION, UNSPECIFIED, TRAP -> CudaError.LAUNCH_FAILED;
          });
    }
  }
}
