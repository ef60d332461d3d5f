package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reductions give the CPU's results: integers and extrema exactly, sums within their bounds. */
@Timeout(120)
final class ReductionKernelsTest {
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {
        "BOOL",
        "UINT8",
        "INT8",
        "UINT16",
        "INT16",
        "UINT32",
        "INT32",
        "UINT64",
        "INT64",
        "BFLOAT16",
        "FLOAT16",
        "FLOAT32",
        "FLOAT64"
      })
  void results_areTheCpus(DataType dtype) {
    List<String> differences = new ArrayList<>();
    try (GpuLab lab = GpuLab.open("ffm", dtype.number())) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      for (WrittenCase one : ReductionCases.of(dtype)) {
        runner.difference(one, true).ifPresent(differences::add);
        runner.rowsDifference(one, false, 0).ifPresent(differences::add);
      }
      lab.check();
    }
    assertThat(differences).isEmpty();
  }

  @Test
  void sums_areTheSameFromRunToRun() {
    Tensor x = new TestValues(5).numbers(DataType.FLOAT32, Shape.of(5_000), -1e6, 1e6);
    WrittenCase sum = WrittenCase.of("Sum", List.of(x, Tensor.vector(0)), "T", DataType.FLOAT32);
    List<Double> sums = new ArrayList<>();
    for (int seed = 0; seed < 3; seed++) {
      try (GpuLab lab = GpuLab.open("ffm", seed)) {
        sums.add(TestValues.number(new WrittenCaseRunner(lab.device()).output(sum), 0));
      }
    }
    assertThat(sums).containsOnly(sums.getFirst());
  }
}
