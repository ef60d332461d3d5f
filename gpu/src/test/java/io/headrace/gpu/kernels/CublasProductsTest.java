package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Products of matrices by cuBLAS are the CPU's, within the bounds of docs/ops.md. */
@Timeout(60)
final class CublasProductsTest {
  private static final String PRODUCTS = "cublasGemmStridedBatchedEx";

  /** The calls by which a library is tried before it is used. */
  private static final int TRIALS = 4;

  private static final String LAUNCHES = "cuLaunchKernel";

  static WrittenKernel ofAnyWork(WrittenKernel kernel) {
    return switch (kernel) {
      case MatMulKernel product -> product.ofAnyWork();
      case FusedMatMulKernel fused -> fused.ofAnyWork();
      default -> throw new AssertionError(kernel.getClass());
    };
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"BFLOAT16", "FLOAT16", "FLOAT32", "FLOAT64"})
  void products_areTheCpus(DataType dtype) {
    List<WrittenCase> cases = new ArrayList<>(MatMulCases.of(dtype));
    cases.addAll(MatMulCases.large(dtype));
    List<String> differences = new ArrayList<>();
    try (GpuLab lab = GpuLab.openWithCublas(dtype.number())) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device(), CublasProductsTest::ofAnyWork);
      for (WrittenCase one : cases) {
        runner.difference(one, true).ifPresent(differences::add);
        runner.difference(one, false).ifPresent(differences::add);
      }
      lab.check();
      assertThat(differences).isEmpty();
      // Each is asked for; most others are errors, products of bytes, or of two dimensions.
      assertThat(lab.fake().calls(PRODUCTS)).isGreaterThan(20);
      assertThat(lab.fake().calls("cublasCreate")).isEqualTo(1);
      lab.device().close();
      assertThat(lab.fake().leaks()).isEmpty();
    }
  }

  @Test
  void productsOfManyTerms_areTheCpus() {
    try (GpuLab lab = GpuLab.openWithCublas(1)) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      for (WrittenCase one : MatMulCases.huge(DataType.FLOAT32)) {
        assertThat(runner.difference(one, true)).isEmpty();
      }

      assertThat(lab.fake().calls(PRODUCTS)).isEqualTo(TRIALS + 3);
      lab.check();
    }
  }

  @Test
  void rowsOfPipelines_haveTheSameBitsInEachBatch() {
    try (GpuLab lab = GpuLab.openWithCublas(1)) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device(), CublasProductsTest::ofAnyWork);
      for (WrittenCase one : MatMulCases.large(DataType.FLOAT32)) {
        assertThat(runner.rowsDifference(one, true, 0)).isEmpty();
      }

      assertThat(lab.fake().calls(PRODUCTS)).isZero();
      lab.check();
    }
  }

  @Test
  void onlyProductsWithMuchWork_areTheLibrarys() {
    try (GpuLab lab = GpuLab.openWithCublas(1)) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      for (int size : new int[] {63, 64}) {
        WrittenCase one = MatMulCases.square(size);
        assertThat(runner.difference(one, true)).isEmpty();

        assertThat(lab.fake().calls(PRODUCTS)).isEqualTo(size == 64 ? TRIALS + 1 : 0);
        assertThat(lab.fake().calls(LAUNCHES)).isEqualTo(1);
      }
      lab.check();
    }
  }

  @Test
  void libraryThatFails_isAskedNoMore_andNoProductIsLost() {
    for (String call :
        List.of("cublasCreate", "cublasSetWorkspace", "cublasSetMathMode", PRODUCTS)) {
      try (GpuLab lab = GpuLab.openWithCublas(1)) {
        lab.fake().failCall(call, 1, CudaError.NOT_SUPPORTED);
        WrittenCaseRunner runner =
            new WrittenCaseRunner(lab.device(), CublasProductsTest::ofAnyWork);
        for (WrittenCase one : MatMulCases.large(DataType.FLOAT32)) {
          assertThat(runner.difference(one, true)).isEmpty();
        }

        assertThat(lab.fake().calls(call)).isEqualTo(1);
        assertThat(lab.fake().calls(LAUNCHES)).isEqualTo(2);
        lab.check();
        lab.device().close();
        assertThat(lab.fake().leaks()).isEmpty();
      }
    }
  }
}
