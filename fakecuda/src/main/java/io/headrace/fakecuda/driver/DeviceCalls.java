package io.headrace.fakecuda.driver;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * CUDA Driver API, Error Handling, Initialization, Device, Primary Context and Context Management.
 */
final class DeviceCalls {
  private static final String NAME = "Headrace Fake GPU";

  /** Texts of the driver, which a caller may keep. */
  private static final Map<String, Long> TEXTS = new HashMap<>();

  private final DriverState state;

  DeviceCalls(DriverState state) {
    this.state = state;
  }

  private static long text(String text) {
    return TEXTS.computeIfAbsent(text, key -> Arena.global().allocateFrom(key).address());
  }

  int cuGetErrorName(int code, long text) {
    CudaError error = error(code);
    NativeMemory.setLong(text, text(error.text()));
    return 0;
  }

  int cuGetErrorString(int code, long text) {
    CudaError error = error(code);
    NativeMemory.setLong(text, text(error.description()));
    return 0;
  }

  private static CudaError error(int code) {
    Optional<CudaError> error = CudaError.of(code);
    return error.orElseThrow(() -> new DriverError(CudaError.INVALID_VALUE));
  }

  int cuInit(int flags) {
    if (flags != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    if (state.devices().isEmpty()) {
      throw new DriverError(CudaError.NO_DEVICE);
    }
    return 0;
  }

  int cuDriverGetVersion(long version) {
    NativeMemory.setInt(version, state.config().driverVersion());
    return 0;
  }

  int cuDeviceGetCount(long count) {
    NativeMemory.setInt(count, state.devices().size());
    return 0;
  }

  int cuDeviceGet(long device, int ordinal) {
    var _ = state.device(ordinal);
    NativeMemory.setInt(device, ordinal);
    return 0;
  }

  int cuDeviceGetName(long name, int length, int device) {
    var _ = state.device(device);
    NativeMemory.setText(name, length, NAME);
    return 0;
  }

  int cuDeviceTotalMem_v2(long bytes, int device) {
    NativeMemory.setLong(bytes, state.device(device).memory().capacity());
    return 0;
  }

  int cuDeviceGetAttribute(long value, int attribute, int device) {
    var _ = state.device(device);
    int capability = state.config().capability();
    NativeMemory.setInt(
        value,
        switch (attribute) {
          case 1 -> 1024; // threads of a block
          case 5 -> Integer.MAX_VALUE; // blocks of a grid
          case 8 -> ModuleCalls.SHARED_BYTES;
          case 10 -> 32; // threads of a warp
          case 16 -> ModuleCalls.MULTIPROCESSORS;
          case 18, 20 -> 0; // neither integrated, nor closed to contexts
          case 31 -> 1; // kernels beside each other
          case 36 -> 1_000_000; // kHz of the memory
          case 37 -> 256; // bits of the bus
          case 38 -> 1 << 20; // bytes of the cache
          case 40 -> 2; // copies beside kernels
          case 75 -> capability / 10;
          case 76 -> capability % 10;
          case 97 -> ModuleCalls.SHARED_BYTES_WITH_OPT_IN;
          default -> throw new DriverError(CudaError.INVALID_VALUE);
        });
    return 0;
  }

  int cuDeviceGetPCIBusId(long id, int length, int device) {
    var _ = state.device(device);
    NativeMemory.setText(id, length, "0000:%02X:00.0".formatted(device + 10));
    return 0;
  }

  int cuDevicePrimaryCtxRetain(long context, int device) {
    NativeMemory.setLong(context, state.device(device).retain(state.newHandle()));
    return 0;
  }

  int cuDevicePrimaryCtxRelease_v2(int device) {
    FakeDevice released = state.device(device);
    released.release();
    if (released.context() == 0) {
      state.pinned().unregisterAll(released);
    }
    return 0;
  }

  int cuDevicePrimaryCtxReset_v2(int device) {
    FakeDevice reset = state.device(device);
    reset.destroy();
    state.pinned().unregisterAll(reset);
    return 0;
  }

  int cuCtxSetCurrent(long context) {
    state.setCurrent(context);
    return 0;
  }

  int cuCtxGetCurrent(long context) {
    NativeMemory.setLong(context, state.currentContext());
    return 0;
  }

  int cuCtxSynchronize() {
    FakeDevice device = state.current();
    device.timeline().synchronizeAll();
    device.checkNotLost();
    return 0;
  }
}
