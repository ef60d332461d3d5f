package io.headrace.worker;

import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/**
 * Reports to the dispatcher, for its operators, where the time of the worker's tasks goes. Tasks go
 * on without it: a report that fails is dropped, and a dispatcher that does not know them gets
 * none. Thread-safe.
 */
final class StageReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(StageReporter.class.getName());

  /** The pause before the first report, and after one that failed. */
  private static final Duration PERIOD = Duration.ofSeconds(2);

  /** Most tasks of a report. */
  static final int MAX_TASKS = 256;

  private final DispatcherStub dispatcher;
  private final TaskTable tasks;
  private final InterruptibleWait pause = new InterruptibleWait();

  StageReporter(DispatcherStub dispatcher, TaskTable tasks) {
    this.dispatcher = dispatcher;
    this.tasks = tasks;
  }

  void start() {
    Thread.ofPlatform().daemon().name("worker-statistics").start(this::run);
  }

  private void run() {
    Duration next = PERIOD;
    while (pause.await(next)) {
      next = report();
    }
  }

  /** Reports all tasks; returns the time until the next reports. */
  private Duration report() {
    List<TaskStages> all = tasks.live().stream().flatMap(task -> task.stages().stream()).toList();
    Duration next = PERIOD;
    for (int i = 0; i < all.size(); i += MAX_TASKS) {
      next = report(all.subList(i, Math.min(all.size(), i + MAX_TASKS)));
    }
    return next;
  }

  private Duration report(List<TaskStages> some) {
    try {
      return dispatcher
          .reportStages(ReportStagesRequest.newBuilder().addAllTasks(some).build())
          .map(reply -> Duration.ofMillis(Math.max(1, reply.getNextMs())))
          .orElse(PERIOD);
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, () -> "statistics were not reported: " + e.message());
      return PERIOD;
    }
  }

  /** Ends the reports, without waiting for one that is under way. */
  @Override
  public void close() {
    pause.end();
  }
}
