package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.SharedDataset;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.SplitSet;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.AwaitedReaders;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.SettlementClosed;
import io.headrace.proto.headrace.journal.SettlementOpened;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.stream.Collectors;

/** Operator log messages about jobs: readers of other datasets, and each lost task. */
final class JobLog {
  private static final Logger LOGGER = System.getLogger(JobLog.class.getName());

  private JobLog() {}

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

  /**
   * Logs that {@code task} of {@code iteration} ended before the end of its elements. It is a
   * warning if a reader may miss elements, or a worker was lost.
   */
  static void isLost(Task task, Iteration iteration, EventLog events) {
    boolean missing = task.lostSplits().orElse(0) + task.lostRows().orElse(0) > 0;
    boolean isRead = iteration.numClients() > 0;
    String line = lost(task, iteration);
    boolean isLoss =
        missing || (task.lossReason() == LossReason.WORKER_LOST && !tookNone(task, iteration));
    if (!isRead || !isLoss) {
      events.tell(() -> line);
    } else {
      LOGGER.log(Level.WARNING, line);
    }
  }

  /** Warns that a pass waits for readers that resume together. */
  static void gathers(Iteration iteration, Duration waited) {
    LOGGER.log(
        Level.WARNING,
        () ->
            "iteration %d of job %d (%s) has waited for %d s for %s; no reader gets elements of it"
                    .formatted(
                        iteration.id(),
                        iteration.job().id(),
                        iteration.job().name(),
                        waited.toSeconds(),
                        iteration
                            .readers()
                            .flatMap(Readers::missing)
                            .map(JobLog::missing)
                            .orElse("nobody"))
                + " before all of them have joined");
  }

  /** The readers of a group that have not joined, in words. */
  static String missing(AwaitedReaders group) {
    long absent = group.getReaders() - group.getJoined();
    if (group.getMissingCount() == 0) {
      return "%d of %d readers that resume together".formatted(absent, group.getReaders());
    }
    String numbers =
        group.getMissingList().stream().map(String::valueOf).collect(Collectors.joining(", "));
    return "%s %s%s of %d, which resume together and count from 0"
        .formatted(
            absent == 1 ? "reader" : "readers",
            numbers,
            absent > group.getMissingCount() ? ", ..." : "",
            group.getReaders());
  }

  /**
   * Whether {@code task}, which ended before the end of its elements, counts as lost: elements may
   * be missing with it, or its worker was lost and it had taken some. Where a worker leaves in
   * order, or a reader resumes, and the rest is made again, nothing is lost.
   */
  static boolean isLoss(Task task, Iteration iteration) {
    if (task.lostSplits().orElse(0) + task.lostRows().orElse(0) > 0) {
      return true;
    }
    if (task.lossReason() == LossReason.WORKER_LOST) {
      return !tookNone(task, iteration);
    }
    boolean isMade = iteration.remakes() || task.shard().isPresent();
    return !isMade && task.lostSplits().orElse(1) > 0 && task.lostRows().orElse(1) > 0;
  }

  /** Whether the task, of an iteration whose lost work is made again, had nothing to lose. */
  private static boolean tookNone(Task task, Iteration iteration) {
    return iteration.remakes() && task.lostSplits().orElse(-1) == 0;
  }

  /** The end of {@code task} before the end of its elements, and its consequence. */
  static String lost(Task task, Iteration iteration) {
    return "task %d of iteration %d of job %d (%s) ended %s, after %s elements; %s"
        .formatted(
            task.id(),
            iteration.id(),
            iteration.job().id(),
            iteration.job().name(),
            cause(task),
            task.lostAt().isPresent()
                ? Long.toString(task.lostAt().getAsLong())
                : "an unknown number of",
            iteration.numClients() > 0
                ? remedy(task, iteration.job())
                : unread(task, iteration.job()));
  }

  /** The begin of a settlement. */
  static String opened(SettlementOpened settlement) {
    return "settlement %d of iteration %d begins: %s of what they received of %s"
        .formatted(
            settlement.getSettlementId(),
            settlement.getIterationId(),
            settlement.getOwingClientIdsCount() == 1
                ? "a reader is to tell"
                : "%d readers are to tell".formatted(settlement.getOwingClientIdsCount()),
            settlement.getLostTaskId() == 0
                ? "all splits"
                : "task %d".formatted(settlement.getLostTaskId()));
  }

  /** The end of a settlement, and the work that is left of it. */
  static String closed(SettlementClosed settlement) {
    long splits = SplitSet.of(settlement.getRemainderList()).size();
    return "settlement %d of iteration %d ends: %s"
        .formatted(
            settlement.getSettlementId(),
            settlement.getIterationId(),
            settlement.getGivenUp()
                ? "the rest is missing, as only TensorFlow's own workers are left"
                : splits == 0
                    ? "nothing is left to make again"
                    : "what is left of %d splits is made again".formatted(splits));
  }

  private static String cause(Task task) {
    String worker = task.workerAddress();
    return switch (task.lossReason()) {
      case WORKER_LEFT -> "as its worker " + worker + " left";
      case READER_GONE -> "as its reader went away from worker " + worker;
      case RECORDS_RESUMED ->
          "on worker " + worker + ", as a reader that resumes reads its elements again";
      case WORKER_LOST, UNRECOGNIZED -> "with its worker " + worker;
    };
  }

  /** Warns that consumers who read in step can't go on. */
  static void cannotGoOnInStep(String reason) {
    LOGGER.log(Level.WARNING, reason);
  }

  /** The consequence for a task whose iteration has no reader at present. */
  private static String unread(Task task, Job job) {
    return job.anonymous()
        ? "its reader has left, and nobody misses the rest"
        : "nobody reads it now; for a reader that comes back, " + remedy(task, job);
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
    if (job.isDynamic() && task.lostSplits().orElse(-1) == 0 && task.lostRows().isEmpty()) {
      return "nothing is missing";
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
