package io.headrace.gpu.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/** The driver by JCuda: a launch costs microseconds in the binding. */
final class JcudaCudaDriver implements CudaDriver {
  /** The value of {@code headrace.cuda} that selects this binding. */
  static final String NAME = "jcuda";

  private static final int MAX_NAME = 256;
  private static final int MAX_LOG = 8192;

  private JcudaCudaDriver() {}

  /**
   * Initializes the driver.
   *
   * @throws LinkageError if JCuda's library is not on the class path, or does not fit the driver's
   * @throws CudaException if the driver refuses to initialize
   */
  static JcudaCudaDriver open() {
    check("cuInit", JCudaDriver.cuInit(0));
    return new JcudaCudaDriver();
  }

  @Override
  public String binding() {
    return NAME;
  }

  @Override
  public int driverGetVersion() {
    int[] version = new int[1];
    check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(version));
    return version[0];
  }

  @Override
  public int deviceGetCount() {
    int[] count = new int[1];
    check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
    return count[0];
  }

  @Override
  public int deviceGet(int ordinal) {
    CUdevice device = new CUdevice();
    check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
    return (int) JcudaPointers.get(device);
  }

  private static CUdevice device(int device) {
    return JcudaPointers.set(new CUdevice(), device);
  }

  private static CUstream stream(long stream) {
    return JcudaPointers.set(new CUstream(), stream);
  }

  private static CUevent event(long event) {
    return JcudaPointers.set(new CUevent(), event);
  }

  private static CUmodule module(long module) {
    return JcudaPointers.set(new CUmodule(), module);
  }

  private static CUfunction function(long function) {
    return JcudaPointers.set(new CUfunction(), function);
  }

  private static CUdeviceptr address(long address) {
    return JcudaPointers.set(new CUdeviceptr(), address);
  }

  private static Pointer host(MemorySegment memory) {
    return JcudaPointers.set(new Pointer(), HostMemory.address(memory));
  }

  @Override
  public String deviceGetName(int device) {
    byte[] name = new byte[MAX_NAME];
    check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, name.length, device(device)));
    int length = 0;
    while (length < name.length && name[length] != 0) {
      length++;
    }
    return new String(name, 0, length, StandardCharsets.UTF_8);
  }

  @Override
  public long deviceTotalMem(int device) {
    long[] bytes = new long[1];
    check("cuDeviceTotalMem", JCudaDriver.cuDeviceTotalMem(bytes, device(device)));
    return bytes[0];
  }

  @Override
  public int deviceGetAttribute(DeviceAttribute attribute, int device) {
    int[] value = new int[1];
    check(
        "cuDeviceGetAttribute",
        JCudaDriver.cuDeviceGetAttribute(value, attribute.code(), device(device)));
    return value[0];
  }

  @Override
  public String deviceGetPciBusId(int device) {
    String[] id = new String[1];
    check("cuDeviceGetPCIBusId", JCudaDriver.cuDeviceGetPCIBusId(id, MAX_NAME, device(device)));
    return id[0];
  }

  @Override
  public long devicePrimaryCtxRetain(int device) {
    CUcontext context = new CUcontext();
    check(
        "cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device(device)));
    return JcudaPointers.get(context);
  }

  @Override
  public void devicePrimaryCtxRelease(int device) {
    check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device(device)));
  }

  @Override
  public void devicePrimaryCtxReset(int device) {
    check("cuDevicePrimaryCtxReset", JCudaDriver.cuDevicePrimaryCtxReset(device(device)));
  }

  @Override
  public void ctxSetCurrent(long context) {
    check(
        "cuCtxSetCurrent",
        JCudaDriver.cuCtxSetCurrent(JcudaPointers.set(new CUcontext(), context)));
  }

  @Override
  public long ctxGetCurrent() {
    CUcontext context = new CUcontext();
    check("cuCtxGetCurrent", JCudaDriver.cuCtxGetCurrent(context));
    return JcudaPointers.get(context);
  }

  @Override
  public void ctxSynchronize() {
    check("cuCtxSynchronize", JCudaDriver.cuCtxSynchronize());
  }

  @Override
  public long memAlloc(long bytes) {
    CUdeviceptr address = new CUdeviceptr();
    check("cuMemAlloc", JCudaDriver.cuMemAlloc(address, bytes));
    return JcudaPointers.get(address);
  }

  @Override
  public void memFree(long address) {
    check("cuMemFree", JCudaDriver.cuMemFree(address(address)));
  }

  @Override
  public MemoryInfo memGetInfo() {
    long[] free = new long[1];
    long[] total = new long[1];
    check("cuMemGetInfo", JCudaDriver.cuMemGetInfo(free, total));
    return new MemoryInfo(free[0], total[0]);
  }

  @Override
  @SuppressWarnings("restricted") // the driver has allocated that many bytes
  public MemorySegment memHostAlloc(long bytes) {
    Pointer memory = new Pointer();
    check(
        "cuMemHostAlloc",
        JCudaDriver.cuMemHostAlloc(memory, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE));
    return MemorySegment.ofAddress(JcudaPointers.get(memory)).reinterpret(bytes);
  }

  @Override
  public void memFreeHost(MemorySegment memory) {
    check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(host(memory)));
  }

  @Override
  public void memHostRegister(MemorySegment memory) {
    check(
        "cuMemHostRegister",
        JCudaDriver.cuMemHostRegister(
            host(memory), memory.byteSize(), JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE));
  }

  @Override
  public void memHostUnregister(MemorySegment memory) {
    check("cuMemHostUnregister", JCudaDriver.cuMemHostUnregister(host(memory)));
  }

  @Override
  public void memcpyHtoD(long to, MemorySegment from) {
    check("cuMemcpyHtoD", JCudaDriver.cuMemcpyHtoD(address(to), host(from), from.byteSize()));
  }

  @Override
  public void memcpyDtoH(MemorySegment to, long from) {
    check("cuMemcpyDtoH", JCudaDriver.cuMemcpyDtoH(host(to), address(from), to.byteSize()));
  }

  @Override
  public void memcpyHtoDAsync(long to, MemorySegment from, long stream) {
    check(
        "cuMemcpyHtoDAsync",
        JCudaDriver.cuMemcpyHtoDAsync(address(to), host(from), from.byteSize(), stream(stream)));
  }

  @Override
  public void memcpyDtoHAsync(MemorySegment to, long from, long stream) {
    check(
        "cuMemcpyDtoHAsync",
        JCudaDriver.cuMemcpyDtoHAsync(host(to), address(from), to.byteSize(), stream(stream)));
  }

  @Override
  public void memcpyDtoDAsync(long to, long from, long bytes, long stream) {
    check(
        "cuMemcpyDtoDAsync",
        JCudaDriver.cuMemcpyDtoDAsync(address(to), address(from), bytes, stream(stream)));
  }

  @Override
  public void memsetD8Async(long to, byte value, long count, long stream) {
    check(
        "cuMemsetD8Async", JCudaDriver.cuMemsetD8Async(address(to), value, count, stream(stream)));
  }

  @Override
  public void memsetD32Async(long to, int value, long count, long stream) {
    check(
        "cuMemsetD32Async",
        JCudaDriver.cuMemsetD32Async(address(to), value, count, stream(stream)));
  }

  @Override
  public long moduleLoadData(String ptx) {
    try (Arena arena = Arena.ofConfined()) {
      CUmodule module = new CUmodule();
      MemorySegment log = arena.allocate(MAX_LOG);
      JitLog options = JitLog.allocate(arena, log);
      int code =
          JCudaDriver.cuModuleLoadDataEx(
              module,
              host(arena.allocateFrom(ptx)),
              JitLog.OPTIONS.length,
              JitLog.OPTIONS.clone(),
              host(options.values()));
      if (code != CudaResult.SUCCESS.code()) {
        throw new CudaException("cuModuleLoadDataEx", code, JitLog.explain(explanation(code), log));
      }
      return JcudaPointers.get(module);
    }
  }

  @Override
  public void moduleUnload(long module) {
    check("cuModuleUnload", JCudaDriver.cuModuleUnload(module(module)));
  }

  @Override
  public long moduleGetFunction(long module, String name) {
    CUfunction function = new CUfunction();
    check("cuModuleGetFunction", JCudaDriver.cuModuleGetFunction(function, module(module), name));
    return JcudaPointers.get(function);
  }

  @Override
  public DeviceRange moduleGetGlobal(long module, String name) {
    CUdeviceptr address = new CUdeviceptr();
    long[] bytes = new long[1];
    check("cuModuleGetGlobal", JCudaDriver.cuModuleGetGlobal(address, bytes, module(module), name));
    return new DeviceRange(JcudaPointers.get(address), bytes[0]);
  }

  @Override
  public int funcGetAttribute(FunctionAttribute attribute, long function) {
    int[] value = new int[1];
    check(
        "cuFuncGetAttribute",
        JCudaDriver.cuFuncGetAttribute(value, attribute.code(), function(function)));
    return value[0];
  }

  @Override
  public void funcSetAttribute(long function, FunctionAttribute attribute, int value) {
    check(
        "cuFuncSetAttribute",
        JCudaDriver.cuFuncSetAttribute(function(function), attribute.code(), value));
  }

  @Override
  public int occupancyMaxActiveBlocksPerMultiprocessor(
      long function, int blockSize, long sharedBytes) {
    int[] blocks = new int[1];
    check(
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks, function(function), blockSize, sharedBytes));
    return blocks[0];
  }

  @Override
  public void launchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      KernelArguments arguments) {
    check(
        "cuLaunchKernel",
        JCudaDriver.cuLaunchKernel(
            function(function),
            gridX,
            gridY,
            gridZ,
            blockX,
            blockY,
            blockZ,
            sharedBytes,
            stream(stream),
            host(arguments.pointers()),
            null));
  }

  @Override
  public long streamCreate() {
    CUstream stream = new CUstream();
    check(
        "cuStreamCreate",
        JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    return JcudaPointers.get(stream);
  }

  @Override
  public void streamDestroy(long stream) {
    check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream(stream)));
  }

  @Override
  public void streamSynchronize(long stream) {
    check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream(stream)));
  }

  @Override
  public boolean streamQuery(long stream) {
    return isDone("cuStreamQuery", JCudaDriver.cuStreamQuery(stream(stream)));
  }

  @Override
  public void streamWaitEvent(long stream, long event) {
    check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(stream(stream), event(event), 0));
  }

  @Override
  public long eventCreate(boolean timed) {
    CUevent event = new CUevent();
    int flags = timed ? 0 : CUevent_flags.CU_EVENT_DISABLE_TIMING;
    check("cuEventCreate", JCudaDriver.cuEventCreate(event, flags));
    return JcudaPointers.get(event);
  }

  @Override
  public void eventDestroy(long event) {
    check("cuEventDestroy", JCudaDriver.cuEventDestroy(event(event)));
  }

  @Override
  public void eventRecord(long event, long stream) {
    check("cuEventRecord", JCudaDriver.cuEventRecord(event(event), stream(stream)));
  }

  @Override
  public void eventSynchronize(long event) {
    check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(event(event)));
  }

  @Override
  public boolean eventQuery(long event) {
    return isDone("cuEventQuery", JCudaDriver.cuEventQuery(event(event)));
  }

  @Override
  public float eventElapsedTime(long start, long end) {
    float[] millis = new float[1];
    check("cuEventElapsedTime", JCudaDriver.cuEventElapsedTime(millis, event(start), event(end)));
    return millis[0];
  }

  private static void check(String function, int code) {
    if (code != CudaResult.SUCCESS.code()) {
      throw new CudaException(function, code, explanation(code));
    }
  }

  private static boolean isDone(String function, int code) {
    if (code == CudaResult.NOT_READY.code()) {
      return false;
    }
    check(function, code);
    return true;
  }

  private static String explanation(int code) {
    String[] name = {"unknown error"};
    String[] text = {"unknown error"};
    var _ = JCudaDriver.cuGetErrorName(code, name);
    var _ = JCudaDriver.cuGetErrorString(code, text);
    return name[0] + ", " + text[0];
  }
}
