package io.headrace.gpu.cuda;

import io.headrace.fakecuda.driver.FakeCuda;
import java.util.List;

/** Opens the fake driver as a program opens the real one. */
final class CudaTestDrivers {
  private CudaTestDrivers() {}

  static CudaDriver open(String binding) {
    return switch (search(binding)) {
      case CudaSearch.Found(CudaDriver driver, _, _) -> driver;
      case CudaSearch.Absent(String reason, _) -> throw new AssertionError(reason);
    };
  }

  static CudaSearch search(String binding) {
    return CudaDrivers.search(binding, List.of(FakeCuda.library().toString()));
  }
}
