package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.gpu.ptx.CaseReport;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Written kernels give the answers of stock TensorFlow that the CPU's kernels are held to. */
@Timeout(300)
@SuppressWarnings("SystemOut") // the build prints the summary
final class RecordedCasesTest {
  @Test
  void answers_areThoseOfStock() throws IOException {
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      CaseReport report = RecordedCases.compared(lab.device(), RecordedCase.FOLDER, 1);

      lab.check();
      System.out.printf("summary: recorded cases of written kernels: %d%n", report.cases());
      assertThat(report.differences()).isEmpty();
      assertThat(report.cases()).isGreaterThan(500);
    }
  }
}
