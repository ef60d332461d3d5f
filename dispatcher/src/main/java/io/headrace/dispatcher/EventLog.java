package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Operator log lines, at level info, of what comes and goes: workers, jobs, passes and readers.
 * Peers cause them, so there are at most {@link #MAX_LINES} in a {@link #PERIOD}; the next line
 * behind them says how many were left out. Thread-safe.
 */
final class EventLog {
  static final int MAX_LINES = 200;
  static final Duration PERIOD = Duration.ofSeconds(10);

  private static final Logger LOGGER = System.getLogger(EventLog.class.getName());

  private final Ticker ticker;

  @GuardedBy("this")
  private long periodNanos;

  @GuardedBy("this")
  private int lines;

  @GuardedBy("this")
  private long omitted;

  /**
   * A log without lines.
   *
   * @param ticker measures the periods
   */
  EventLog(Ticker ticker) {
    this.ticker = ticker;
    periodNanos = ticker.nanoTime();
  }

  /** A worker's registration is durable; {@code again} if another process was at its address. */
  void registered(WorkerRegistered worker, boolean again) {
    tell(() ->
        "worker %s has registered%s"
            .formatted(
                worker.getWorkerAddress(),
                again ? ", another process than the one before at this address" : ""));
  }

  /** A worker answers again, or has come back, after it was lost. */
  void answersAgain(String address) {
    tell(() -> "worker %s answers again".formatted(address));
  }

  /** A worker has left in order; {@code waiting} of its tasks stay until it or another comes. */
  void left(String address, int waiting) {
    tell(() ->
        "worker %s has left%s"
            .formatted(
                address,
                waiting == 0 ? "" : "; %d of its tasks wait for a worker".formatted(waiting)));
  }

  /**
   * A worker of an earlier life of the dispatcher, which has no task, does not answer: it was
   * stopped meanwhile, or before.
   */
  void staysAway(String address, String why) {
    tell(() ->
        "worker %s is gone: it has not answered since the dispatcher started (%s), and had no task"
            .formatted(address, why));
  }

  /** A worker that was silent for long, or has lost its place, is registered no more. */
  void forgotten(String address) {
    tell(() -> "worker %s is forgotten".formatted(address));
  }

  /** A job is created. */
  void begins(Job job) {
    tell(() ->
        "job %d (%s) of dataset %s is read %s%s"
            .formatted(
                job.id(),
                job.name(),
                job.datasetId(),
                job.guarantee(),
                job.guaranteeReason().isEmpty() ? "" : ": " + job.guaranteeReason()));
  }

  /** An iteration has been read to its end. */
  void finished(Iteration iteration) {
    tell(() -> "%s was read to its end".formatted(name(iteration)));
  }

  /** A job is forgotten, with all its iterations. */
  void ends(long jobId) {
    tell(() -> "job %d has ended".formatted(jobId));
  }

  /** A reader has joined an iteration. */
  void joined(long client, Iteration iteration) {
    tell(() -> "reader %d has joined %s".formatted(client, name(iteration)));
  }

  /** A reader has left an iteration, or was given up as it was {@code silent} for too long. */
  void released(long client, Iteration iteration, boolean silent) {
    tell(() ->
        silent
            ? "reader %d of %s is given up: it was silent for too long"
                .formatted(client, name(iteration))
            : "reader %d has left %s".formatted(client, name(iteration)));
  }

  private static String name(Iteration iteration) {
    Job job = iteration.job();
    return "iteration %d of job %d (%s)".formatted(iteration.id(), job.id(), job.name());
  }

  /** Logs a line, unless the period has had its lines. */
  void tell(Supplier<String> line) {
    long before;
    synchronized (this) {
      long now = ticker.nanoTime();
      if (now - periodNanos >= PERIOD.toNanos()) {
        periodNanos = now;
        lines = 0;
      }
      if (lines >= MAX_LINES) {
        omitted++;
        return;
      }
      lines++;
      before = omitted;
      omitted = 0;
    }
    if (before > 0) {
      LOGGER.log(Level.INFO, "{0} events were not logged, as there were too many", before);
    }
    LOGGER.log(Level.INFO, line);
  }
}
