package io.headrace.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check of a real driver, on the fake one. */
final class CudaDriverCheckTest {
  @ParameterizedTest
  @ValueSource(strings = {"ffm", "jcuda"})
  void fakeDriver_passes(String binding) {
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      assertThat(CudaDriverCheck.points(CudaTestDrivers.open(binding), 200))
          .hasSizeGreaterThan(10)
          .allSatisfy((_, found) -> assertThat(found).doesNotStartWith(CudaDriverCheck.FAILED));
    }
  }
}
