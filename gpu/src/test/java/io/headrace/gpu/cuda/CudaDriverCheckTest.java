package io.headrace.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check of a real driver, on the fake one. */
final class CudaDriverCheckTest {
  @ParameterizedTest
  @ValueSource(strings = {"ffm", "jcuda"})
  void fakeDriver_passes(String binding) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT);
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int failed = CudaDriverCheck.run(CudaTestDrivers.open(binding), out, 200);
      assertThat(text.toString(StandardCharsets.UTF_8)).doesNotContain("FAIL");
      assertThat(failed).isZero();
    }
  }
}
