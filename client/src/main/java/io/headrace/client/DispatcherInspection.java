package io.headrace.client;

import static java.util.Objects.requireNonNull;

import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.GetJobStatisticsRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.TraceElementRequest;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/** Asks a dispatcher what it does, which changes nothing. Thread-safe. */
public final class DispatcherInspection implements AutoCloseable {
  /** The most entries of a list in one answer. */
  private static final long PAGE = 500;

  /** How long a dispatcher waits for the last reports of a trace, and a little more. */
  private static final Duration LAST_REPORTS = Duration.ofSeconds(5);

  private final AdminCalls calls;

  private DispatcherInspection(AdminCalls calls) {
    this.calls = calls;
  }

  /**
   * An inspection of the dispatcher at {@code target}, which it does not call yet.
   *
   * @param timeout bounds each request
   * @throws StatusException as {@link GrpcTargets#address} does
   */
  public static DispatcherInspection of(String target, Duration timeout) {
    requireNonNull(target, "target is null");
    requireNonNull(timeout, "timeout is null");
    return new DispatcherInspection(new AdminCalls(target, timeout));
  }

  /**
   * The dispatcher's state, with at most {@code maxEntries} entries of each list. Long lists take
   * several requests, so an entry that comes or goes meanwhile may be there twice or be missing.
   *
   * @throws StatusException UNIMPLEMENTED if it is no dispatcher of Headrace; UNAVAILABLE if it
   *     can't be reached; DEADLINE_EXCEEDED if it does not answer in time
   */
  public GetStatusResponse status(long maxEntries) {
    GetStatusResponse.Builder whole = page(0, Math.min(PAGE, maxEntries)).toBuilder();
    for (long seen = PAGE; seen < maxEntries && isCut(whole); seen += PAGE) {
      // Merging adds to the lists and replaces the counts; 0 would not replace one.
      GetStatusResponse next = page(seen, Math.min(PAGE, maxEntries - seen));
      whole
          .mergeFrom(next)
          .setWorkersLeftOut(next.getWorkersLeftOut())
          .setDatasetsLeftOut(next.getDatasetsLeftOut())
          .setJobsLeftOut(next.getJobsLeftOut())
          .setReadersLeftOut(next.getReadersLeftOut())
          .setSnapshotsLeftOut(next.getSnapshotsLeftOut())
          .setDispatcher(next.getDispatcher());
    }
    return whole.build();
  }

  /**
   * Where the time of a job goes, and what limits it.
   *
   * @param job its name or id
   * @throws StatusException NOT_FOUND without such a job; otherwise as {@link #status}
   */
  public JobStatistics statistics(String job) {
    requireNonNull(job, "job is null");
    return calls.ask(
        stub -> stub.getJobStatistics(GetJobStatisticsRequest.newBuilder().setJob(job).build()));
  }

  /**
   * The way of the next element that a worker makes for a job, up to its reader. Waits until there
   * is one; an answer that comes without it says what is missing.
   *
   * @param job its name or id
   * @param deadline how long to wait for the element, beside the time for the request itself
   * @throws StatusException NOT_FOUND without such a job; FAILED_PRECONDITION if it has no task
   *     that can be traced, or is being traced already; RESOURCE_EXHAUSTED if many jobs are;
   *     INVALID_ARGUMENT for a deadline of more than ten minutes; otherwise as {@link #status}
   */
  public ElementTrace trace(String job, Duration deadline) {
    requireNonNull(job, "job is null");
    requireNonNull(deadline, "deadline is null");
    return calls.ask(
        deadline.plus(LAST_REPORTS),
        stub ->
            stub.traceElement(
                TraceElementRequest.newBuilder()
                    .setJob(job)
                    .setDeadlineMs(Math.max(1, deadline.toMillis()))
                    .build()));
  }

  /**
   * The plan of a dataset before it runs, or of a job's dataset. The dispatcher evaluates its
   * sources for it, which may list files.
   *
   * @param name a dataset's id, or the name or id of a job
   * @param isJob it is a job's, even if a dataset has that id, too
   * @throws StatusException NOT_FOUND without such a dataset or job; otherwise as {@link #status}
   */
  public DatasetPlan explain(String name, boolean isJob) {
    requireNonNull(name, "name is null");
    return calls.ask(
        stub -> stub.explain(ExplainRequest.newBuilder().setName(name).setJob(isJob).build()));
  }

  @Override
  public void close() {
    calls.close();
  }

  private static boolean isCut(GetStatusResponse.Builder page) {
    return page.getWorkersLeftOut()
            + page.getDatasetsLeftOut()
            + page.getJobsLeftOut()
            + page.getReadersLeftOut()
            + page.getSnapshotsLeftOut()
        > 0;
  }

  private GetStatusResponse page(long skip, long entries) {
    return calls.ask(stub ->
        stub.getStatus(GetStatusRequest.newBuilder().setSkip(skip).setMaxEntries(entries).build()));
  }
}
