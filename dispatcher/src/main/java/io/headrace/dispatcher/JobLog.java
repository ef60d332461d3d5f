package io.headrace.dispatcher;

import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Task;
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

  /** Logs that {@code task} of {@code job} ended because its worker was lost. */
  static void isLost(Task task, Job job) {
    LOGGER.log(
        Level.WARNING,
        "task {0} of iteration {1} ended with its worker {2}, after {3} elements; {4}",
        Long.toString(task.id()),
        Long.toString(task.iterationId()),
        task.workerAddress(),
        task.lostAt().isPresent() ? task.lostAt().getAsLong() : "an unknown number of",
        remedy(task, job));
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
    return task.lostSplits().isPresent()
        ? "what it had not delivered of the %d splits that it had taken is missing from this pass"
            .formatted(task.lostSplits().getAsLong())
        : "the rest of them is missing from this pass";
  }
}
