package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes every call of a binding on a driver. {@link CudaDriverContract} holds the bindings to more,
 * on the fake driver; this shows that the fake is right about the real one.
 */
public final class CudaDriverCheck {
  /** How what is found at a point begins, if it does not hold. */
  public static final String FAILED = "it does not hold: ";

  /** A kernel that does nothing, for the cost of a launch; one that writes to address 0. */
  private static final String KERNELS =
      """
      .version 7.0
      .target sm_70
      .address_size 64
      .visible .entry nothing(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }
      .visible .entry wild()
      {
        .reg .b64 %d1; .reg .b32 %r1;
        mov.u64 %d1, 16; mov.u32 %r1, 1;
        st.global.u32 [%d1], %r1;
        ret;
      }
      """;

  private static final int INTS = 1 << 16;

  /** Launches that the driver takes without waiting for the device. */
  private static final int BURST = 100;

  private final CudaDriver driver;
  private final Arena arena;
  private final int launches;
  private final Map<String, String> points = new LinkedHashMap<>();
  private StringJoiner notes = new StringJoiner("; ");

  /** A point to check; it throws if it doesn't hold. */
  private interface Point {
    void check();
  }

  private CudaDriverCheck(CudaDriver driver, Arena arena, int launches) {
    this.driver = driver;
    this.arena = arena;
    this.launches = launches;
  }

  /**
   * Checks the first device of {@code driver}; the context that the checks lose is made again.
   *
   * @param launches how many launches their cost is measured by
   * @return what was found at each point, in order; it begins with {@link #FAILED} if that does not
   *     hold
   */
  public static Map<String, String> points(CudaDriver driver, int launches) {
    try (Arena arena = Arena.ofConfined()) {
      CudaDriverCheck check = new CudaDriverCheck(driver, arena, launches);
      check.all();
      return check.points;
    }
  }

  private void all() {
    point("devices are described", this::devices);
    int device = driver.deviceGet(0);
    long context = driver.devicePrimaryCtxRetain(device);
    driver.ctxSetCurrent(context);
    point("every attribute is known", this::attributes);
    point("a context is current on its thread alone", () -> currentContext(context));
    point("memory keeps what is copied there", this::memory);
    point("memory runs out, and goes on", this::exhaustion);
    point("streams and events order copies", this::streams);
    point("registered memory is copied to and from", this::registeredMemory);
    point("modules have functions and variables", this::modules);
    point("wrong PTX is refused with the log", this::wrongPtx);
    point("kernels compute", this::kernels);
    point("the cost of a launch", this::cost);
    point("a fault loses the context", () -> fault(device));
  }

  private void point(String name, Point point) {
    notes = new StringJoiner("; ");
    try {
      point.check();
      points.put(name, notes.toString());
    } catch (RuntimeException | AssertionError e) {
      points.put(name, FAILED + e);
    }
  }

  private static void require(boolean holds, Object found) {
    if (!holds) {
      throw new AssertionError("found " + found);
    }
  }

  private static void requireFailure(CudaResult expected, Point point) {
    try {
      point.check();
    } catch (CudaException e) {
      require(e.result() == expected, e);
      return;
    }
    throw new AssertionError("no failure " + expected);
  }

  private void devices() {
    int version = driver.driverGetVersion();
    notes.add("CUDA " + CudaDrivers.text(version));
    for (CudaDevice device : CudaDevice.list(driver)) {
      notes.add(device.physicalDescription());
    }
    int count = driver.deviceGetCount();
    requireFailure(CudaResult.INVALID_DEVICE, () -> driver.deviceGet(count));
  }

  private void attributes() {
    for (DeviceAttribute attribute : DeviceAttribute.values()) {
      int value = driver.deviceGetAttribute(attribute, driver.deviceGet(0));
      require(value >= 0, attribute + " " + value);
    }
    long module = driver.moduleLoadData(CudaDriverContract.PTX);
    long function = driver.moduleGetFunction(module, "shared");
    for (FunctionAttribute attribute : FunctionAttribute.values()) {
      int value = driver.funcGetAttribute(attribute, function);
      require(value >= 0, attribute + " " + value);
    }
    driver.funcSetAttribute(function, FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 8192);
    int most = driver.funcGetAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    require(most == 8192, most);
    int blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(function, 256, 1024);
    require(blocks > 0, blocks);
    driver.moduleUnload(module);
  }

