package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.PTX;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class GpuStreamTest {
  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void kernels_runBetweenCopies_inEveryOrder(String binding) {
    for (long seed = 0; seed < 20; seed++) {
      FakeCudaConfig config = FakeCudaConfig.DEFAULT.withSeed(seed);
      try (GpuFixture gpu = GpuFixture.open(binding, config, GROWING);
          KernelFunction kernel = gpu.context().modules().function(PTX, "increment")) {
        for (int round = 0; round < 4; round++) {
          assertThat(incrementTwice(gpu, kernel, values(round))).isEqualTo(values(round + 2));
        }
        assertThat(gpu.context().memory().inUse()).isZero();
      }
    }
  }

  private static int[] values(int first) {
    return IntStream.range(first, first + 100).toArray();
  }

  /** Closes each buffer as soon as its last use is appended. */
  private static int[] incrementTwice(GpuFixture gpu, KernelFunction kernel, int[] values) {
    TensorCopies copies = gpu.context().copies();
    DeviceBuffer x = copies.toDevice(Tensor.vector(values), "x", WAIT);
    DeviceBuffer y = gpu.allocate(400, StreamRole.COMPUTE);
    gpu.increment(kernel, x, y, 100);
    x.close();
    DeviceBuffer z = gpu.allocate(400, StreamRole.COMPUTE);
    gpu.increment(kernel, y, z, 100);
    y.close();
    int[] result = copies.toHost(z, DataType.INT32, Shape.of(100), WAIT).ints();
    z.close();
    return result;
  }

  @Test
  void everyDroppedWait_isFound() {
    int dropped = 0;
    for (long seed = 0; seed < 5; seed++) {
      int waits = dropWait(seed, 0);
      for (int wait = 1; wait <= waits; wait++) {
        // A wait is left out where the host happens to know that its work is over.
        dropped += dropWait(seed, wait) >= wait ? 1 : 0;
      }
    }
    assertThat(dropped).isGreaterThan(10); // of some sixty
  }

  /** Runs work on three streams without one of their waits; the waits that were asked for. */
  private static int dropWait(long seed, int dropped) {
    FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT.withSeed(seed));
    WaitDropper dropper = new WaitDropper(dropped);
    GpuFixture gpu = GpuFixture.open(fake, dropper.around(GpuFixture.driver("ffm")), GROWING);
    try {
      useThreeStreams(gpu);
    } catch (StatusException e) {
      assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
    }
    if (dropped == 0 || dropper.waits() < dropped) {
      gpu.close();
    } else {
      assertThat(gpu.fake().faults()).as("without wait %d of seed %d", dropped, seed).isNotEmpty();
      gpu.closeWithFaults();
    }
    return dropper.waits();
  }

  private static void useThreeStreams(GpuFixture gpu) {
    KernelFunction kernel = gpu.context().modules().function(PTX, "increment");
    DeviceBuffer x = gpu.allocate(256, StreamRole.TO_DEVICE);
    DeviceBuffer y = gpu.allocate(256, StreamRole.COMPUTE);
    DeviceBuffer z = gpu.allocate(256, StreamRole.TO_HOST);
    // Two waits in the first round, four in each other one.
    for (int round = 0; round < 3; round++) {
      gpu.fill(x, round, StreamRole.TO_DEVICE);
      gpu.increment(kernel, x, y, 64);
      gpu.context().stream(StreamRole.TO_HOST).copy(y, z, 256);
    }
    kernel.close();
    x.close();
    DeviceBuffer reused = gpu.allocate(256, StreamRole.TO_DEVICE);
    gpu.fill(reused, 9, StreamRole.TO_DEVICE); // waits for the last kernel
    gpu.context().copies().write(Tensor.vector(7), z, WAIT); // waits for the last copy
    int[] read = gpu.context().copies().toHost(z, DataType.INT32, Shape.of(2), WAIT).ints();
    assertThat(read).containsExactly(7, 0x02020203);
    List.of(y, z, reused).forEach(DeviceBuffer::close);
  }

  @Test
  void refusedLaunch_isAnError_andTheDeviceGoesOn() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING);
        KernelFunction kernel = gpu.context().modules().function(PTX, "increment")) {
      gpu.fake().failCall("cuLaunchKernel", 2, CudaError.INVALID_VALUE);
      assertFails(StatusCode.INTERNAL, () -> incrementTwice(gpu, kernel, values(1)))
          .hasMessage(
              "GPU 0 (Headrace Fake GPU): cuLaunchKernel: CUDA_ERROR_INVALID_VALUE, invalid"
                  + " argument (1)");
      gpu.fake().failCall("cuLaunchKernel", 1, CudaError.OUT_OF_MEMORY);
      assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> incrementTwice(gpu, kernel, values(1)));
      assertThat(incrementTwice(gpu, kernel, values(1))).isEqualTo(values(3));
    }
  }

  @Test
  void memoryThatTheDriverLacks_isExhausted_untilItHasSome() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      for (int nth = 1; nth < 100; nth++) {
        gpu.fake().failCall("cuMemAlloc", nth, CudaError.OUT_OF_MEMORY);
      }
      assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> gpu.allocate(8 << 20, StreamRole.COMPUTE));
      while (gpu.fake().calls("cuMemAlloc") < 99) {
        assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> gpu.allocate(8 << 20, StreamRole.COMPUTE));
      }
      gpu.allocate(8 << 20, StreamRole.COMPUTE).close();
    }
  }

  @Test
  void copyWithinTheDevice_staysInItsBuffers() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      DeviceBuffer small = gpu.allocate(8, StreamRole.COMPUTE);
      DeviceBuffer large = gpu.allocate(16, StreamRole.COMPUTE);
      GpuStream stream = gpu.context().stream(StreamRole.COMPUTE);
      stream.copy(small, large, 0);
      for (long bytes : new long[] {-1, 9}) {
        assertThatThrownBy(() -> stream.copy(small, large, bytes))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("a copy of " + bytes + " bytes from a buffer of 8 bytes");
      }
      small.close();
      large.close();
    }
  }

  @Test
  void virtualThread_isRefused() throws InterruptedException {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      GpuStream stream = gpu.context().stream(StreamRole.COMPUTE);
      AtomicReference<String> refusal = new AtomicReference<>("");
      Thread.ofVirtual()
          .start(() -> {
            try {
              var _ = stream.completion();
            } catch (IllegalStateException e) {
              refusal.set(String.valueOf(e.getMessage()));
            }
          })
          .join();
      assertThat(refusal.get()).isEqualTo("a GPU is used from platform threads only");
    }
  }
}
