package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Written kernels give the CPU's results: its bits, or within the bounds of docs/ops.md. */
@Timeout(120)
final class WrittenKernelsTest {
  private static void assertSame(List<WrittenCase> cases, DataType dtype) {
    assertSame(
        cases,
        dtype,
        (runner, one) -> {
          int last = one.inputs().size() - 1;
          return Stream.of(
              runner.difference(one, true),
              runner.difference(one, false),
              runner.rowsDifference(one, true, 0),
              runner.rowsDifference(one, false, 0),
              runner.rowsDifference(one, false, last));
        });
  }

  /** Runs each case as {@code differences} says, and fails for what it tells. */
  private static void assertSame(
      List<WrittenCase> cases,
      DataType dtype,
      BiFunction<WrittenCaseRunner, WrittenCase, Stream<Optional<String>>> differences) {
    List<String> found = new ArrayList<>();
    try (GpuLab lab = GpuLab.open("ffm", dtype.number())) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      for (WrittenCase one : cases) {
        differences.apply(runner, one).flatMap(Optional::stream).forEach(found::add);
      }
      lab.check();
    }
    assertThat(found).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"BFLOAT16", "FLOAT16", "FLOAT32", "FLOAT64"})
  void softmax_isTheCpus(DataType dtype) {
    assertSame(SoftmaxCases.of(dtype), dtype);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"INT8", "UINT8", "INT32", "INT64", "BFLOAT16", "FLOAT16", "FLOAT32", "FLOAT64"})
  void biases_areTheCpus(DataType dtype) {
    assertSame(BiasCases.of(dtype), dtype);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"BFLOAT16", "FLOAT16", "FLOAT32", "FLOAT64", "INT32", "INT64"})
  void products_areTheCpus(DataType dtype) {
    assertSame(
        MatMulCases.of(dtype),
        dtype,
        (runner, one) ->
            Stream.of(
                runner.difference(one, true),
                runner.rowsDifference(one, true, 0),
                runner.rowsDifference(one, false, 1)));
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"BFLOAT16", "FLOAT32", "FLOAT64", "INT32", "INT64"})
  void productsInLargeTiles_areTheCpus(DataType dtype) {
    List<String> differences = new ArrayList<>();
    try (GpuLab lab = GpuLab.open("ffm", dtype.number())) {
      WrittenCaseRunner runner =
          new WrittenCaseRunner(lab.device(), WrittenKernelsTest::ofLargeTiles);
      for (WrittenCase one : MatMulCases.large(dtype)) {
        runner.difference(one, true).ifPresent(differences::add);
      }
      lab.check();
    }
    assertThat(differences).isEmpty();
  }

  static WrittenKernel ofLargeTiles(WrittenKernel kernel) {
    return ((MatMulKernel) kernel).ofLargeTiles();
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {
        "INT8",
        "UINT8",
        "INT16",
        "UINT16",
        "INT32",
        "INT64",
        "BFLOAT16",
        "FLOAT16",
        "FLOAT32",
        "FLOAT64"
      })
  void resizedImages_haveTheBitsOfTheCpu(DataType dtype) {
    assertSame(ResizeCases.of(dtype), dtype);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"BFLOAT16", "FLOAT16", "FLOAT32", "FLOAT64", "INT32", "INT64", "UINT32", "UINT64"})
  void randomNumbers_areTheCpus(DataType dtype) {
    assertSame(
        RandomCases.of(dtype),
        dtype,
        (runner, one) -> Stream.of(runner.difference(one, true), runner.difference(one, false)));
  }

  @Test
  void everyOpThatRunsOnAGpu_hasCases() {
    Set<String> tried =
        Stream.of(
                MoveCases.of(DataType.FLOAT32),
                ReductionCases.of(DataType.FLOAT32),
                ReductionCases.of(DataType.BOOL),
                SoftmaxCases.of(DataType.FLOAT32),
                BiasCases.of(DataType.FLOAT32),
                MatMulCases.of(DataType.FLOAT32),
                ResizeCases.of(DataType.FLOAT32),
                RandomCases.of(DataType.FLOAT32),
                RandomCases.of(DataType.INT32))
            .flatMap(List::stream)
            .map(one -> one.node().op().name())
            .collect(Collectors.toSet());
    assertThat(tried)
        .containsExactlyInAnyOrderElementsOf(
            OpRegistry.standard().ops().stream()
                .filter(op -> op.gpuHostInputs().isPresent())
                .map(Op::name)
                .toList());
  }
}
