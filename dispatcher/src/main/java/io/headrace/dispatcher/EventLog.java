package io.headrace.dispatcher;

import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Readers;
import io.headrace.proto.headrace.EndJobResponse;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ClientReleased;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.runtime.time.LogLimit;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/**
 * Operator log lines, at level info, of what comes and goes: workers, jobs, passes and readers.
 * Peers cause them, so they are limited. Thread-safe.
 */
final class EventLog {
  private static final Logger LOGGER = System.getLogger(EventLog.class.getName());

  private final LogLimit limit;

  /**
   * A log without lines.
   *
   * @param ticker measures the periods
   */
  EventLog(Ticker ticker) {
    limit = new LogLimit(LOGGER, ticker);
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

  /** An operator drains a worker, or takes that back. */
  void drains(String address, boolean cancelled) {
    tell(() ->
        cancelled
            ? "an operator takes back the drain of worker %s".formatted(address)
            : "an operator drains worker %s".formatted(address));
  }

  /**
   * A worker of an earlier life of the dispatcher, of which nobody reads a task, does not answer:
   * it was stopped meanwhile, or before.
   */
  void staysAway(String address, String why, int tasks) {
    tell(() ->
        "worker %s is gone: it has not answered since the dispatcher started (%s), and %s"
            .formatted(
                address,
                why,
                tasks == 0 ? "had no task" : "nobody reads its %d tasks".formatted(tasks)));
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

  /** An operator has ended a job. */
  void ended(EndJobResponse job) {
    tell(() ->
        "an operator has ended job %d (%s), with %d readers and %d tasks"
            .formatted(job.getJobId(), job.getJobName(), job.getReaders(), job.getTasks()));
  }

  /** An operator has had a dataset forgotten. */
  void forgotDataset(String id) {
    tell(() -> "an operator has had dataset %s forgotten".formatted(id));
  }

  /** A reader has joined an iteration, alone or as one of a group that resumes together. */
  void joined(ClientAcquired reader, Iteration iteration) {
    tell(() ->
        "reader %d%s has joined %s%s"
            .formatted(
                reader.getIterationClientId(),
                numberOf(reader),
                name(iteration),
                iteration
                    .readers()
                    .flatMap(Readers::missing)
                    .map(group -> ", which waits for " + JobLog.missing(group))
                    .orElse("")));
  }

  private static String numberOf(ClientAcquired reader) {
    return reader.hasReaderIndex()
        ? ", number %d of %d that resume together,"
            .formatted(reader.getReaderIndex(), reader.getReaders())
        : "";
  }

  /** A reader has left an iteration, or was given up as it was {@code silent} for too long. */
  void released(ClientReleased reader, Iteration iteration, boolean silent) {
    long client = reader.getIterationClientId();
    tell(() ->
        reader.getReplaced()
            ? reader.getReason()
            : !reader.getReason().isEmpty()
                ? "reader %d of %s is given up by an operator".formatted(client, name(iteration))
                : silent
                    ? "reader %d of %s is given up: it was silent for too long"
                        .formatted(client, name(iteration))
                    : "reader %d has left %s%s"
                        .formatted(
                            client,
                            name(iteration),
                            iteration.isFinished()
                                ? ", which was read to its end"
                                : " before its end"));
  }

  private static String name(Iteration iteration) {
    Job job = iteration.job();
    return "iteration %d of job %d (%s)".formatted(iteration.id(), job.id(), job.name());
  }

  /** Logs a line, unless there were too many. */
  void tell(Supplier<String> line) {
    if (limit.admits()) {
      LOGGER.log(Level.INFO, line);
    }
  }
}
