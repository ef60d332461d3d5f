package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernels that move elements give the bits and the errors of the CPU's. */
@Timeout(120)
final class MoveKernelsTest {
  private static final Set<DataType> DTYPES =
      Set.of(
          DataType.BOOL,
          DataType.UINT8,
          DataType.BFLOAT16,
          DataType.FLOAT16,
          DataType.FLOAT32,
          DataType.INT32,
          DataType.FLOAT64,
          DataType.INT64);

  static Stream<Arguments> dtypes() {
    return DTYPES.stream()
        .sorted()
        .map(dtype ->
            Arguments.of(
                dtype, dtype.number() % 2 == 0 ? "ffm" : GpuLab.bindings().toList().getLast()));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("dtypes")
  void outputs_haveTheBitsOfTheCpu_andErrorsAreIts(DataType dtype, String binding) {
    List<String> differences = new ArrayList<>();
    try (GpuLab lab = GpuLab.open(binding, dtype.number())) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      for (WrittenCase one : MoveCases.of(dtype)) {
        runner.difference(one, true).ifPresent(differences::add);
        runner.difference(one, false).ifPresent(differences::add);
      }
      lab.check();
    }
    assertThat(differences).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"UINT8", "BFLOAT16", "FLOAT32", "INT64"})
  void rows_haveTheBitsOfTheCpu(DataType dtype) {
    List<String> differences = new ArrayList<>();
    try (GpuLab lab = GpuLab.open("ffm", dtype.number())) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      for (WrittenCase one : MoveCases.of(dtype)) {
        runner.rowsDifference(one, true, 0).ifPresent(differences::add);
        runner.rowsDifference(one, false, 0).ifPresent(differences::add);
        runner.rowsDifference(one, false, one.inputs().size() - 1).ifPresent(differences::add);
      }
      lab.check();
    }
    assertThat(differences).isEmpty();
  }
}
