package io.headrace.cli.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dispatcher.DispatcherCounts;
import io.headrace.dispatcher.statistics.JobTotal;
import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.Verdict;
import io.headrace.proto.headrace.WorkerStatus;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The metrics as Prometheus reads them. */
final class TelemetryTest {
  private final Telemetry telemetry =
      Telemetry.start(
          new TelemetryConfig("headrace-test", "1.2", /* grpc= */ false, Optional.empty()),
          SystemTicker.INSTANCE);

  @AfterEach
  void close() {
    telemetry.close();
  }

  private String text() {
    return new String(telemetry.prometheus("text/plain").bytes(), UTF_8);
  }

  private static JobTotal total(String job, int stages) {
    List<JobTotal.OfStage> of = new ArrayList<>();
    for (int i = 0; i < stages; i++) {
      of.add(new JobTotal.OfStage("Map(f" + i + ")", 100, 1.5, 2, 0.5));
    }
    return new JobTotal(job, 1000, 8000, 1, 2, 3, 900, 12.5, 1, 2, 3, of);
  }

  private static DispatcherCounts counts(List<JobTotal> jobs) {
    return new DispatcherCounts(
        GetStatusResponse.newBuilder()
            .setDispatcher(
                DispatcherStatus.newBuilder()
                    .setVersion("1.2")
                    .setUptimeMs(5000)
                    .setTurns(77)
                    .setOptimalWorkers(3))
            .addWorkers(WorkerStatus.newBuilder().setAddress("w:1").setSilentMs(500))
            .addJobs(
                JobStatus.newBuilder()
                    .setId(5000)
                    .setName("training")
                    .addIterations(
                        IterationStatus.newBuilder()
                            .setReaders(2)
                            .setSplits(10)
                            .setSplitsHandedOut(4)))
            .build(),
        Map.of(WorkerStatus.State.REGISTERED, 1L, WorkerStatus.State.LOST, 2L),
        jobs,
        0);
  }

  private static MetricsSource dispatcher(Supplier<DispatcherCounts> counts) {
    return new DispatcherMetrics(
        counts,
        _ ->
            JobStatistics.newBuilder()
                .setVerdict(Verdict.newBuilder().setCode("stage").setWaitShare(0.25))
                .build());
  }

  private static String type(Instrument instrument) {
    return "# TYPE %s %s\n".formatted(instrument.prometheusName(), instrument.prometheusType());
  }

  @Test
  void everyMetricOfADispatcher_isThere_underItsDocumentedName() {
    telemetry
        .meter()
        .histogramBuilder(Instruments.JOURNAL_COMMIT.name())
        .setUnit("s")
        .build()
        .record(0.003);
    telemetry.export(dispatcher(() -> counts(List.of(total("training", 1)))));

    String text = text();

    assertThat(Stream.concat(Instruments.DISPATCHER.stream(), Instruments.PROCESS.stream()))
        .filteredOn(instrument -> !instrument.equals(Instruments.GC))
        .allSatisfy(instrument -> assertThat(text).contains(type(instrument)));
  }

  @Test
  void everyMetricOfAWorker_isThere_underItsDocumentedName() {
    telemetry.export(
        new WorkerMetrics(() ->
            new WorkerCounts(
                true,
                3,
                1,
                1000,
                8000,
                17,
                1,
                2,
                3,
                Map.of("Map", new WorkerCounts.OfStage(9, 1, 2)))));

    String text = text();

    assertThat(Instruments.WORKER)
        .allSatisfy(instrument -> assertThat(text).contains(type(instrument)));
    assertThat(text).contains("headrace_worker_rows_total 1000.0\n");
    assertThat(text).contains("headrace_worker_errors_ignored_total 17.0\n");
  }

  @Test
  void values_areThoseOfTheDispatcher_withLabels() {
    telemetry.export(dispatcher(() -> counts(List.of(total("training", 1)))));

    assertThat(text())
        .contains("headrace_answers 1.0\n")
        .contains("headrace_uptime_seconds{version=\"1.2\"} 5.0\n")
        .contains("headrace_workers{state=\"lost\"} 2.0\n")
        .contains("headrace_workers{state=\"draining\"} 0.0\n")
        .contains("headrace_reader_wait_seconds_total{job_name=\"training\"} 12.5\n")
        .contains("headrace_reader_rows_total{job_name=\"training\"} 900.0\n")
        .contains("headrace_job_rows_total{job_name=\"training\"} 1000.0\n")
        .contains("headrace_job_splits{job_name=\"training\",state=\"handed_out\"} 4.0\n")
        .contains("headrace_job_limit{code=\"stage\",job_name=\"training\"} 1.0\n")
        .contains("headrace_job_wait_ratio{job_name=\"training\"} 0.25\n")
        .contains("headrace_records_missing_total{job_name=\"training\"} 3.0\n")
        .contains(
            "headrace_stage_time_seconds_total"
                + "{job_name=\"training\",stage=\"Map(f0)\",state=\"starved\"} 2.0\n")
        .contains("headrace_metrics_left_out 0.0\n");
  }

  @Test
  void dispatcherThatDoesNotAnswer_isTold_andTheJvmStillMeasured() {
    telemetry.export(
        dispatcher(() -> {
          throw new StatusException(StatusCode.DEADLINE_EXCEEDED, "no answer came");
        }));

    assertThat(text())
        .contains("headrace_answers 0.0\n")
        .contains("jvm_memory_used_bytes{")
        .doesNotContain("headrace_jobs ");
  }

  @Test
  void moreSeriesThanAProcessHas_areLeftOutAndCounted() {
    List<JobTotal> jobs =
        Stream.iterate(0, i -> i + 1).limit(1000).map(i -> total("j" + i, 5)).toList();
    telemetry.export(dispatcher(() -> counts(jobs)));

    List<String> series = text().lines().filter(line -> !line.startsWith("#")).toList();

    assertThat(series).hasSizeBetween(Samples.MAX, Samples.MAX + 10);
    assertThat(series)
        .filteredOn(line -> line.startsWith("headrace_metrics_left_out "))
        .singleElement()
        .satisfies(
            line -> assertThat(Double.parseDouble(line.substring(line.indexOf(' ')))).isPositive());
    // Losses come before the stages, of which there are most.
    assertThat(series)
        .filteredOn(line -> line.startsWith("headrace_records_missing"))
        .hasSize(1000);
  }

  @Test
  void nameOfAJob_isEscaped() {
    telemetry.export(dispatcher(() -> counts(List.of(total("a\"b\\c\nd", 0)))));

    assertThat(text()).contains("headrace_job_rows_total{job_name=\"a\\\"b\\\\c\\nd\"} 1000.0\n");
  }
}
