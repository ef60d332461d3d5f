package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.PTX;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.StatusCode;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ModuleCacheTest {
  private static final int ASKERS = 8;

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void askersAtOnce_shareOneCompilation(String binding) {
    try (GpuFixture gpu = GpuFixture.open(binding, FakeCudaConfig.DEFAULT, GROWING)) {
      List<KernelFunction> kernels = askAtOnce(gpu).stream().map(CompletableFuture::join).toList();
      assertThat(kernels)
          .extracting(KernelFunction::handle)
          .hasSize(ASKERS)
          .containsOnly(kernels.getFirst().handle());
      assertThat(gpu.fake().calls("cuModuleLoadDataEx")).isEqualTo(1);
      assertThat(gpu.fake().calls("cuModuleGetFunction")).isEqualTo(1);
      kernels.forEach(KernelFunction::close);
    }
  }

  private static List<CompletableFuture<KernelFunction>> askAtOnce(GpuFixture gpu) {
    CyclicBarrier start = new CyclicBarrier(ASKERS);
    try (ExecutorService threads = Executors.newFixedThreadPool(ASKERS)) {
      return Stream.generate(() ->
              CompletableFuture.supplyAsync(
                  () -> {
                    await(start);
                    return gpu.context().modules().function(PTX, "increment");
                  },
                  threads))
          .limit(ASKERS)
          .toList();
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void wrongPtx_failsWithTheCompilersLog_eachTime(String binding) {
    String wrong = PTX.replace("add.u32", "add.x32");
    try (GpuFixture gpu = GpuFixture.open(binding, FakeCudaConfig.DEFAULT, GROWING)) {
      ModuleCache modules = gpu.context().modules();
      for (int i = 0; i < 2; i++) {
        assertFails(StatusCode.INTERNAL, () -> modules.function(wrong, "increment"))
            .hasMessageContaining("CUDA_ERROR_INVALID_PTX")
            .hasMessageContaining("line 14: add.x32 %r3, %r3, 1");
      }
      assertThat(gpu.fake().calls("cuModuleLoadDataEx")).isEqualTo(2);
      assertFails(StatusCode.INTERNAL, () -> modules.function(PTX, "decrement"))
          .hasMessage("the PTX has no kernel decrement");
      modules.function(PTX, "increment").close();
    }
  }

  @Test
  void modulesThatNobodyHolds_areUnloadedFromTheOldest() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      ModuleCache modules = gpu.context().modules();
      KernelFunction held = modules.function(ptx(0), "increment");
      modules.function(ptx(1), "increment").close();
      modules.function(ptx(2), "increment").close();
      assertThat(gpu.fake().calls("cuModuleUnload")).isEqualTo(1);
      modules.function(ptx(2), "increment").close();
      assertThat(gpu.fake().calls("cuModuleLoadDataEx")).isEqualTo(3);
      modules.function(ptx(1), "increment").close();
      assertThat(gpu.fake().calls("cuModuleLoadDataEx")).isEqualTo(4);
      assertThat(gpu.fake().calls("cuModuleUnload")).isEqualTo(2);
      held.close();
      assertThatThrownBy(held::handle)
          .hasMessage("the kernel increment is used after it was closed");
      held.close();
    }
  }

  private static String ptx(int number) {
    return PTX + "// " + number + "\n";
  }

  @Test
  void launchedModules_areUnloadedWhenTheirWorkIsOver() {
    for (long seed = 0; seed < 10; seed++) {
      FakeCudaConfig config = FakeCudaConfig.DEFAULT.withSeed(seed);
      try (GpuFixture gpu = GpuFixture.open(config, GROWING);
          DeviceBuffer x = gpu.allocate(400, StreamRole.COMPUTE)) {
        gpu.fill(x, 1, StreamRole.COMPUTE);
        for (int i = 0; i < 6; i++) {
          KernelFunction kernel = gpu.context().modules().function(ptx(i), "increment");
          gpu.increment(kernel, x, x, 100);
          kernel.close();
        }
        gpu.context().synchronize(WAIT);
        gpu.context().modules().function(ptx(6), "increment").close();
        // Two stay.
        assertThat(gpu.fake().calls("cuModuleUnload")).isEqualTo(5);
      }
    }
  }
}
