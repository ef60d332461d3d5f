package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The promises of each binding, on the fake driver. */
interface CudaDriverContract {
  /** The value of {@code headrace.cuda} that selects the binding. */
  String binding();

  /** y[i] = x[i] * a + b, and the sum of all parameters' kinds in y[0] of the kernel `kinds`. */
  String PTX =
      """
      .version 7.0
      .target sm_70
      .address_size 64
      .global .align 4 .u32 calls = 7;
      .visible .entry affine(
        .param .u64 x, .param .u64 y, .param .f32 a, .param .f32 b, .param .u32 n)
      {
        .reg .pred %p; .reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %d<5>;
        ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];
        ld.param.f32 %f1, [a]; ld.param.f32 %f2, [b]; ld.param.u32 %r1, [n];
        mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
        mad.lo.u32 %r2, %r2, %r3, %r4;
        setp.ge.u32 %p, %r2, %r1;
        @%p bra DONE;
        mad.wide.u32 %d3, %r2, 4, %d1; mad.wide.u32 %d4, %r2, 4, %d2;
        ld.global.f32 %f3, [%d3];
        mul.rn.f32 %f3, %f3, %f1; add.rn.f32 %f3, %f3, %f2;
        st.global.f32 [%d4], %f3;
      DONE: ret;
      }
      .visible .entry kinds(
        .param .u64 y, .param .u8 a, .param .u16 b, .param .f64 c)
      {
        .reg .b64 %d1; .reg .b32 %r<4>; .reg .f64 %c;
        ld.param.u64 %d1, [y]; ld.param.s8 %r1, [a]; ld.param.u16 %r2, [b];
        ld.param.f64 %c, [c]; cvt.rzi.s32.f64 %r3, %c;
        add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r3;
        st.global.s32 [%d1], %r1;
        ret;
      }
      .visible .entry shared() .maxntid 256, 1, 1
      {
        .shared .align 4 .b8 room[1024];
        ret;
      }
      """;

  /** Runs a test on the device of one fake machine, and checks that nothing went wrong there. */
  default void run(FakeCudaConfig config, CudaTest test) {
    runAndExpectFaults(
        config,
        session -> {
          test.run(session);
          assertThat(session.fake().faults()).isEmpty();
        });
  }

  /** The same without the check. */
  default void runAndExpectFaults(FakeCudaConfig config, CudaTest test) {
    try (FakeCuda fake = FakeCuda.start(config);
        Arena arena = Arena.ofConfined()) {
      CudaDriver driver = CudaTestDrivers.open(binding());
      long context = driver.devicePrimaryCtxRetain(driver.deviceGet(0));
      driver.ctxSetCurrent(context);
      test.run(new CudaSession(fake, driver, context, arena));
    }
  }

