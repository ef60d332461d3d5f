package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.SharedDataset;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.journal.SettlementClosed;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Operator log messages about jobs: the guarantee of each new job, and each lost task. */
final class JobLog {
  private static final Logger LOGGER = System.getLogger(JobLog.class.getName());

  private JobLog() {}

  /** Logs the creation of {@code job}. */
  static void begins(Job job) {
    LOGGER.log(
        Level.INFO,
        "job {0} ({1}) of dataset {2} is read {3}{4}",
        Long.toString(job.id()),
        job.name(),
        job.datasetId(),
        job.guarantee(),
        job.guaranteeReason().isEmpty() ? "" : ": " + job.guaranteeReason());
  }

  /** Warns that a reader of a job reads another dataset than its own. */
  static void readsAnother(SharedDataset datasets, String difference) {
    LOGGER.log(
        Level.WARNING,
        "job {0} reads dataset {1}; a reader that joined it by its name has another one, {2}, which"
            + " {3}; it reads the job''s",
        datasets.jobName(),
        datasets.ofJob().id(),
        datasets.requested().id(),
        difference);
  }

  /** Warns that a dataset was registered under the id of another one. */
  static void keepsFirst(String datasetId, String difference) {
    LOGGER.log(
        Level.WARNING,
        "dataset {0} stays as it was first registered; the one that was given later under this id"
            + " {1}",
        datasetId,
        difference);
  }

  /** Logs that a worker left in order. */
  static void left(String address) {
    LOGGER.log(Level.INFO, "worker {0} has left", address);
  }

  /** Logs that {@code task} of {@code job} ended because its worker was lost. */
  static void isLost(Task task, Job job) {
    boolean missing = task.lostSplits().orElse(0) + task.lostRows().orElse(0) > 0;
    LOGGER.log(
        task.left() && !missing ? Level.INFO : Level.WARNING,
        task.left()
            ? "task {0} of iteration {1} ended as its worker {2} left, after {3} elements; {4}"
            : "task {0} of iteration {1} ended with its worker {2}, after {3} elements; {4}",
        Long.toString(task.id()),
        Long.toString(task.iterationId()),
        task.workerAddress(),
        task.lostAt().isPresent() ? task.lostAt().getAsLong() : "an unknown number of",
        remedy(task, job));
  }

  /** Warns that the work of a lost task, which was to be made again, is given up. */
  static void givesUp(SettlementClosed remainder) {
    LOGGER.log(
        Level.WARNING,
        "the rest of the work of task {0} of iteration {1} is missing: only TensorFlow''s own"
            + " workers are left, which can''t make it",
        Long.toString(remainder.getSettlementId()),
        Long.toString(remainder.getIterationId()));
  }

  private static String remedy(Task task, Job job) {
    if (task.shard().isPresent()) {
      return "another worker begins its share anew";
    }
    return switch (job.guarantee()) {
      case EXACTLY_ONCE -> "what was not received of them is made again";
      case AT_LEAST_ONCE -> "what is not known to be fetched of them is made again";
      case AT_MOST_ONCE, GUARANTEE_UNSPECIFIED, UNRECOGNIZED -> missing(task);
    };
  }

  private static String missing(Task task) {
    if (task.lostRows().orElse(-1) == 0) {
      return "the rest of its work is made again, and nothing is missing";
    }
    if (task.lostSplits().orElse(-1) == 0) {
      return "nothing is missing";
    }
    if (task.lostRows().isPresent()) {
      return "at most %d elements that it had announced are missing from this pass, and the rest of"
              .formatted(task.lostRows().getAsLong())
          + " its work is made again";
    }
    return task.lostSplits().isPresent()
        ? "what it had not delivered of the %d splits that it had taken is missing from this pass"
            .formatted(task.lostSplits().getAsLong())
        : "the rest of them is missing from this pass";
  }
}
