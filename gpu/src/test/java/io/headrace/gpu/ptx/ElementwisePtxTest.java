package io.headrace.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ElementwisePtxTest {
  private static final int COUNT = 150;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void kernels_computeWhatTheCpuComputes(long seed) {
    try (FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT.withSeed(seed))) {
      CudaDriver driver = driver();
      driver.ctxSetCurrent(driver.devicePrimaryCtxRetain(driver.deviceGet(0)));
      assertThat(ElementwiseCases.differences(driver, COUNT, seed)).isEmpty();
      assertThat(fake.faults()).isEmpty();
      assertThat(fake.leaks()).isEmpty();
    }
  }

  private static CudaDriver driver() {
    return switch (CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()))) {
      case CudaSearch.Found(CudaDriver driver, _, _) -> driver;
      case CudaSearch.Absent(String reason, _) -> throw new AssertionError(reason);
    };
  }
}
