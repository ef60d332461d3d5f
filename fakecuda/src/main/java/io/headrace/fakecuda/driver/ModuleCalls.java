package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.Dimensions;
import io.headrace.fakecuda.machine.GpuKernel;
import io.headrace.fakecuda.machine.GpuModule;
import io.headrace.fakecuda.machine.KernelLaunch;
import io.headrace.fakecuda.ptx.PtxException;
import java.util.ArrayList;
import java.util.List;

/** CUDA Driver API, Module Management, Execution Control and Occupancy. */
final class ModuleCalls {
  static final int SHARED_BYTES = 48 << 10;
  static final int SHARED_BYTES_WITH_OPT_IN = 96 << 10;
  static final int MULTIPROCESSORS = 4;

  private static final int MAX_GRID_Y = 65535;
  private static final int THREADS_OF_MULTIPROCESSOR = 2048;
  private static final int BLOCKS_OF_MULTIPROCESSOR = 32;
  private static final int JIT_ERROR_LOG_BUFFER = 5;
  private static final int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;

  private final DriverState state;

  ModuleCalls(DriverState state) {
    this.state = state;
  }

  /** A module and the handles of its functions. */
  private record Loaded(GpuModule module, List<Long> functions) {}

  /** A function, with its limit of dynamic shared memory. */
  private static final class Function {
    final GpuKernel kernel;
    int maxDynamicShared;

    Function(GpuKernel kernel) {
      this.kernel = kernel;
      maxDynamicShared = SHARED_BYTES - kernel.sharedBytes();
    }
  }

  int cuModuleLoadDataEx(long module, long image, int options, long keys, long values) {
    FakeDevice device = state.current();
    try {
      GpuModule loaded =
          GpuModule.load(device.memory(), NativeMemory.text(image))
              .orElseThrow(() -> new DriverError(CudaError.OUT_OF_MEMORY));
      NativeMemory.setLong(module, state.add(device, new Loaded(loaded, new ArrayList<>())));
      return 0;
    } catch (PtxException e) {
      writeLog(String.valueOf(e.getMessage()), options, keys, values);
      throw new DriverError(CudaError.INVALID_PTX);
    }
  }

  private static void writeLog(String message, int options, long keys, long values) {
    long buffer = 0;
    int length = 0;
    for (int i = 0; i < options; i++) {
      long value = NativeMemory.getLong(values + 8L * i);
      switch (NativeMemory.getInt(keys + 4L * i)) {
        case JIT_ERROR_LOG_BUFFER -> buffer = value;
        case JIT_ERROR_LOG_BUFFER_SIZE_BYTES -> length = (int) value;
        default -> throw new DriverError(CudaError.INVALID_VALUE);
      }
    }
    if (buffer != 0 && length > 0) {
      NativeMemory.setText(buffer, length, message);
    }
  }

  int cuModuleUnload(long module) {
    FakeDevice device = state.current();
    Loaded loaded = state.handle(device, module, Loaded.class);
    device.timeline().drain();
    device.checkNotLost();
    loaded.functions().forEach(device.handles()::remove);
    device.handles().remove(module);
    device.guard(
        "cuModuleUnload",
        () -> loaded.module().unload(device.memory(), device.timeline().hostOperation()));
    device.checkNotLost();
    return 0;
  }

  int cuModuleGetFunction(long function, long module, long name) {
    FakeDevice device = state.current();
    Loaded loaded = state.handle(device, module, Loaded.class);
    GpuKernel kernel =
        loaded
            .module()
            .kernel(NativeMemory.text(name))
            .orElseThrow(() -> new DriverError(CudaError.NOT_FOUND));
    long handle = state.add(device, new Function(kernel));
    loaded.functions().add(handle);
    NativeMemory.setLong(function, handle);
    return 0;
  }

