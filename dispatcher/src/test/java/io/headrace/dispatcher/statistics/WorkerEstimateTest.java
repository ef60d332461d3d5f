package io.headrace.dispatcher.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The estimates that TensorFlow publishes for its auto-scaler. */
final class WorkerEstimateTest {
  /** An estimate from times in seconds. */
  private static WorkerEstimate of(List<Double> processing, List<Double> target) {
    return new WorkerEstimate(rates(processing), rates(target), 0, 0);
  }

  private static List<Double> rates(List<Double> seconds) {
    return seconds.stream().map(time -> 1 / time).toList();
  }

  private static List<Double> seconds(String times) {
    return DoubleStream.of(
            List.of(times.split(" ")).stream().mapToDouble(Double::valueOf).toArray())
        .boxed()
        .toList();
  }

  @Test
  void withoutWorkersOrReaders_isNone() {
    assertThat(of(List.of(), List.of()).workers()).isEmpty();
    assertThat(of(List.of(), List.of(1e-5)).workers()).isEmpty();
    assertThat(of(List.of(1e-5), List.of()).workers()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0.2,               0.025,             8",
    "0.2 0.15,          0.025 0.05,        11",
    "0.1 0.2,           0.01 0.02,         20",
    "0.08,              5e-7 0.003 0.002,  107",
    "0.08 0.07 0.000001, 0.0003,           244",
    "0.00001,           1,                 1"
  })
  void ofTimes_isWhatTensorFlowEstimates(String processing, String target, long workers) {
    assertThat(of(seconds(processing), seconds(target)).workers()).hasValue(workers);
  }

  @Test
  void ofSeveralIterations_isTheLargest() {
    List<WorkerEstimate> estimates =
        List.of(
            of(List.of(0.2), List.of(0.025)),
            of(List.of(), List.of(0.025)),
            of(List.of(0.1, 0.2), List.of(0.01, 0.02)),
            of(List.of(0.2, 0.15), List.of(0.025, 0.05)));

    assertThat(WorkerEstimate.bounded(estimates, 10)).hasValue(20);
    assertThat(WorkerEstimate.bounded(estimates.subList(1, 2), 10)).isEmpty();
    assertThat(WorkerEstimate.bounded(estimates, 0)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"500, 10, 15, 50", "10, 1, 2, 8", "10000, 1, 1000, 1500", "200000, 1, 99700, 100000"})
  void bounded_isNoMoreThanTensorFlowExports(
      long processingMicros, long targetMicros, long present, long workers) {
    WorkerEstimate estimate = of(List.of(processingMicros / 1e6), List.of(targetMicros / 1e6));

    assertThat(WorkerEstimate.bounded(List.of(estimate), present))
        .isEqualTo(OptionalLong.of(workers));
  }
}
