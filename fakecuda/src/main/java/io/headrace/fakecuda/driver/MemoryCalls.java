package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.DeviceMemory;
import java.util.Arrays;

/** CUDA Driver API, Memory Management. */
final class MemoryCalls {
  private final DriverState state;

  MemoryCalls(DriverState state) {
    this.state = state;
  }

  int cuMemAlloc_v2(long address, long bytes) {
    FakeDevice device = state.current();
    if (bytes <= 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    NativeMemory.setLong(
        address,
        device
            .memory()
            .allocate(bytes)
            .orElseThrow(() -> new DriverError(CudaError.OUT_OF_MEMORY)));
    return 0;
  }

  /** Waits for all work, as the driver does; work that the host has not waited for is a race. */
  int cuMemFree_v2(long address) {
    FakeDevice device = state.current();
    if (address == 0) {
      return 0;
    }
    if (!device.memory().isAllocated(address)) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    device.timeline().drain();
    device.checkNotLost();
    device.guard(
        "cuMemFree", () -> device.memory().free(address, device.timeline().hostOperation()));
    device.checkNotLost();
    return 0;
  }

  int cuMemGetInfo_v2(long free, long total) {
    DeviceMemory memory = state.current().memory();
    NativeMemory.setLong(free, memory.free());
    NativeMemory.setLong(total, memory.capacity());
    return 0;
  }

  int cuMemHostAlloc(long address, long bytes, int flags) {
    var _ = state.current();
    if (bytes <= 0 || (flags & ~7) != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    NativeMemory.setLong(address, state.pinned().allocate(bytes));
    return 0;
  }

  int cuMemFreeHost(long address) {
    FakeDevice device = state.current();
    // Copies that are on their way fail, as they would not on a device: see copy().
    state.pinned().free(address);
    device.timeline().runSome();
    return 0;
  }

  int cuMemHostRegister_v2(long address, long bytes, int flags) {
    FakeDevice device = state.current();
    if (address == 0 || bytes <= 0 || (flags & ~0xf) != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    state.pinned().register(device, address, bytes);
    return 0;
  }

  /** Copies that are on their way fail, as with {@link #cuMemFreeHost}. */
  int cuMemHostUnregister(long address) {
    FakeDevice device = state.current();
    state.pinned().unregister(address);
    device.timeline().runSome();
    return 0;
  }

  int cuMemcpyHtoD_v2(long to, long from, long bytes) {
    FakeDevice device = state.current();
    byte[] copied = NativeMemory.read(from, bytes);
    wait(
        device,
        device
            .timeline()
            .enqueue(
                0,
                "cuMemcpyHtoD",
                number ->
                    device.guard("cuMemcpyHtoD", () -> device.memory().write(to, copied, number))));
    return 0;
  }

  int cuMemcpyDtoH_v2(long to, long from, long bytes) {
    FakeDevice device = state.current();
    wait(device, enqueueDtoH(device, to, from, bytes, 0));
    return 0;
  }

  private static void wait(FakeDevice device, StreamWork operation) {
    device.timeline().synchronize(operation);
    device.checkNotLost();
  }

  /** From pinned memory the copy reads late; other memory is read before the call returns. */
  int cuMemcpyHtoDAsync_v2(long to, long from, long bytes, long stream) {
    FakeDevice device = state.current();
    long queue = queue(device, stream);
    if (!state.pinned().contains(from, bytes)) {
      byte[] copied = NativeMemory.read(from, bytes);
      var _ =
          device
              .timeline()
              .enqueue(
                  queue,
                  "cuMemcpyHtoDAsync",
                  number ->
                      device.guard(
                          "cuMemcpyHtoDAsync", () -> device.memory().write(to, copied, number)));
      return 0;
    }
    var _ =
        device
            .timeline()
            .enqueue(
                queue,
                "cuMemcpyHtoDAsync",
                number ->
                    device.guard(
                        "cuMemcpyHtoDAsync",
                        () -> {
                          checkStillPinned(from, bytes);
                          device.memory().write(to, NativeMemory.read(from, bytes), number);
                        }));
    return 0;
  }

  /** Into memory that is not pinned, the call waits for the copy. */
  int cuMemcpyDtoHAsync_v2(long to, long from, long bytes, long stream) {
    FakeDevice device = state.current();
    StreamWork operation = enqueueDtoH(device, to, from, bytes, queue(device, stream));
    if (!state.pinned().contains(to, bytes)) {
      wait(device, operation);
    }
    return 0;
  }

  private StreamWork enqueueDtoH(FakeDevice device, long to, long from, long bytes, long queue) {
    boolean isPinned = state.pinned().contains(to, bytes);
    return device
        .timeline()
        .enqueue(
            queue,
            "cuMemcpyDtoH",
            number ->
                device.guard(
                    "cuMemcpyDtoH",
                    () -> {
                      if (isPinned) {
                        checkStillPinned(to, bytes);
                      }
                      NativeMemory.write(
                          to, device.memory().read(from, Math.toIntExact(bytes), number));
                    }));
  }

  private void checkStillPinned(long address, long bytes) {
    if (!state.pinned().contains(address, bytes)) {
      throw HostFaults.freedTooEarly();
    }
  }

  int cuMemcpyDtoDAsync_v2(long to, long from, long bytes, long stream) {
    FakeDevice device = state.current();
    var _ =
        device
            .timeline()
            .enqueue(
                queue(device, stream),
                "cuMemcpyDtoDAsync",
                number ->
                    device.guard(
                        "cuMemcpyDtoDAsync",
                        () -> device.memory().copy(to, from, Math.toIntExact(bytes), number)));
    return 0;
  }

  int cuMemsetD8Async(long to, int value, long count, long stream) {
    byte[] bytes = new byte[Math.toIntExact(count)];
    Arrays.fill(bytes, (byte) value);
    return set(to, bytes, stream);
  }

  int cuMemsetD32Async(long to, int value, long count, long stream) {
    if (to % 4 != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    byte[] bytes = new byte[Math.toIntExact(4 * count)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (value >> (8 * (i % 4)));
    }
    return set(to, bytes, stream);
  }

  private int set(long to, byte[] bytes, long stream) {
    FakeDevice device = state.current();
    var _ =
        device
            .timeline()
            .enqueue(
                queue(device, stream),
                "cuMemset",
                number -> device.guard("cuMemset", () -> device.memory().write(to, bytes, number)));
    return 0;
  }

  private long queue(FakeDevice device, long stream) {
    return StreamCalls.queue(state, device, stream);
  }
}