  /** Fails unless {@code call} fails with {@code result}. */
  static void assertFails(CudaResult result, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            CudaException.class, failure -> assertThat(failure.result()).isEqualTo(result));
  }

  @Test
  default void driver_tellsItsDevices() {
    run(
        FakeCudaConfig.DEFAULT.withDevices(2).withCapability(89),
        session -> {
          CudaDriver driver = session.driver();
          assertThat(driver.binding()).isEqualTo(binding());
          assertThat(driver.driverGetVersion()).isEqualTo(12040);
          assertThat(CudaDevice.list(driver))
              .extracting(CudaDevice::physicalDescription)
              .containsExactly(
                  "device: 0, name: Headrace Fake GPU, pci bus id: 0000:0a:00.0, compute"
                      + " capability: 8.9",
                  "device: 1, name: Headrace Fake GPU, pci bus id: 0000:0b:00.0, compute"
                      + " capability: 8.9");
          assertThat(driver.deviceGetAttribute(DeviceAttribute.WARP_SIZE, 0)).isEqualTo(32);
          assertThat(driver.deviceTotalMem(1)).isEqualTo(64 << 20);
          assertFails(CudaResult.INVALID_DEVICE, () -> driver.deviceGet(2));
        });
  }

  @Test
  default void everyAttribute_isKnown() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          for (DeviceAttribute attribute : DeviceAttribute.values()) {
            assertThat(session.driver().deviceGetAttribute(attribute, 0)).isNotNegative();
          }
          long function = session.function(PTX, "affine");
          for (FunctionAttribute attribute : FunctionAttribute.values()) {
            assertThat(session.driver().funcGetAttribute(attribute, function)).isNotNegative();
          }
        });
  }

  @Test
  default void context_isCurrentOnTheThreadThatSetIt() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          assertThat(driver.ctxGetCurrent()).isEqualTo(session.context());
          AtomicReference<Object> elsewhere = new AtomicReference<>("");
          Thread other =
              Thread.ofPlatform()
                  .start(() -> {
                    assertFails(CudaResult.INVALID_CONTEXT, () -> driver.memAlloc(4));
                    elsewhere.set(driver.ctxGetCurrent());
                  });
          other.join();
          assertThat(elsewhere.get()).isEqualTo(0L);
          driver.ctxSetCurrent(0);
          assertFails(CudaResult.INVALID_CONTEXT, driver::memGetInfo);
          assertFails(CudaResult.INVALID_CONTEXT, () -> driver.ctxSetCurrent(77));
        });
  }

  @Test
  default void primaryContext_livesUntilItsLastRelease() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          assertThat(driver.devicePrimaryCtxRetain(0)).isEqualTo(session.context());
          driver.devicePrimaryCtxRelease(0);
          var _ = driver.memGetInfo();
          driver.devicePrimaryCtxRelease(0);
          assertFails(CudaResult.INVALID_CONTEXT, driver::memGetInfo);
          assertFails(CudaResult.INVALID_CONTEXT, () -> driver.devicePrimaryCtxRelease(0));
        });
  }

  @Test
  default void memory_keepsWhatIsCopiedThere() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long a = driver.memAlloc(16);
          long b = driver.memAlloc(16);
          driver.memcpyHtoD(a, session.ints(1, 2, 3, 4));
          driver.memcpyDtoDAsync(b + 4, a, 8, 0);
          driver.memsetD32Async(b, 7, 1, 0);
          driver.memsetD8Async(b + 12, (byte) -1, 4, 0);
          assertThat(session.ints(b, 4)).containsExactly(7, 1, 2, -1);
          driver.memFree(a);
          driver.memFree(b);
          assertThat(session.fake().leaks()).isEmpty();
        });
  }

  @Test
  default void memory_isCounted_andRunsOut() {
    run(
        FakeCudaConfig.DEFAULT.withMemoryBytes(1000),
        session -> {
          CudaDriver driver = session.driver();
          long address = driver.memAlloc(600);
          assertThat(address % 256).isZero();
          assertThat(driver.memGetInfo()).isEqualTo(new MemoryInfo(400, 1000));
          assertThatThrownBy(() -> driver.memAlloc(401))
              .isInstanceOf(CudaException.class)
              .hasMessage("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY, out of memory (2)");
          driver.memFree(address);
          driver.memFree(driver.memAlloc(1000));
          assertFails(CudaResult.INVALID_VALUE, () -> driver.memFree(address));
          assertFails(CudaResult.INVALID_VALUE, () -> driver.memAlloc(0));
        });
  }

  @Test
  default void pinnedMemory_isTheHosts() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          MemorySegment pinned = driver.memHostAlloc(8);
          assertThat(pinned.byteSize()).isEqualTo(8);
          pinned.set(JAVA_INT, 4, 5);
          assertThat(session.fake().leaks()).containsExactly("pinned memory");
          driver.memFreeHost(pinned);
          assertThat(session.fake().leaks()).isEmpty();
          assertFails(CudaResult.INVALID_VALUE, () -> driver.memFreeHost(session.ints(1)));
        });
  }

  @Test
  default void registeredMemory_staysTheCallers() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          MemorySegment memory = session.arena().allocate(8192, 4096);
          driver.memHostRegister(memory);
          assertThat(session.fake().leaks()).containsExactly("registered memory");
          assertFails(
              CudaResult.HOST_MEMORY_ALREADY_REGISTERED,
              () -> driver.memHostRegister(memory.asSlice(4096)));
          driver.memHostUnregister(memory);
          assertThat(session.fake().leaks()).isEmpty();
          assertFails(
              CudaResult.HOST_MEMORY_NOT_REGISTERED, () -> driver.memHostUnregister(memory));
          assertThatThrownBy(() -> driver.memHostRegister(MemorySegment.ofArray(new int[1])))
              .isInstanceOf(IllegalArgumentException.class);
          memory.set(JAVA_INT, 0, 5);
          driver.memHostRegister(memory);
          driver.devicePrimaryCtxReset(0);
          assertThat(session.fake().leaks()).isEmpty();
          assertThat(memory.get(JAVA_INT, 0)).isEqualTo(5);
        });
  }

  @Test
  default void registeredMemory_isCopiedLate() {
    boolean late = false;
    for (long seed = 0; seed < 20; seed++) {
      int[] seen = new int[1];
      run(
          FakeCudaConfig.DEFAULT.withSeed(seed),
          session -> {
            CudaDriver driver = session.driver();
            MemorySegment memory = session.arena().allocate(4096, 4096);
            driver.memHostRegister(memory);
            long word = driver.memAlloc(4);
            driver.memsetD32Async(word, 7, 1, 0);
            driver.memcpyDtoHAsync(memory.asSlice(0, 4), word, 0);
            seen[0] = memory.get(JAVA_INT, 0);
            driver.ctxSynchronize();
            assertThat(memory.get(JAVA_INT, 0)).isEqualTo(7);
            driver.memHostUnregister(memory);
            driver.memFree(word);
          });
      late |= seen[0] == 0;
    }
    assertThat(late).isTrue();
  }

  @Test
  default void registeredMemory_thatIsUnregisteredTooEarly_isAFault() {
    runAndExpectFaults(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          MemorySegment memory = session.arena().allocate(4096, 4096);
          driver.memHostRegister(memory);
          long word = driver.memAlloc(4);
          driver.memcpyHtoDAsync(word, memory.asSlice(0, 4), 0);
          driver.memHostUnregister(memory);
          assertFails(CudaResult.ILLEGAL_ADDRESS, driver::ctxSynchronize);
          assertThat(session.fake().faults())
              .hasSize(1)
              .first()
              .asString()
              .contains("freed before");
        });
  }

  @Test
  default void heapMemory_isRefused() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          long address = session.driver().memAlloc(4);
          assertThatThrownBy(
                  () -> session.driver().memcpyHtoD(address, MemorySegment.ofArray(new int[1])))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("native memory only");
        });
  }

  @Test
  default void module_hasFunctionsAndVariables() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long module = driver.moduleLoadData(PTX);
          assertThat(driver.moduleGetFunction(module, "affine")).isNotZero();
          DeviceRange calls = driver.moduleGetGlobal(module, "calls");
          assertThat(calls.bytes()).isEqualTo(4);
          assertThat(session.ints(calls.address(), 1)).containsExactly(7);
          assertFails(CudaResult.NOT_FOUND, () -> driver.moduleGetFunction(module, "none"));
          assertFails(CudaResult.NOT_FOUND, () -> driver.moduleGetGlobal(module, "none"));
          driver.moduleUnload(module);
          assertFails(CudaResult.INVALID_HANDLE, () -> driver.moduleUnload(module));
          assertThat(session.fake().leaks()).isEmpty();
        });
  }

  @Test
  default void module_withoutMemoryForItsVariables_isRefused() {
    run(
        FakeCudaConfig.DEFAULT.withMemoryBytes(1000),
        session -> {
          CudaDriver driver = session.driver();
          long memory = driver.memAlloc(997);
          assertFails(CudaResult.OUT_OF_MEMORY, () -> driver.moduleLoadData(PTX));
          // Nothing is kept of it, and the device goes on.
          driver.memFree(memory);
          driver.moduleUnload(driver.moduleLoadData(PTX));
          assertThat(session.fake().leaks()).isEmpty();
        });
  }

  @Test
  default void wrongPtx_isRefusedWithTheCompilersLog() {
    run(
        FakeCudaConfig.DEFAULT,
        session ->
            assertThatThrownBy(
                    () -> session.driver().moduleLoadData(PTX.replace("mul.rn.f32", "mul.rx.f32")))
                .isInstanceOfSatisfying(
                    CudaException.class,
                    failure -> assertThat(failure.result()).isEqualTo(CudaResult.INVALID_PTX))
                .hasMessageContaining("line 17: mul.rx.f32 %f3, %f3, %f1: .rx is no type of mul"));
  }

  @Test
  default void function_tellsWhatItNeeds() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long function = session.function(PTX, "shared");
          assertThat(driver.funcGetAttribute(FunctionAttribute.MAX_THREADS_PER_BLOCK, function))
              .isEqualTo(256);
          assertThat(driver.funcGetAttribute(FunctionAttribute.SHARED_SIZE_BYTES, function))
              .isEqualTo(1024);
          assertThat(driver.occupancyMaxActiveBlocksPerMultiprocessor(function, 256, 0))
              .isEqualTo(8);
          assertThat(driver.occupancyMaxActiveBlocksPerMultiprocessor(function, 256, 47 << 10))
              .isEqualTo(2);
          KernelArguments none = KernelArguments.allocate(session.arena(), 0);
          assertFails(
              CudaResult.INVALID_VALUE,
              () -> driver.launchKernel(function, 1, 1, 1, 32, 1, 1, 48 << 10, 0, none));
          driver.funcSetAttribute(
              function, FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 << 10);
          driver.launchKernel(function, 1, 1, 1, 32, 1, 1, 48 << 10, 0, none);
          driver.ctxSynchronize();
        });
  }

  @Test
  default void launch_computes() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          MemorySegment x = session.arena().allocate(JAVA_FLOAT, 1000);
          for (int i = 0; i < 1000; i++) {
            x.setAtIndex(JAVA_FLOAT, i, i);
          }
          long in = driver.memAlloc(4000);
          long out = driver.memAlloc(4000);
          driver.memcpyHtoD(in, x);
          session.affine(in, out, 1000, 0);
          driver.memcpyDtoH(x, out);
          assertThat(x.toArray(JAVA_FLOAT)).startsWith(1, 3, 5).endsWith(1997, 1999);
        });
  }

  @Test
  default void launch_passesArgumentsOfEachKind() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long out = driver.memAlloc(4);
          KernelArguments arguments =
              KernelArguments.allocate(session.arena(), 4)
                  .set(0, out)
                  .set(1, (byte) -1)
                  .set(2, (short) 1000)
                  .set(3, 70_000.5);
          driver.launchKernel(session.function(PTX, "kinds"), 1, 1, 1, 1, 1, 1, 0, 0, arguments);
          arguments.set(0, 0L); // the launch has its copy
          assertThat(session.ints(out, 1)).containsExactly(70_999);
        });
  }

  @Test
  default void launch_ofBadSize_isRefused() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          long function = session.function(PTX, "shared");
          KernelArguments none = KernelArguments.allocate(session.arena(), 0);
          for (int[] size : new int[][] {{0, 1}, {1, 0}, {1, 257}, {1, 2000}}) {
            assertFails(
                CudaResult.INVALID_VALUE,
                () ->
                    session
                        .driver()
                        .launchKernel(function, size[0], 1, 1, size[1], 1, 1, 0, 0, none));
          }
          assertFails(
              CudaResult.INVALID_HANDLE,
              () -> session.driver().launchKernel(77, 1, 1, 1, 1, 1, 1, 0, 0, none));
        });
  }

  /** Copies in on one stream, computes on another: with an event between them, or without. */
  private static float[] overlap(CudaSession session, boolean waits) {
    CudaDriver driver = session.driver();
    MemorySegment pinned = driver.memHostAlloc(400);
    for (int i = 0; i < 100; i++) {
      pinned.setAtIndex(JAVA_FLOAT, i, i);
    }
    long in = driver.memAlloc(400);
    long out = driver.memAlloc(400);
    long copies = driver.streamCreate();
    long kernels = driver.streamCreate();
    long copied = driver.eventCreate(false);
    driver.memsetD8Async(in, (byte) 0, 400, kernels);
    driver.streamSynchronize(kernels);
    driver.memcpyHtoDAsync(in, pinned, copies);
    driver.eventRecord(copied, copies);
    if (waits) {
      driver.streamWaitEvent(kernels, copied);
    }
    session.affine(in, out, 100, kernels);
    driver.memcpyDtoHAsync(pinned, out, kernels);
    driver.streamSynchronize(kernels);
    return pinned.toArray(JAVA_FLOAT);
  }

  @Test
  default void event_ordersTwoStreams() {
    for (long seed = 0; seed < 50; seed++) {
      run(
          FakeCudaConfig.DEFAULT.withSeed(seed),
          session -> assertThat(overlap(session, true)).startsWith(1, 3, 5).endsWith(197, 199));
    }
  }

  @Test
  default void missingEvent_isFoundInEveryOrder() {
    for (long seed = 0; seed < 50; seed++) {
      runAndExpectFaults(
          FakeCudaConfig.DEFAULT.withSeed(seed),
          session -> {
            try {
              var _ = overlap(session, false);
            } catch (CudaException _) {
              // The fault may be found while the program runs, or when it is over.
            }
            assertThat(session.fake().faults())
                .hasSize(1)
                .first()
                .asString()
                .contains("nothing orders");
          });
    }
  }

  @Test
  default void query_becomesTrue() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long stream = driver.streamCreate();
          long event = driver.eventCreate(false);
          assertThat(driver.streamQuery(stream)).isTrue();
          assertThat(driver.eventQuery(event)).isTrue();
          long word = driver.memAlloc(4);
          driver.memsetD8Async(word, (byte) 1, 4, stream);
          driver.eventRecord(event, stream);
          int polls = 0;
          while (!driver.eventQuery(event) || !driver.streamQuery(stream)) {
            assertThat(++polls).isLessThan(1000);
          }
          driver.eventSynchronize(event);
          driver.eventDestroy(event);
          driver.streamDestroy(stream);
          assertFails(CudaResult.INVALID_HANDLE, () -> driver.streamQuery(stream));
          driver.memFree(word);
          assertThat(session.fake().leaks()).isEmpty();
        });
  }

  @Test
  default void timedEvents_measure() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long start = driver.eventCreate(true);
          long end = driver.eventCreate(true);
          driver.eventRecord(start, 0);
          driver.eventRecord(end, 0);
          driver.eventSynchronize(end);
          assertThat(driver.eventElapsedTime(start, end)).isPositive();
          long untimed = driver.eventCreate(false);
          driver.eventRecord(untimed, 0);
          driver.eventSynchronize(untimed);
          assertFails(CudaResult.INVALID_HANDLE, () -> driver.eventElapsedTime(start, untimed));
        });
  }

  @Test
  default void faultOfAKernel_losesTheContext() {
    for (boolean recovers : new boolean[] {false, true}) {
      loseByAKernel(recovers);
    }
  }

  private void loseByAKernel(boolean recovers) {
    runAndExpectFaults(
        FakeCudaConfig.DEFAULT.withRecoversFromFaults(recovers),
        session -> {
          CudaDriver driver = session.driver();
          long in = driver.memAlloc(40);
          long out = driver.memAlloc(40);
          driver.memsetD8Async(in, (byte) 0, 40, 0);
          session.affine(in, out, 11, 0);
          assertFails(CudaResult.ILLEGAL_ADDRESS, driver::ctxSynchronize);
          assertFails(CudaResult.ILLEGAL_ADDRESS, () -> driver.memAlloc(4));
          assertThat(CudaResult.ILLEGAL_ADDRESS.losesContext()).isTrue();
          assertThat(session.fake().faults())
              .hasSize(1)
              .first()
              .asString()
              .contains("affine, line 16 (ld.global.f32 %f3, [%d3])");

          driver.devicePrimaryCtxReset(0);
          if (recovers) {
            driver.ctxSetCurrent(driver.devicePrimaryCtxRetain(0));
            driver.memFree(driver.memAlloc(40));
          } else {
            assertFails(CudaResult.ILLEGAL_ADDRESS, () -> driver.devicePrimaryCtxRetain(0));
            assertFails(CudaResult.ILLEGAL_ADDRESS, () -> driver.devicePrimaryCtxRetain(0));
          }
        });
  }

  @Test
  default void lostDevice_failsItsWork() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          long word = session.driver().memAlloc(4);
          session.driver().memsetD8Async(word, (byte) 0, 4, 0);
          session.fake().loseDevice(0, CudaError.LAUNCH_FAILED);
          assertFails(CudaResult.LAUNCH_FAILED, session.driver()::ctxSynchronize);
        });
  }

  @Test
  default void plannedFailure_failsThatCall() {
    run(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          session.fake().failCall("cuMemAlloc", 2, CudaError.OUT_OF_MEMORY);
          var _ = driver.memAlloc(4);
          assertFails(CudaResult.OUT_OF_MEMORY, () -> driver.memAlloc(4));
          var _ = driver.memAlloc(4);
          assertThat(session.fake().calls("cuMemAlloc")).isEqualTo(3);
        });
  }

  @Test
  default void pinnedMemory_thatIsFreedTooEarly_isAFault() {
    runAndExpectFaults(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long word = driver.memAlloc(4);
          MemorySegment pinned = driver.memHostAlloc(4);
          driver.memcpyHtoDAsync(word, pinned, 0);
          driver.memFreeHost(pinned);
          assertThat(session.fake().faults())
              .hasSize(1)
              .first()
              .asString()
              .contains("freed before");
        });
  }

  @Test
  default void memory_thatIsFreedUnderAKernel_isAFault() {
    runAndExpectFaults(
        FakeCudaConfig.DEFAULT,
        session -> {
          CudaDriver driver = session.driver();
          long stream = driver.streamCreate();
          long word = driver.memAlloc(4);
          driver.memsetD8Async(word, (byte) 0, 4, stream);
          assertFails(CudaResult.LAUNCH_FAILED, () -> driver.memFree(word));
          assertThat(session.fake().faults())
              .hasSize(1)
              .first()
              .asString()
              .contains("frees byte 0");
        });
  }

  @Test
  default void unpinnedMemory_isReadBeforeTheCallReturns() {
    for (long seed = 0; seed < 20; seed++) {
      run(
          FakeCudaConfig.DEFAULT.withSeed(seed),
          session -> {
            CudaDriver driver = session.driver();
            long word = driver.memAlloc(4);
            MemorySegment memory = session.ints(5);
            driver.memcpyHtoDAsync(word, memory, 0);
            memory.set(JAVA_INT, 0, 6);
            MemorySegment result = session.arena().allocate(JAVA_BYTE, 4);
            driver.memcpyDtoHAsync(result, word, 0);
            assertThat(result.get(JAVA_INT, 0)).isEqualTo(5);
          });
    }
  }
}
