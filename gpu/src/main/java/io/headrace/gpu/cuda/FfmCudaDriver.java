package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/** The driver by Java's foreign functions: a launch costs less than 0.1 us in the binding. */
final class FfmCudaDriver implements CudaDriver {
  /** The value of {@code headrace.cuda} that selects this binding. */
  static final String NAME = "ffm";

  private static final int MAX_NAME = 256;
  private static final int MAX_LOG = 8192;
  private static final int EVENT_DISABLE_TIMING = 2;
  private static final int STREAM_NON_BLOCKING = 1;
  private static final int MEMHOSTALLOC_PORTABLE = 1;
  private static final int MEMHOSTREGISTER_PORTABLE = 1;

  private final CFunction getErrorName;
  private final CFunction getErrorString;
  private final CFunction init;
  private final CFunction driverGetVersion;
  private final CFunction deviceGetCount;
  private final CFunction deviceGet;
  private final CFunction deviceGetName;
  private final CFunction deviceTotalMem;
  private final CFunction deviceGetAttribute;
  private final CFunction deviceGetPciBusId;
  private final CFunction devicePrimaryCtxRetain;
  private final CFunction devicePrimaryCtxRelease;
  private final CFunction devicePrimaryCtxReset;
  private final CFunction ctxSetCurrent;
  private final CFunction ctxGetCurrent;
  private final CFunction ctxSynchronize;
  private final CFunction memAlloc;
  private final CFunction memFree;
  private final CFunction memGetInfo;
  private final CFunction memHostAlloc;
  private final CFunction memFreeHost;
  private final CFunction memHostRegister;
  private final CFunction memHostUnregister;
  private final CFunction memcpyHtoD;
  private final CFunction memcpyDtoH;
  private final CFunction memcpyHtoDAsync;
  private final CFunction memcpyDtoHAsync;
  private final CFunction memcpyDtoDAsync;
  private final CFunction memsetD8Async;
  private final CFunction memsetD32Async;
  private final CFunction moduleLoadDataEx;
  private final CFunction moduleUnload;
  private final CFunction moduleGetFunction;
  private final CFunction moduleGetGlobal;
  private final CFunction funcGetAttribute;
  private final CFunction funcSetAttribute;
  private final CFunction occupancyMaxActiveBlocksPerMultiprocessor;
  private final CFunction launchKernel;
  private final CFunction streamCreate;
  private final CFunction streamDestroy;
  private final CFunction streamSynchronize;
  private final CFunction streamQuery;
  private final CFunction streamWaitEvent;
  private final CFunction eventCreate;
  private final CFunction eventDestroy;
  private final CFunction eventRecord;
  private final CFunction eventSynchronize;
  private final CFunction eventQuery;
  private final CFunction eventElapsedTime;