  private void currentContext(long context) {
    require(driver.ctxGetCurrent() == context, driver.ctxGetCurrent());
    AtomicReference<AssertionError> elsewhere = new AtomicReference<>();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              try {
                require(driver.ctxGetCurrent() == 0, driver.ctxGetCurrent());
                requireFailure(CudaResult.INVALID_CONTEXT, () -> driver.memAlloc(4));
              } catch (AssertionError e) {
                elsewhere.set(e);
              }
            });
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    AssertionError failure = elsewhere.get();
    if (failure != null) {
      throw failure;
    }
  }

  private void memory() {
    int[] values = new int[INTS];
    Arrays.setAll(values, i -> i * 31);
    long first = driver.memAlloc(4L * INTS);
    long second = driver.memAlloc(4L * INTS);
    require(first % 256 == 0 && second % 256 == 0, first);
    driver.memcpyHtoD(first, arena.allocateFrom(JAVA_INT, values));
    driver.memcpyDtoDAsync(second, first, 4L * INTS, 0);
    driver.memsetD8Async(second, (byte) 7, 4, 0);
    driver.memsetD32Async(second + 4, 5, 2, 0);
    driver.ctxSynchronize();
    values[0] = 0x07070707;
    values[1] = 5;
    values[2] = 5;
    require(Arrays.equals(values, ints(second)), "other values");
    driver.memFree(first);
    driver.memFree(second);
    MemoryInfo info = driver.memGetInfo();
    require(info.freeBytes() > 0 && info.freeBytes() <= info.totalBytes(), info);
    requireFailure(CudaResult.INVALID_VALUE, () -> driver.memFree(first + 4));
  }

  private int[] ints(long address) {
    MemorySegment memory = arena.allocate(JAVA_INT, INTS);
    driver.memcpyDtoH(memory, address);
    return memory.toArray(JAVA_INT);
  }

  private void exhaustion() {
    long total = driver.memGetInfo().totalBytes();
    requireFailure(CudaResult.OUT_OF_MEMORY, () -> driver.memAlloc(total + 1));
    driver.memFree(driver.memAlloc(1));
  }

  private void streams() {
    long bytes = 4L * INTS;
    MemorySegment pinned = driver.memHostAlloc(2 * bytes);
    MemorySegment from = pinned.asSlice(0, bytes);
    MemorySegment to = pinned.asSlice(bytes);
    for (int i = 0; i < INTS; i++) {
      from.setAtIndex(JAVA_INT, i, i ^ 0x5555);
    }
    long memory = driver.memAlloc(bytes);
    long in = driver.streamCreate();
    long back = driver.streamCreate();
    long start = driver.eventCreate(true);
    long copied = driver.eventCreate(true);
    driver.eventRecord(start, in);
    driver.memcpyHtoDAsync(memory, from, in);
    driver.eventRecord(copied, in);
    driver.streamWaitEvent(back, copied);
    driver.memcpyDtoHAsync(to, memory, back);
    driver.streamSynchronize(back);
    require(driver.streamQuery(in) && driver.streamQuery(back), "work left");
    driver.eventSynchronize(copied);
    require(driver.eventQuery(copied), "no event");
    float millis = driver.eventElapsedTime(start, copied);
    require(millis >= 0 && millis < 10_000, millis);
    require(from.mismatch(to) == -1, "other values");
    long untimed = driver.eventCreate(false);
    driver.eventSynchronize(untimed);
    List.of(start, copied, untimed).forEach(driver::eventDestroy);
    driver.streamDestroy(in);
    driver.streamDestroy(back);
    driver.memFree(memory);
    driver.memFreeHost(pinned);
  }

  private void registeredMemory() {
    long bytes = 4L * INTS;
    MemorySegment memory = arena.allocate(2 * bytes, 4096);
    driver.memHostRegister(memory);
    requireFailure(CudaResult.HOST_MEMORY_ALREADY_REGISTERED, () -> driver.memHostRegister(memory));
    MemorySegment from = memory.asSlice(0, bytes);
    MemorySegment to = memory.asSlice(bytes);
    for (int i = 0; i < INTS; i++) {
      from.setAtIndex(JAVA_INT, i, i ^ 0x3333);
    }
    long there = driver.memAlloc(bytes);
    long stream = driver.streamCreate();
    driver.memcpyHtoDAsync(there, from, stream);
    driver.memcpyDtoHAsync(to, there, stream);
    driver.streamSynchronize(stream);
    require(from.mismatch(to) == -1, "other values");
    driver.memHostUnregister(memory);
    require(from.mismatch(to) == -1, "other values when it was registered no longer");
    requireFailure(CudaResult.HOST_MEMORY_NOT_REGISTERED, () -> driver.memHostUnregister(memory));
    driver.streamDestroy(stream);
    driver.memFree(there);
  }

  private void modules() {
    long module = driver.moduleLoadData(CudaDriverContract.PTX);
    requireFailure(CudaResult.NOT_FOUND, () -> driver.moduleGetFunction(module, "absent"));
    requireFailure(CudaResult.NOT_FOUND, () -> driver.moduleGetGlobal(module, "absent"));
    DeviceRange calls = driver.moduleGetGlobal(module, "calls");
    MemorySegment value = arena.allocate(JAVA_INT);
    driver.memcpyDtoH(value, calls.address());
    require(calls.bytes() == 4 && value.get(JAVA_INT, 0) == 7, calls);
    driver.moduleUnload(module);
  }

  private void wrongPtx() {
    String wrong = CudaDriverContract.PTX.replace("mul.rn.f32", "mul.rx.f32");
    try {
      driver.moduleLoadData(wrong);
    } catch (CudaException e) {
      require(e.result() == CudaResult.INVALID_PTX, e);
      require(Objects.requireNonNull(e.getMessage()).contains("line 17"), e);
      return;
    }
    throw new AssertionError("no failure");
  }

  private void kernels() {
    long module = driver.moduleLoadData(CudaDriverContract.PTX);
    float[] x = new float[1000];
    for (int i = 0; i < x.length; i++) {
      x[i] = 0.1f * i;
    }
    long in = driver.memAlloc(4L * x.length);
    long result = driver.memAlloc(4L * x.length);
    driver.memcpyHtoD(in, arena.allocateFrom(JAVA_FLOAT, x));
    KernelArguments arguments =
        KernelArguments.allocate(arena, 5)
            .set(0, in)
            .set(1, result)
            .set(2, 0.3f)
            .set(3, -1f)
            .set(4, x.length);
    launch(driver.moduleGetFunction(module, "affine"), 16, 64, arguments);
    MemorySegment y = arena.allocate(JAVA_FLOAT, x.length);
    driver.memcpyDtoH(y, result);
    for (int i = 0; i < x.length; i++) {
      float expected = x[i] * 0.3f + -1f;
      require(y.getAtIndex(JAVA_FLOAT, i) == expected, "element " + i);
    }
    KernelArguments kinds =
        KernelArguments.allocate(arena, 4)
            .set(0, result)
            .set(1, (byte) -3)
            .set(2, (short) 300)
            .set(3, 1000.9);
    launch(driver.moduleGetFunction(module, "kinds"), 1, 1, kinds);
    driver.memcpyDtoH(y, result);
    require(y.get(JAVA_INT, 0) == 1297, y.get(JAVA_INT, 0));
    requireFailure(
        CudaResult.INVALID_VALUE,
        () -> launch(driver.moduleGetFunction(module, "affine"), 1, 2048, arguments));
    driver.memFree(in);
    driver.memFree(result);
    driver.moduleUnload(module);
  }

  private void launch(long function, int blocks, int threads, KernelArguments arguments) {
    driver.launchKernel(function, blocks, 1, 1, threads, 1, 1, 0, 0, arguments);
  }

  /**
   * In bursts that the driver's queue holds, so that no launch waits for the device. The driver's
   * own share is the same for both bindings, so the difference is theirs.
   */
  private void cost() {
    long module = driver.moduleLoadData(KERNELS);
    long function = driver.moduleGetFunction(module, "nothing");
    KernelArguments arguments = KernelArguments.allocate(arena, 3).set(0, 1L).set(1, 2L).set(2, 3);
    for (String part : List.of("warm-up", "measured")) {
      long issuing = 0;
      for (int burst = 0; burst < launches / BURST; burst++) {
        long before = System.nanoTime();
        for (int i = 0; i < BURST; i++) {
          launch(function, 1, 32, arguments);
        }
        issuing += System.nanoTime() - before;
        driver.ctxSynchronize();
      }
      notes.add("%s, %d launches: %d ns each".formatted(part, launches, issuing / launches));
    }
    driver.moduleUnload(module);
  }

  /**
   * After a fault every call fails, and so does a new context: CUDA is lost to the process. Drivers
   * that make another context pass as well.
   */
  private void fault(int device) {
    long module = driver.moduleLoadData(KERNELS);
    launch(driver.moduleGetFunction(module, "wild"), 1, 1, KernelArguments.allocate(arena, 0));
    requireFailure(CudaResult.ILLEGAL_ADDRESS, driver::ctxSynchronize);
    requireFailure(CudaResult.ILLEGAL_ADDRESS, () -> driver.memAlloc(4));
    driver.devicePrimaryCtxReset(device);
    try {
      driver.ctxSetCurrent(driver.devicePrimaryCtxRetain(device));
    } catch (CudaException e) {
      require(e.result() == CudaResult.ILLEGAL_ADDRESS, e);
      notes.add("a reset does not help; CUDA is lost to the process");
      return;
    }
    driver.memFree(driver.memAlloc(4));
    notes.add("a reset helps");
    driver.devicePrimaryCtxRelease(device);
  }
}
