package io.headrace.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.CudaError;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CudaResultTest {
  /** The fake driver's numbers are typed from cuda.h apart from these. */
  @ParameterizedTest
  @EnumSource(CudaError.class)
  void code_isThatOfCudaH(CudaError error) {
    assertThat(CudaResult.of(error.code()).name()).isEqualTo(error.name());
  }
}
