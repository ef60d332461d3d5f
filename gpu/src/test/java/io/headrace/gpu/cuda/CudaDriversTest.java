package io.headrace.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CudaDriversTest {
  @Test
  void noLibrary_isAbsent_withThePathsThatWereTried() {
    assertThat(CudaDrivers.search("ffm", List.of("libnone.so.1", "/nowhere/libcuda.so.1")))
        .isEqualTo(
            new CudaSearch.Absent(
                "the CUDA driver's library is not on this machine",
                List.of("libnone.so.1: not found", "/nowhere/libcuda.so.1: not found")));
  }

  @Test
  void libraryThatIsNoDriver_isAbsent() {
    CudaSearch search = CudaDrivers.search("ffm", List.of("libm.so.6"));

    assertThat(search)
        .isEqualTo(
            new CudaSearch.Absent(
                "the driver's library libm.so.6 is too old, or not one: it has no function"
                    + " cuGetErrorName",
                List.of("libm.so.6: loaded")));
  }

  @Test
  void driverWithoutDevice_isAbsent() {
    assertThat(reason(FakeCudaConfig.DEFAULT.withDevices(0)))
        .isEqualTo("the driver finds no device");
  }

  @Test
  void driverThatIsTooOld_isAbsent() {
    assertThat(reason(FakeCudaConfig.DEFAULT.withDriverVersion(10020)))
        .isEqualTo("the driver supports CUDA 10.2, and 11.0 is the least");
  }

  private static String reason(FakeCudaConfig config) {
    try (FakeCuda _ = FakeCuda.start(config)) {
      return reason(CudaTestDrivers.search("ffm"));
    }
  }

  private static String reason(CudaSearch search) {
    return switch (search) {
      case CudaSearch.Absent(String reason, _) -> reason;
      case CudaSearch.Found _ -> "found";
    };
  }

  @Test
  void driverThatDoesNotStart_isAbsent_withItsError() {
    try (FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      fake.failCall("cuInit", 1, CudaError.UNKNOWN);

      assertThat(reason(CudaTestDrivers.search("ffm")))
          .isEqualTo("the driver does not start: cuInit: CUDA_ERROR_UNKNOWN, unknown error (999)");
    }
  }

  @Test
  void driver_isFoundInTheFirstLibraryThatLoads() {
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      String library = FakeCuda.library().toString();
      CudaSearch search = CudaDrivers.search("ffm", List.of("/nowhere/libcuda.so.1", library));

      assertThat(search)
          .isInstanceOfSatisfying(
              CudaSearch.Found.class,
              found -> assertThat(found.driver().deviceGetCount()).isEqualTo(1));
      assertThat(search.tried())
          .containsExactly("/nowhere/libcuda.so.1: not found", library + ": loaded");
    }
  }

  @Test
  void unknownBinding_isRefused() {
    assertThatThrownBy(() -> CudaDrivers.search("opencl", List.of()))
        .isInstanceOf(StatusException.class)
        .hasMessage("headrace.cuda must be ffm or jcuda, not opencl");
  }

  @Test
  void find_answersTheSameEachTime() {
    assertThat(CudaDrivers.find()).isSameAs(CudaDrivers.find());
  }
}
