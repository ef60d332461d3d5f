package io.headrace.client;

import io.headrace.client.ReadStatistics.LossReason;
import io.headrace.client.ReadStatistics.LostTask;
import io.headrace.proto.data.TaskInfo;
import io.headrace.runtime.time.LogLimit;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A reader's log lines of what comes and goes: its passes, the tasks that it reads, and those that
 * it loses. Passes may be many, so a dataset's lines at level info are limited, except those of
 * losses. Thread-safe.
 */
final class ReadingLog {
  private static final Logger LOGGER = System.getLogger(ReadingLog.class.getName());

  private final LogLimit limit;
  private final String ofJob;

  /**
   * A log without lines.
   *
   * @param job the name of the job that is read; empty if it has none
   */
  ReadingLog(Ticker ticker, Optional<String> job) {
    ofJob = job.map(" of job "::concat).orElse("");
    limit = new LogLimit(LOGGER, ticker);
  }

  /** The reader {@code client} has joined a pass, which is read {@code how}. */
  void joins(long client, ServiceDataset dataset, long repetition, String how) {
    tell(() ->
        "reader %d%s has joined pass %d of dataset %s at %s, read %s"
            .formatted(client, ofJob, repetition, dataset.datasetId(), dataset.address(), how));
  }

  /** Warns that there was nothing for a reader in a job's pass. */
  void gotNothing(long client, long repetition, String job) {
    LOGGER.log(
        Level.WARNING,
        () ->
            "reader %d got no elements: pass %d of job %s was read to its end without it; under"
                    .formatted(client, repetition, job)
                + " another job name the dataset is read anew");
  }

  /** Why a reader waits whose {@code workers} are there: others of its job may hold elements. */
  static String sentNone(List<String> workers, Optional<String> job) {
    return "workers %s have sent none%s"
        .formatted(
            workers,
            job.map("; other readers of job %s may hold the rest, and not take it"::formatted)
                .orElse(""));
  }

  /** Why a reader waits of which every task has ended; {@code workers} made those not lost. */
  static String haveEnded(List<String> workers, Optional<String> job) {
    return workers.isEmpty()
        ? "its workers are lost, and no other one has come"
        : "workers %s have sent all that they had, and the pass has not ended%s"
            .formatted(
                workers,
                job.map("; it ends once the other readers of job %s have taken theirs"::formatted)
                    .orElse(""));
  }

  /** The reader begins to read a task. */
  void begins(long client, TaskInfo task) {
    tell(() ->
        "reader %d%s reads task %d of worker %s"
            .formatted(client, ofJob, task.getTaskId(), task.getWorkerAddress()));
  }

  /**
   * The reader has lost a task: a warning if its worker was lost or elements may be missing. Each
   * loss has its line, however many there are.
   */
  void loses(long client, LostTask lost) {
    LOGGER.log(
        lost.mayMiss() || lost.reason() == LossReason.WORKER_LOST ? Level.WARNING : Level.INFO,
        () -> "reader %d%s: %s".formatted(client, ofJob, lost));
  }

  /** The reader is closed: it has read its pass to the {@code end}, or leaves before. */
  void leaves(long client, long repetition, boolean end) {
    tell(() ->
        "reader %d%s has %s pass %d%s"
            .formatted(
                client,
                ofJob,
                end ? "read" : "left",
                repetition,
                end ? " to its end" : " before its end"));
  }

  private void tell(Supplier<String> line) {
    if (limit.admits()) {
      LOGGER.log(Level.INFO, line);
    }
  }
}
