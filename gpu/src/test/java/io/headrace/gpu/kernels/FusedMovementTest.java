package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.gpu.kernels.MovementCases.Case;
import io.headrace.gpu.ptx.CaseReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
final class FusedMovementTest {
  private static final String LAUNCH = "cuLaunchKernel";

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void functions_haveTheBitsOfTheCpu(long seed) {
    try (GpuLab lab = GpuLab.open("ffm", seed)) {
      CaseReport report = MovementCases.againstCpu(lab.device());

      assertThat(report.differences()).isEmpty();
      assertThat(report.cases()).isGreaterThan(25);
      lab.check();
    }
  }

  @Test
  void functions_areOneLaunchWhereStridesAllowIt() {
    for (Case one : MovementCases.all()) {
      try (GpuLab lab = GpuLab.open("ffm", 1)) {
        one.run(lab.device());

        assertThat(lab.fake().calls(LAUNCH)).as(one.name()).isEqualTo(one.launches());
      }
    }
  }
}
