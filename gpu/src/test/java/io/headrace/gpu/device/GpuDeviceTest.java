package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.BUDGET_BYTES;
import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.PTX;
import static io.headrace.gpu.device.GpuFixture.SIZES;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static io.headrace.gpu.device.GpuFixture.budget;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class GpuDeviceTest {
  private static final FakeCudaConfig RECOVERS =
      FakeCudaConfig.DEFAULT.withRecoversFromFaults(true);
  private static final String LOST =
      "GPU 0 (Headrace Fake GPU) was lost with all that its memory held: ";
  private static final String LOST_FOR_GOOD =
      "GPU 0 (Headrace Fake GPU) is lost until this process is started again:"
          + " cuDevicePrimaryCtxRetain: CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was"
          + " encountered (700)";

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void deviceThatRecovers_worksInANewContext(String binding) {
    GpuFixture gpu = GpuFixture.open(binding, RECOVERS, GROWING);
    GpuContext lost = gpu.context();
    loseByAKernel(gpu);
    pass(gpu, 100);
    assertThat(gpu.context()).isNotSameAs(lost);
    roundTrip(gpu);
    assertFails(StatusCode.UNAVAILABLE, () -> lost.synchronize(WAIT)).hasMessageStartingWith(LOST);

    // The next loss within a minute costs twice the time.
    loseByAKernel(gpu);
    pass(gpu, 100);
    assertFails(StatusCode.UNAVAILABLE, gpu::context).hasMessageEndingWith("in 101 ms)");
    pass(gpu, 100);
    roundTrip(gpu);
    gpu.device().close();
    assertThat(gpu.fake().leaks()).isEmpty();
    gpu.closeWithFaults();
  }

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void deviceThatTheDriverRefuses_staysLost_andIsTriedSeldom(String binding) {
    GpuFixture gpu = GpuFixture.open(binding, FakeCudaConfig.DEFAULT, GROWING);
    loseByAKernel(gpu);
    int retains = gpu.fake().calls("cuDevicePrimaryCtxRetain");
    long delay = 100;
    for (int tries = 1; tries <= 12; tries++) {
      pass(gpu, delay);
      assertFails(StatusCode.UNAVAILABLE, gpu::context).hasMessage(LOST_FOR_GOOD);
      for (int i = 0; i < 3; i++) {
        assertFails(StatusCode.UNAVAILABLE, gpu::context)
            .hasMessageStartingWith(LOST_FOR_GOOD + " (tried again in ");
      }
      assertThat(gpu.fake().calls("cuDevicePrimaryCtxRetain")).isEqualTo(retains + tries);
      delay = Math.min(2 * delay, 30_000);
    }
    gpu.device().close();
    gpu.device().close();
    assertFails(StatusCode.FAILED_PRECONDITION, gpu::context).hasMessageEndingWith(" is closed");
    gpu.closeWithFaults();
  }

  /** Reads a wrong address, and checks that all that the context had has failed. */
  private static void loseByAKernel(GpuFixture gpu) {
    GpuContext context = gpu.context();
    KernelFunction kernel = context.modules().function(PTX, "increment");
    DeviceBuffer x = gpu.allocate(256, StreamRole.COMPUTE);
    DeviceBuffer y = gpu.allocate(256, StreamRole.COMPUTE);
    gpu.increment(kernel, 0, x, y, 64);
    assertFails(
            StatusCode.UNAVAILABLE,
            () -> context.copies().toHost(y, DataType.INT32, Shape.of(64), WAIT))
        .hasMessageStartingWith(LOST)
        .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
    assertFails(StatusCode.UNAVAILABLE, y::address).hasMessageStartingWith(LOST);
    assertFails(StatusCode.UNAVAILABLE, () -> context.modules().function(PTX, "increment"));
    assertFails(
        StatusCode.UNAVAILABLE, () -> context.copies().toDevice(Tensor.vector(1), "test", WAIT));
    assertFails(
        StatusCode.UNAVAILABLE, () -> context.allocate(0, "test", StreamRole.COMPUTE, WAIT));
    assertFails(StatusCode.UNAVAILABLE, gpu::context)
        .hasMessageStartingWith(LOST)
        .hasMessageContaining(" (tried again in ");
    kernel.close();
    x.close();
    y.close();
  }

  private static void pass(GpuFixture gpu, long millis) {
    gpu.nanos().addAndGet(Duration.ofMillis(millis).toNanos());
  }

  private static void roundTrip(GpuFixture gpu) {
    TensorCopies copies = gpu.context().copies();
    try (DeviceBuffer buffer = copies.toDevice(Tensor.vector(new int[100]), "test", WAIT)) {
      assertThat(copies.toHost(buffer, DataType.INT32, Shape.of(100), WAIT).ints()).containsOnly(0);
    }
  }

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void loss_endsAllWorkOnItsWay(String binding) {
    for (long seed = 0; seed < 5; seed++) {
      GpuFixture gpu = GpuFixture.open(binding, FakeCudaConfig.DEFAULT.withSeed(seed), GROWING);
      try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
        var work =
            Stream.generate(() -> CompletableFuture.runAsync(() -> workUntilTheLoss(gpu), threads))
                .limit(6)
                .toList();
        while (gpu.fake().calls("cuLaunchKernel") < 20) {
          Thread.onSpinWait();
        }
        gpu.fake().loseDevice(0, CudaError.LAUNCH_FAILED);
        work.forEach(done ->
            assertFails(StatusCode.UNAVAILABLE, () -> await(done))
                .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED"));
      }
      gpu.device().close();
      gpu.closeWithFaults();
    }
  }

  /** Waits, for a time that only a hang needs. */
  private static void await(CompletableFuture<Void> done) {
    var _ = new HostWait(Duration.ofMinutes(1), new Cancellation()).await(done, "the work");
  }

  private static void workUntilTheLoss(GpuFixture gpu) {
    while (true) {
      TensorCopies copies = gpu.context().copies();
      try (KernelFunction kernel = gpu.context().modules().function(PTX, "increment");
          DeviceBuffer x = copies.toDevice(Tensor.vector(new int[50]), "x", WAIT);
          DeviceBuffer y = gpu.allocate(200, StreamRole.COMPUTE)) {
        gpu.increment(kernel, x, y, 50);
        assertThat(copies.toHost(y, DataType.INT32, Shape.of(50), WAIT).ints()).containsOnly(1);
      }
    }
  }

  @Test
  void failureThatEndsWithAReset_isOver() {
    GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING);
    gpu.fake().failCall("cuMemAlloc", 1, CudaError.LAUNCH_FAILED);
    assertFails(StatusCode.UNAVAILABLE, () -> gpu.allocate(8, StreamRole.COMPUTE))
        .hasMessageStartingWith(LOST + "cuMemAlloc");
    pass(gpu, 100);
    gpu.fake().failCall("cuStreamCreate", 2, CudaError.LAUNCH_FAILED);
    assertFails(StatusCode.UNAVAILABLE, gpu::context)
        .hasMessageContaining("is lost until this process is started again: cuStreamCreate");
    pass(gpu, 200);
    roundTrip(gpu);
    gpu.close();
  }

  @Test
  void lossBeforeTheClose_isNoError() {
    GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING);
    KernelFunction kernel = gpu.context().modules().function(PTX, "increment");
    DeviceBuffer x = gpu.allocate(256, StreamRole.COMPUTE);
    gpu.increment(kernel, 0, x, x, 64);
    gpu.device().close();
    gpu.device().close();
    x.close();
    kernel.close();
    gpu.closeWithFaults();
  }

  @Test
  void closedDevice_isNotUsed() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      GpuContext context = gpu.context();
      DeviceBuffer buffer = gpu.allocate(8, StreamRole.COMPUTE);
      gpu.device().close();
      assertFails(StatusCode.FAILED_PRECONDITION, gpu::context);
      assertFails(StatusCode.FAILED_PRECONDITION, buffer::address)
          .hasMessage("GPU 0 (Headrace Fake GPU) is closed");
      assertFails(StatusCode.FAILED_PRECONDITION, () -> context.synchronize(WAIT));
      buffer.close();
    }
  }

  @Test
  void openingThatFails_leavesNothing() {
    try (FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      CudaDriver driver = GpuFixture.driver("ffm");
      // Held beside the device, so that the context shows what is left there.
      var _ = driver.devicePrimaryCtxRetain(0);
      for (int stream = 1; stream <= 3; stream++) {
        fake.failCall("cuStreamCreate", stream, CudaError.OUT_OF_MEMORY);
        assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> open(driver, 0));
        assertThat(fake.leaks()).isEmpty();
      }
      fake.failCall("cuMemAlloc", 1, CudaError.INVALID_VALUE);
      assertFails(StatusCode.INTERNAL, () -> open(driver, 0));
      fake.failCall("cuMemGetInfo", 1, CudaError.INVALID_VALUE);
      assertFails(StatusCode.UNAVAILABLE, () -> open(driver, 0))
          .hasMessageStartingWith("GPU 0 (Headrace Fake GPU) can't be used: cuMemGetInfo");
      fake.failCall("cuDevicePrimaryCtxRetain", 1, CudaError.INVALID_DEVICE);
      assertFails(StatusCode.UNAVAILABLE, () -> open(driver, 0))
          .hasMessageStartingWith("GPU 0 (Headrace Fake GPU) can't be used");
      assertThat(fake.leaks()).isEmpty();
      open(driver, 0).close();
      assertThat(fake.leaks()).isEmpty();
    }
  }

  @Test
  void closingThatFails_leavesOnlyWhatItCouldNotFree() {
    try (FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      CudaDriver driver = GpuFixture.driver("ffm");
      var _ = driver.devicePrimaryCtxRetain(0);
      GpuDevice device = open(driver, 0);
      for (StreamRole role : List.of(StreamRole.TO_DEVICE, StreamRole.TO_HOST)) {
        PinnedRing ring = device.context().ring(role);
        List<MemorySegment> slots = List.of(ring.take(WAIT), ring.take(WAIT));
        slots.forEach(ring::give);
      }
      fake.failCall("cuMemFreeHost", 2, CudaError.INVALID_VALUE);

      assertThatThrownBy(device::close).hasMessageContaining("cuMemFreeHost");

      assertThat(fake.leaks()).hasSize(1);
      device.close();
    }
  }

  private static GpuDevice open(CudaDriver driver, int ordinal) {
    return GpuDevice.open(
        driver, ordinal, GpuOptions.DEFAULT, () -> 0, SIZES, budget(BUDGET_BYTES, () -> 0));
  }

  @Test
  void devices_areLostAndClosedAlone() {
    try (FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT.withDevices(2))) {
      CudaDriver driver = GpuFixture.driver("ffm");
      GpuDevice first = open(driver, 0);
      GpuDevice second = open(driver, 1);
      copy(first);
      copy(second);
      GpuContext lost = first.context();
      fake.loseDevice(0, CudaError.LAUNCH_FAILED);
      copy(second);
      assertFails(StatusCode.UNAVAILABLE, () -> lost.synchronize(WAIT));
      copy(second);
      first.close();
      copy(second);
      second.close();
      assertThat(fake.faults()).isEmpty();
    }
  }

  private static void copy(GpuDevice device) {
    TensorCopies copies = device.context().copies();
    try (DeviceBuffer buffer = copies.toDevice(Tensor.vector(1, 2), "test", WAIT)) {
      assertThat(copies.toHost(buffer, DataType.INT32, Shape.of(2), WAIT).ints())
          .containsExactly(1, 2);
    }
  }
}
