package io.headrace.cli.metrics;

import io.headrace.worker.WorkerCounts;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/** A worker's metrics from its figures. Thread-safe, as its source is. */
public final class WorkerMetrics implements MetricsSource {
  private final Supplier<WorkerCounts> counts;

  /** Metrics from the figures that {@code counts} gives. */
  public WorkerMetrics(Supplier<WorkerCounts> counts) {
    this.counts = counts;
  }

  @Override
  public List<Instrument> instruments() {
    return Instruments.WORKER;
  }

  @Override
  public void sample(Samples samples) {
    WorkerCounts now = counts.get();
    samples.add(Instruments.REGISTERED, now.registered() ? 1 : 0);
    samples.add(Instruments.TASKS, now.tasks());
    samples.add(Instruments.TASKS_DELETED, now.deletedTasks());
    samples.add(Instruments.ROWS, now.rows());
    samples.add(Instruments.DATA, now.bytes());
    samples.add(Instruments.ERRORS_IGNORED, now.errorsIgnored());
    samples.add(Instruments.WORKER_BUFFER_TIME, now.emptySeconds(), "empty");
    samples.add(Instruments.WORKER_BUFFER_TIME, now.withheldSeconds(), "withheld");
    samples.add(Instruments.WORKER_BUFFER_TIME, now.fullSeconds(), "full");
    new TreeMap<>(now.stages())
        .forEach((name, stage) -> {
          samples.add(Instruments.WORKER_STAGE_TIME, stage.busySeconds(), name, "busy");
          samples.add(Instruments.WORKER_STAGE_TIME, stage.starvedSeconds(), name, "starved");
          samples.add(Instruments.WORKER_STAGE_ROWS, stage.rows(), name);
        });
  }
}