  int cuModuleGetGlobal_v2(long address, long bytes, long module, long name) {
    FakeDevice device = state.current();
    long variable =
        state
            .handle(device, module, Loaded.class)
            .module()
            .variable(NativeMemory.text(name))
            .orElseThrow(() -> new DriverError(CudaError.NOT_FOUND));
    NativeMemory.setLong(address, variable);
    NativeMemory.setLong(bytes, device.memory().sizeOf(variable));
    return 0;
  }

  int cuFuncGetAttribute(long value, int attribute, long function) {
    Function found = state.handle(state.current(), function, Function.class);
    NativeMemory.setInt(
        value,
        switch (attribute) {
          case 0 -> found.kernel.maxThreads();
          case 1 -> found.kernel.sharedBytes();
          case 3 -> found.kernel.localBytes();
          case 4 -> found.kernel.registers();
          case 8 -> found.maxDynamicShared;
          default -> throw new DriverError(CudaError.INVALID_VALUE);
        });
    return 0;
  }

  int cuFuncSetAttribute(long function, int attribute, int value) {
    Function found = state.handle(state.current(), function, Function.class);
    if (attribute != 8
        || value < 0
        || value > SHARED_BYTES_WITH_OPT_IN - found.kernel.sharedBytes()) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    found.maxDynamicShared = value;
    return 0;
  }

  int cuOccupancyMaxActiveBlocksPerMultiprocessor(
      long blocks, long function, int blockSize, long sharedBytes) {
    Function found = state.handle(state.current(), function, Function.class);
    if (blockSize < 1) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    long shared = found.kernel.sharedBytes() + sharedBytes;
    long byShared = shared == 0 ? BLOCKS_OF_MULTIPROCESSOR : SHARED_BYTES_WITH_OPT_IN / shared;
    int byThreads =
        blockSize > found.kernel.maxThreads() ? 0 : THREADS_OF_MULTIPROCESSOR / blockSize;
    NativeMemory.setInt(
        blocks, (int) Math.min(BLOCKS_OF_MULTIPROCESSOR, Math.min(byShared, byThreads)));
    return 0;
  }

  int cuLaunchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      long arguments,
      long extra) {
    FakeDevice device = state.current();
    Function found = state.handle(device, function, Function.class);
    long queue = StreamCalls.queue(state, device, stream);
    Dimensions grid = dimensions(gridX, gridY, gridZ);
    Dimensions block = dimensions(blockX, blockY, blockZ);
    if (grid.y() > MAX_GRID_Y
        || grid.z() > MAX_GRID_Y
        || block.z() > 64
        || block.count() > found.kernel.maxThreads()
        || sharedBytes < 0
        || sharedBytes > found.maxDynamicShared
        || extra != 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    byte[] values = arguments(found.kernel, arguments);
    long seed = device.timeline().nextSeed();
    var _ =
        device
            .timeline()
            .enqueue(
                queue,
                found.kernel.name(),
                number ->
                    device.guard(
                        "cuLaunchKernel",
                        () ->
                            state.addSteps(
                                new KernelLaunch(
                                        found.kernel,
                                        grid,
                                        block,
                                        sharedBytes,
                                        values,
                                        number,
                                        seed,
                                        state.config().maxSteps())
                                    .run(state.traffic()))));
    device.timeline().runSome();
    return 0;
  }

  private static Dimensions dimensions(int x, int y, int z) {
    if (x < 1 || y < 1 || z < 1) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    return new Dimensions(x, y, z);
  }

  /** Copies the values to which an array of pointers points. */
  private static byte[] arguments(GpuKernel kernel, long pointers) {
    byte[] values = new byte[kernel.argumentBytes()];
    List<GpuKernel.Parameter> parameters = kernel.parameters();
    for (int i = 0; i < parameters.size(); i++) {
      GpuKernel.Parameter parameter = parameters.get(i);
      byte[] value = NativeMemory.read(NativeMemory.getLong(pointers + 8L * i), parameter.bytes());
      System.arraycopy(value, 0, values, parameter.offset(), value.length);
    }
    return values;
  }
}
