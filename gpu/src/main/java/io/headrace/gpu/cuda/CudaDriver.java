package io.headrace.gpu.cuda;

import java.lang.foreign.MemorySegment;

/**
 * The calls of the CUDA driver API that Headrace makes, under their names without {@code cu}; the
 * driver is initialized. Each has the semantics of the CUDA Driver API reference.
 *
 * <p>Contexts, modules, functions, streams and events are opaque handles, never 0; stream 0 is the
 * default stream of the current context. Device addresses are the device's own, so offsets may be
 * added to them. Sizes are in bytes.
 *
 * <p>Calls on memory, modules, streams, events and functions need a current context on the calling
 * thread ({@link #ctxSetCurrent}). An asynchronous call returns before its work is done; its
 * arguments other than host memory are copied. Host memory must be native, and stays the caller's:
 * it must outlive the copies that use it.
 *
 * <p>A call that fails throws {@link CudaException}. It may report the failure of earlier
 * asynchronous work. After a {@linkplain CudaResult#losesContext() fatal} one every call in the
 * context fails the same way. Thread-safe.
 */
public interface CudaDriver {
  /** The name of the binding, as the system property {@code headrace.cuda} selects it. */
  String binding();

  // Devices

  /** The CUDA version that the driver supports: 1000 * major + 10 * minor. */
  int driverGetVersion();

  /** The number of devices that this process may use (CUDA_VISIBLE_DEVICES). */
  int deviceGetCount();

  /** The handle of the device {@code ordinal}, counted from 0. */
  int deviceGet(int ordinal);

  /** The device's product name. */
  String deviceGetName(int device);

  /** The size of the device's memory. */
  long deviceTotalMem(int device);

  /** An attribute of the device. */
  int deviceGetAttribute(DeviceAttribute attribute, int device);

  /** The PCI address: domain:bus:device.function in hexadecimal. */
  String deviceGetPciBusId(int device);

  // Contexts

  /** Creates or retains the device's primary context, without making it current. */
  long devicePrimaryCtxRetain(int device);

  /** Gives up one retain; the last one destroys the context. */
  void devicePrimaryCtxRelease(int device);

  /** Destroys the primary context and all its resources, whoever has retained it. */
  void devicePrimaryCtxReset(int device);

  /** Makes {@code context} current on this thread; 0 for none. */
  void ctxSetCurrent(long context);

  /** The context that is current on this thread; 0 if none is. */
  long ctxGetCurrent();

  /** Waits for all work of the current context. */
  void ctxSynchronize();

  // Memory

  /** Allocates device memory, aligned to 256 bytes; {@code bytes} must be positive. */
  long memAlloc(long bytes);

  /** Frees what {@link #memAlloc} returned. */
  void memFree(long address);

  /** The device's free and total memory. */
  MemoryInfo memGetInfo();

  /** Allocates pinned host memory, which copies overlap with; freed by {@link #memFreeHost}. */
  MemorySegment memHostAlloc(long bytes);

  /** Frees what {@link #memHostAlloc} returned. */
  void memFreeHost(MemorySegment memory);

  /**
   * Pins memory of the caller's, for all contexts, so that copies overlap with it as with {@link
   * #memHostAlloc}'s. It stays so until {@link #memHostUnregister}, or until the current context is
   * destroyed; it must not be freed before.
   */
  void memHostRegister(MemorySegment memory);

  /** Undoes {@link #memHostRegister}; no copy uses the memory any longer. */
  void memHostUnregister(MemorySegment memory);

  /** Copies all of {@code from} to the device, and waits. */
  void memcpyHtoD(long to, MemorySegment from);

  /** Fills all of {@code to} from the device, and waits. */
  void memcpyDtoH(MemorySegment to, long from);

  /** Copies all of {@code from} to the device. */
  void memcpyHtoDAsync(long to, MemorySegment from, long stream);

  /** Fills all of {@code to} from the device. */
  void memcpyDtoHAsync(MemorySegment to, long from, long stream);

  /** Copies within the device; the ranges must not overlap. */
  void memcpyDtoDAsync(long to, long from, long bytes, long stream);

  /** Sets {@code count} bytes. */
  void memsetD8Async(long to, byte value, long count, long stream);

  /** Sets {@code count} ints of 32 bits at an address that is a multiple of 4. */
  void memsetD32Async(long to, int value, long count, long stream);

  // Modules and functions

  /**
   * Compiles PTX for the current context's device and loads it. A refusal ({@link
   * CudaResult#INVALID_PTX}, {@link CudaResult#UNSUPPORTED_PTX_VERSION}) has the compiler's log in
   * its message.
   */
  long moduleLoadData(String ptx);

  /** Unloads a module with its functions. */
  void moduleUnload(long module);

  /** The kernel {@code name}; {@link CudaResult#NOT_FOUND} if the module has none. */
  long moduleGetFunction(long module, String name);

  /** The variable {@code name}; {@link CudaResult#NOT_FOUND} if the module has none. */
  DeviceRange moduleGetGlobal(long module, String name);

  /** An attribute of a compiled kernel. */
  int funcGetAttribute(FunctionAttribute attribute, long function);

  /** Sets an attribute of a kernel, such as its limit of dynamic shared memory. */
  void funcSetAttribute(long function, FunctionAttribute attribute, int value);

  /** How many blocks of a kernel run at a time on one multiprocessor. */
  int occupancyMaxActiveBlocksPerMultiprocessor(long function, int blockSize, long sharedBytes);

  /**
   * Launches a kernel.
   *
   * @param sharedBytes the dynamic shared memory of each block
   * @param arguments copied before the call returns
   */
  void launchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      KernelArguments arguments);

  // Streams and events

  /** Creates a stream that does not wait for the default stream. */
  long streamCreate();

  /** Destroys a stream; work that is on it still runs. */
  void streamDestroy(long stream);

  /** Waits for the work on the stream. */
  void streamSynchronize(long stream);

  /** Whether the work on the stream is done. */
  boolean streamQuery(long stream);

  /** Lets later work on {@code stream} wait for what {@code event} recorded last. */
  void streamWaitEvent(long stream, long event);

  /** Creates an event; one that is {@code timed} can be used by {@link #eventElapsedTime}. */
  long eventCreate(boolean timed);

  /** Destroys an event. */
  void eventDestroy(long event);

  /** Records the work that is on {@code stream} so far. */
  void eventRecord(long event, long stream);

  /** Waits for the recorded work; returns at once if the event recorded none. */
  void eventSynchronize(long event);

  /** Whether the recorded work is done; true if the event recorded none. */
  boolean eventQuery(long event);

  /** Milliseconds on the device between two timed events. */
  float eventElapsedTime(long start, long end);
}