  private FfmCudaDriver(SymbolLookup library) {
    getErrorName = CFunction.bind(library, "cuGetErrorName", "il");
    getErrorString = CFunction.bind(library, "cuGetErrorString", "il");
    init = CFunction.bind(library, "cuInit", "i");
    driverGetVersion = CFunction.bind(library, "cuDriverGetVersion", "l");
    deviceGetCount = CFunction.bind(library, "cuDeviceGetCount", "l");
    deviceGet = CFunction.bind(library, "cuDeviceGet", "li");
    deviceGetName = CFunction.bind(library, "cuDeviceGetName", "lii");
    deviceTotalMem = CFunction.bind(library, "cuDeviceTotalMem_v2", "li");
    deviceGetAttribute = CFunction.bind(library, "cuDeviceGetAttribute", "lii");
    deviceGetPciBusId = CFunction.bind(library, "cuDeviceGetPCIBusId", "lii");
    devicePrimaryCtxRetain = CFunction.bind(library, "cuDevicePrimaryCtxRetain", "li");
    devicePrimaryCtxRelease = CFunction.bind(library, "cuDevicePrimaryCtxRelease_v2", "i");
    devicePrimaryCtxReset = CFunction.bind(library, "cuDevicePrimaryCtxReset_v2", "i");
    ctxSetCurrent = CFunction.bind(library, "cuCtxSetCurrent", "l");
    ctxGetCurrent = CFunction.bind(library, "cuCtxGetCurrent", "l");
    ctxSynchronize = CFunction.bind(library, "cuCtxSynchronize", "");
    memAlloc = CFunction.bind(library, "cuMemAlloc_v2", "ll");
    memFree = CFunction.bind(library, "cuMemFree_v2", "l");
    memGetInfo = CFunction.bind(library, "cuMemGetInfo_v2", "ll");
    memHostAlloc = CFunction.bind(library, "cuMemHostAlloc", "lli");
    memFreeHost = CFunction.bind(library, "cuMemFreeHost", "l");
    memHostRegister = CFunction.bind(library, "cuMemHostRegister_v2", "lli");
    memHostUnregister = CFunction.bind(library, "cuMemHostUnregister", "l");
    memcpyHtoD = CFunction.bind(library, "cuMemcpyHtoD_v2", "lll");
    memcpyDtoH = CFunction.bind(library, "cuMemcpyDtoH_v2", "lll");
    memcpyHtoDAsync = CFunction.bind(library, "cuMemcpyHtoDAsync_v2", "llll");
    memcpyDtoHAsync = CFunction.bind(library, "cuMemcpyDtoHAsync_v2", "llll");
    memcpyDtoDAsync = CFunction.bind(library, "cuMemcpyDtoDAsync_v2", "llll");
    memsetD8Async = CFunction.bind(library, "cuMemsetD8Async", "lill");
    memsetD32Async = CFunction.bind(library, "cuMemsetD32Async", "lill");
    moduleLoadDataEx = CFunction.bind(library, "cuModuleLoadDataEx", "llill");
    moduleUnload = CFunction.bind(library, "cuModuleUnload", "l");
    moduleGetFunction = CFunction.bind(library, "cuModuleGetFunction", "lll");
    moduleGetGlobal = CFunction.bind(library, "cuModuleGetGlobal_v2", "llll");
    funcGetAttribute = CFunction.bind(library, "cuFuncGetAttribute", "lil");
    funcSetAttribute = CFunction.bind(library, "cuFuncSetAttribute", "lii");
    occupancyMaxActiveBlocksPerMultiprocessor =
        CFunction.bind(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", "llil");
    launchKernel = CFunction.bind(library, "cuLaunchKernel", "liiiiiiilll");
    streamCreate = CFunction.bind(library, "cuStreamCreate", "li");
    streamDestroy = CFunction.bind(library, "cuStreamDestroy_v2", "l");
    streamSynchronize = CFunction.bind(library, "cuStreamSynchronize", "l");
    streamQuery = CFunction.bind(library, "cuStreamQuery", "l");
    streamWaitEvent = CFunction.bind(library, "cuStreamWaitEvent", "lli");
    eventCreate = CFunction.bind(library, "cuEventCreate", "li");
    eventDestroy = CFunction.bind(library, "cuEventDestroy_v2", "l");
    eventRecord = CFunction.bind(library, "cuEventRecord", "ll");
    eventSynchronize = CFunction.bind(library, "cuEventSynchronize", "l");
    eventQuery = CFunction.bind(library, "cuEventQuery", "l");
    eventElapsedTime = CFunction.bind(library, "cuEventElapsedTime", "lll");
  }

  /**
   * Binds and initializes the driver.
   *
   * @throws IllegalArgumentException if the library lacks a function
   * @throws CudaException if the driver refuses to initialize
   */
  static FfmCudaDriver open(SymbolLookup library) {
    FfmCudaDriver driver = new FfmCudaDriver(library);
    driver.check(driver.init.invoke(0), driver.init);
    return driver;
  }

  @Override
  public String binding() {
    return NAME;
  }

  @Override
  public int driverGetVersion() {
    return intOf(driverGetVersion);
  }

  @Override
  public int deviceGetCount() {
    return intOf(deviceGetCount);
  }

  @Override
  public int deviceGet(int ordinal) {
    return intOf(deviceGet, ordinal);
  }

  @Override
  public String deviceGetName(int device) {
    return textOf(deviceGetName, device);
  }

  @Override
  public long deviceTotalMem(int device) {
    return longOf(deviceTotalMem, device);
  }

  @Override
  public int deviceGetAttribute(DeviceAttribute attribute, int device) {
    return intOf(deviceGetAttribute, attribute.code(), device);
  }

  @Override
  public String deviceGetPciBusId(int device) {
    return textOf(deviceGetPciBusId, device);
  }

  @Override
  public long devicePrimaryCtxRetain(int device) {
    return longOf(devicePrimaryCtxRetain, device);
  }

  @Override
  public void devicePrimaryCtxRelease(int device) {
    check(devicePrimaryCtxRelease.invoke(device), devicePrimaryCtxRelease);
  }

  @Override
  public void devicePrimaryCtxReset(int device) {
    check(devicePrimaryCtxReset.invoke(device), devicePrimaryCtxReset);
  }

  @Override
  public void ctxSetCurrent(long context) {
    check(ctxSetCurrent.call(context), ctxSetCurrent);
  }

  @Override
  public long ctxGetCurrent() {
    return longOf(ctxGetCurrent);
  }

  @Override
  public void ctxSynchronize() {
    check(ctxSynchronize.invoke(), ctxSynchronize);
  }

  @Override
  public long memAlloc(long bytes) {
    return longOf(memAlloc, bytes);
  }

  @Override
  public void memFree(long address) {
    check(memFree.call(address), memFree);
  }

  @Override
  public MemoryInfo memGetInfo() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment free = arena.allocate(JAVA_LONG);
      MemorySegment total = arena.allocate(JAVA_LONG);
      check(memGetInfo.call(free.address(), total.address()), memGetInfo);
      return new MemoryInfo(free.get(JAVA_LONG, 0), total.get(JAVA_LONG, 0));
    }
  }

  @Override
  @SuppressWarnings("restricted") // the driver has allocated that many bytes
  public MemorySegment memHostAlloc(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(JAVA_LONG);
      check(memHostAlloc.call(address.address(), bytes, MEMHOSTALLOC_PORTABLE), memHostAlloc);
      return MemorySegment.ofAddress(address.get(JAVA_LONG, 0)).reinterpret(bytes);
    }
  }

  @Override
  public void memFreeHost(MemorySegment memory) {
    check(memFreeHost.call(memory.address()), memFreeHost);
  }

  @Override
  public void memHostRegister(MemorySegment memory) {
    check(
        memHostRegister.call(
            HostMemory.address(memory), memory.byteSize(), MEMHOSTREGISTER_PORTABLE),
        memHostRegister);
  }

  @Override
  public void memHostUnregister(MemorySegment memory) {
    check(memHostUnregister.call(memory.address()), memHostUnregister);
  }

  @Override
  public void memcpyHtoD(long to, MemorySegment from) {
    check(memcpyHtoD.invoke(to, HostMemory.address(from), from.byteSize()), memcpyHtoD);
  }

  @Override
  public void memcpyDtoH(MemorySegment to, long from) {
    check(memcpyDtoH.invoke(HostMemory.address(to), from, to.byteSize()), memcpyDtoH);
  }

  @Override
  public void memcpyHtoDAsync(long to, MemorySegment from, long stream) {
    check(
        memcpyHtoDAsync.call(to, HostMemory.address(from), from.byteSize(), stream),
        memcpyHtoDAsync);
  }

  @Override
  public void memcpyDtoHAsync(MemorySegment to, long from, long stream) {
    check(
        memcpyDtoHAsync.call(HostMemory.address(to), from, to.byteSize(), stream), memcpyDtoHAsync);
  }

  @Override
  public void memcpyDtoDAsync(long to, long from, long bytes, long stream) {
    check(memcpyDtoDAsync.call(to, from, bytes, stream), memcpyDtoDAsync);
  }

  @Override
  public void memsetD8Async(long to, byte value, long count, long stream) {
    check(memsetD8Async.call(to, Byte.toUnsignedInt(value), count, stream), memsetD8Async);
  }

  @Override
  public void memsetD32Async(long to, int value, long count, long stream) {
    check(memsetD32Async.call(to, value, count, stream), memsetD32Async);
  }

  @Override
  public long moduleLoadData(String ptx) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment module = arena.allocate(JAVA_LONG);
      MemorySegment log = arena.allocate(MAX_LOG);
      JitLog options = JitLog.allocate(arena, log);
      int code =
          moduleLoadDataEx.invoke(
              module.address(),
              arena.allocateFrom(ptx).address(),
              JitLog.OPTIONS.length,
              options.keys().address(),
              options.values().address());
      if (code != CudaResult.SUCCESS.code()) {
        throw new CudaException(
            moduleLoadDataEx.name(), code, JitLog.explain(explanation(code), log));
      }
      return module.get(JAVA_LONG, 0);
    }
  }

  @Override
  public void moduleUnload(long module) {
    check(moduleUnload.call(module), moduleUnload);
  }

  @Override
  public long moduleGetFunction(long module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return longOf(moduleGetFunction, module, arena.allocateFrom(name).address());
    }
  }

  @Override
  public DeviceRange moduleGetGlobal(long module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(JAVA_LONG);
      MemorySegment bytes = arena.allocate(JAVA_LONG);
      long text = arena.allocateFrom(name).address();
      check(
          moduleGetGlobal.call(address.address(), bytes.address(), module, text), moduleGetGlobal);
      return new DeviceRange(address.get(JAVA_LONG, 0), bytes.get(JAVA_LONG, 0));
    }
  }

  @Override
  public int funcGetAttribute(FunctionAttribute attribute, long function) {
    return intOf(funcGetAttribute, attribute.code(), function);
  }

  @Override
  public void funcSetAttribute(long function, FunctionAttribute attribute, int value) {
    check(funcSetAttribute.invoke(function, attribute.code(), value), funcSetAttribute);
  }

  @Override
  public int occupancyMaxActiveBlocksPerMultiprocessor(
      long function, int blockSize, long sharedBytes) {
    return intOf(occupancyMaxActiveBlocksPerMultiprocessor, function, blockSize, sharedBytes);
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
        launchKernel.call(
            function,
            gridX,
            gridY,
            gridZ,
            blockX,
            blockY,
            blockZ,
            sharedBytes,
            stream,
            arguments.pointers().address(),
            0),
        launchKernel);
  }

  @Override
  public long streamCreate() {
    return longOf(streamCreate, STREAM_NON_BLOCKING);
  }

  @Override
  public void streamDestroy(long stream) {
    check(streamDestroy.call(stream), streamDestroy);
  }

  @Override
  public void streamSynchronize(long stream) {
    check(streamSynchronize.call(stream), streamSynchronize);
  }

  @Override
  public boolean streamQuery(long stream) {
    return isDone(streamQuery.call(stream), streamQuery);
  }

  @Override
  public void streamWaitEvent(long stream, long event) {
    check(streamWaitEvent.call(stream, event, 0), streamWaitEvent);
  }

  @Override
  public long eventCreate(boolean timed) {
    return longOf(eventCreate, timed ? 0 : EVENT_DISABLE_TIMING);
  }

  @Override
  public void eventDestroy(long event) {
    check(eventDestroy.call(event), eventDestroy);
  }

  @Override
  public void eventRecord(long event, long stream) {
    check(eventRecord.call(event, stream), eventRecord);
  }

  @Override
  public void eventSynchronize(long event) {
    check(eventSynchronize.call(event), eventSynchronize);
  }

  @Override
  public boolean eventQuery(long event) {
    return isDone(eventQuery.call(event), eventQuery);
  }

  @Override
  public float eventElapsedTime(long start, long end) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment millis = arena.allocate(JAVA_FLOAT);
      check(eventElapsedTime.invoke(millis.address(), start, end), eventElapsedTime);
      return millis.get(JAVA_FLOAT, 0);
    }
  }

  private void check(int code, CFunction function) {
    if (code != CudaResult.SUCCESS.code()) {
      throw new CudaException(function.name(), code, explanation(code));
    }
  }

  private boolean isDone(int code, CFunction function) {
    if (code == CudaResult.NOT_READY.code()) {
      return false;
    }
    check(code, function);
    return true;
  }

  /** Calls a function whose first argument is an int that it writes. */
  private int intOf(CFunction function, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment result = arena.allocate(JAVA_INT);
      check(function.invoke(before(result, arguments)), function);
      return result.get(JAVA_INT, 0);
    }
  }

  /** Calls a function whose first argument is a handle or a size that it writes. */
  private long longOf(CFunction function, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment result = arena.allocate(JAVA_LONG);
      check(function.invoke(before(result, arguments)), function);
      return result.get(JAVA_LONG, 0);
    }
  }

  /** Calls a function that writes a string: (text, its size, the device). */
  private String textOf(CFunction function, int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(MAX_NAME);
      check(function.invoke(text.address(), MAX_NAME, device), function);
      return text.getString(0);
    }
  }

  private static Object[] before(MemorySegment result, Object[] arguments) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = result.address();
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return all;
  }

  /** The driver's name and description of a code, such as CUDA_ERROR_NO_DEVICE, no CUDA-... */
  private String explanation(int code) {
    return string(getErrorName, code) + ", " + string(getErrorString, code);
  }

  @SuppressWarnings("restricted") // strings of the driver, which end with a 0
  private static String string(CFunction function, int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pointer = arena.allocate(ADDRESS);
      if (function.invoke(code, pointer.address()) != CudaResult.SUCCESS.code()) {
        return "unknown error";
      }
      return pointer.get(ADDRESS, 0).reinterpret(MAX_NAME).getString(0);
    }
  }
}
