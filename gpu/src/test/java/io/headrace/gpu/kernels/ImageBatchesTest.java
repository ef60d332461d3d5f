package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.kernels.ImageBatches.Cut;
import io.headrace.gpu.kernels.ImageBatches.Scaling;
import io.headrace.gpu.ptx.CaseReport;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ImageBatchesTest {
  private static final Scaling GRAY = new Scaling(List.of(127.5f), List.of(1 / 127.5f));

  @Test
  void batches_haveTheBitsOfTheCpu() {
    try (GpuLab lab = GpuLab.open("ffm", 3)) {
      CaseReport report = ImageBatchCases.againstCpu(lab.device());

      assertThat(report.differences()).isEmpty();
      assertThat(report.cases()).isEqualTo(12);
      lab.check();
    }
  }

  @Test
  void cutBeyondItsImage_isRefused() {
    Tensor image = new TestValues(1).tensor(DataType.UINT8, Shape.of(4, 5, 1));

    assertThatThrownBy(() -> new Cut(image, 2, 0, 3, 5, false))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void imageOfOtherChannels_isRefused() {
    Tensor image = new TestValues(1).tensor(DataType.UINT8, Shape.of(4, 5, 3));
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      ImageBatches batches = new ImageBatches(lab.device().context(), HostWait.uncancelled());

      assertThatThrownBy(
              () -> batches.prepare(List.of(new Cut(image, 0, 0, 4, 5, false)), 2, 2, GRAY, false))
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void planesOfOddImages_areRefused() {
    Tensor images = new TestValues(1).tensor(DataType.UINT8, Shape.of(2, 3, 5, 1));
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      ImageBatches batches = new ImageBatches(lab.device().context(), HostWait.uncancelled());

      assertThatThrownBy(() -> batches.toPlanes(images, GRAY))
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }
}
