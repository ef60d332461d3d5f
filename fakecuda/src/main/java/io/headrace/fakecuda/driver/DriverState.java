package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.MemoryTraffic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All that a fake driver holds. Used under the driver's lock. */
final class DriverState {
  private static final long FIRST_HANDLE = 0x5000_0000_0000L;

  private final FakeCudaConfig config;
  private final List<FakeDevice> devices = new ArrayList<>();
  private final Map<Long, Long> contextOfThread = new HashMap<>();
  private final Failures failures = new Failures();
  private final PinnedMemory pinned = new PinnedMemory();
  private long nextHandle = FIRST_HANDLE;
  private long steps;
  private @Nullable MemoryTraffic traffic;

  DriverState(FakeCudaConfig config) {
    this.config = config;
    for (int i = 0; i < config.devices(); i++) {
      devices.add(
          new FakeDevice(config.memoryBytes(), config.seed() + i, config.recoversFromFaults()));
    }
  }

  FakeCudaConfig config() {
    return config;
  }

  List<FakeDevice> devices() {
    return devices;
  }

  Failures failures() {
    return failures;
  }

  PinnedMemory pinned() {
    return pinned;
  }

  FakeDevice device(int number) {
    if (number < 0 || number >= devices.size()) {
      throw new DriverError(CudaError.INVALID_DEVICE);
    }
    return devices.get(number);
  }

  long newHandle() {
    nextHandle += 0x10;
    return nextHandle;
  }

  Optional<FakeDevice> ofContext(long context) {
    return devices.stream()
        .filter(device -> context != 0 && device.context() == context)
        .findFirst();
  }

  void setCurrent(long context) {
    if (context != 0 && ofContext(context).isEmpty()) {
      throw new DriverError(CudaError.INVALID_CONTEXT);
    }
    contextOfThread.put(Thread.currentThread().threadId(), context);
  }

  /** The handle that is current on this thread, even if its context is destroyed; 0 for none. */
  long currentContext() {
    return contextOfThread.getOrDefault(Thread.currentThread().threadId(), 0L);
  }

  /** The device of the current context; fails if there is none, or if it is lost. */
  FakeDevice current() {
    FakeDevice device =
        ofContext(currentContext()).orElseThrow(() -> new DriverError(CudaError.INVALID_CONTEXT));
    device.checkNotLost();
    return device;
  }

  /** The thing behind a handle of the current context. */
  <T> T handle(FakeDevice device, long handle, Class<T> type) {
    Object found = device.handles().get(handle);
    if (!type.isInstance(found)) {
      throw new DriverError(CudaError.INVALID_HANDLE);
    }
    return type.cast(found);
  }

  /** Counts the instructions of a launch. */
  void addSteps(long count) {
    steps += count;
  }

  long steps() {
    return steps;
  }

  /** Counts the use of global memory from now on, from nothing. */
  MemoryTraffic countTraffic() {
    MemoryTraffic fresh = new MemoryTraffic();
    traffic = fresh;
    return fresh;
  }

  /** The count of the use of global memory; null if nobody asked for it. */
  @Nullable MemoryTraffic traffic() {
    return traffic;
  }

  /** Gives a thing of the context a handle. */
  long add(FakeDevice device, Object thing) {
    long handle = newHandle();
    device.handles().put(handle, thing);
    return handle;
  }
}
