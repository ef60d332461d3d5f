package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CublasType;
import io.headrace.gpu.cuda.MatrixProducts;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProductLibraryTest {
  private static final GpuOptions WITH_CUBLAS =
      GROWING.withCublas(new CublasLibraries(List.of(FakeCuda.library().toString())));

  /** A product [2, 3] of [2, 2] and [2, 3]; nothing if the library does not make it. */
  private static List<Float> product(GpuFixture gpu) {
    GpuContext context = gpu.context();
    Tensor left = Tensor.wrap(DataType.FLOAT32, Shape.of(2, 2), new float[] {1, 2, 3, 4});
    Tensor right = Tensor.wrap(DataType.FLOAT32, Shape.of(2, 3), new float[] {1, 0, 2, 0, 1, 3});
    try (DeviceBuffer x = context.copies().toDevice(left, "x", WAIT);
        DeviceBuffer y = context.copies().toDevice(right, "y", WAIT);
        DeviceBuffer out = gpu.allocate(24, StreamRole.COMPUTE)) {
      MatrixProducts products =
          new MatrixProducts(
              CublasType.FLOAT,
              false,
              false,
              2,
              3,
              2,
              1,
              x.address(),
              0,
              y.address(),
              0,
              out.address());
      if (!context.products().multiply(products, x, y, out, WAIT)) {
        return List.of();
      }
      Tensor made = context.copies().toHost(out, DataType.FLOAT32, Shape.of(2, 3), WAIT);
      return List.of(
          made.floats()[0],
          made.floats()[1],
          made.floats()[2],
          made.floats()[3],
          made.floats()[4],
          made.floats()[5]);
    }
  }

  @Test
  void library_startsOnce_andLeavesNothing() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, WITH_CUBLAS)) {
      assertThat(gpu.fake().calls("cublasCreate")).isZero();
      for (int i = 0; i < 3; i++) {
        assertThat(product(gpu)).containsExactly(1f, 2f, 8f, 3f, 4f, 18f);
      }
      assertThat(gpu.fake().calls("cublasCreate")).isEqualTo(1);
      assertThat(gpu.context().memory().inUse()).isEqualTo(gpu.device().memoryLimit() / 16);
    }
  }

  @Test
  void withoutLibrary_nothingIsMade() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      assertThat(product(gpu)).isEmpty();
    }
  }

  @Test
  void workspaceThatHasNoMemory_isDoneWithout() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, WITH_CUBLAS)) {
      long most = gpu.device().memoryLimit() - (2 << 20);
      try (DeviceBuffer _ = gpu.allocate(most, StreamRole.COMPUTE)) {
        assertThat(product(gpu)).isEmpty();
      }
      assertThat(gpu.fake().calls("cublasCreate")).isZero();
      assertThat(product(gpu)).isEmpty(); // it is not asked again
    }
  }

  @Test
  void lostDevice_isUnavailable_andTheNextContextStartsTheLibraryAnew() {
    FakeCudaConfig recovers = FakeCudaConfig.DEFAULT.withRecoversFromFaults(true);
    GpuFixture gpu = GpuFixture.open(recovers, WITH_CUBLAS);
    assertThat(product(gpu)).isNotEmpty();
    gpu.fake().loseDevice(0, CudaError.ILLEGAL_ADDRESS);

    assertFails(StatusCode.UNAVAILABLE, () -> product(gpu));

    gpu.nanos().addAndGet(1_000_000_000);
    assertThat(product(gpu)).containsExactly(1f, 2f, 8f, 3f, 4f, 18f);
    assertThat(gpu.fake().calls("cublasCreate")).isEqualTo(2);
    gpu.closeWithFaults();
  }
}
