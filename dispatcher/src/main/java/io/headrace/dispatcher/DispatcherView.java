package io.headrace.dispatcher;

import static java.util.Objects.requireNonNull;

import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobHistory;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CompletableFuture;

/**
 * The answers of a dispatcher's service for operators (headrace/admin.proto) that change nothing,
 * without a connection. Each takes one turn of its commit loop. Futures fail with a {@link
 * StatusException}: NOT_FOUND for a job that is not there, UNAVAILABLE once the dispatcher has
 * stopped. Where the journal hangs, they do not complete: wait for a limited time. Thread-safe.
 */
public final class DispatcherView {
  private final Dispatcher dispatcher;
  private final String address;

  DispatcherView(Dispatcher dispatcher, String address) {
    this.dispatcher = dispatcher;
    this.address = address;
  }

  /** A page of the state. */
  public CompletableFuture<GetStatusResponse> status(GetStatusRequest request) {
    requireNonNull(request, "request is null");
    return dispatcher.status(request, address);
  }

  /**
   * Where the time of a job goes, and what limits it.
   *
   * @param job its id or name
   */
  public CompletableFuture<JobStatistics> jobStatistics(String job) {
    requireNonNull(job, "job is null");
    return dispatcher.jobStatistics(job);
  }

  /**
   * The last ten minutes of a job.
   *
   * @param job its id or name
   */
  public CompletableFuture<JobHistory> jobHistory(String job) {
    requireNonNull(job, "job is null");
    return dispatcher.jobHistory(job);
  }

  /** The plan of a dataset: its sources are evaluated, away from the commit loop. */
  public CompletableFuture<DatasetPlan> explain(ExplainRequest request) {
    requireNonNull(request, "request is null");
    return dispatcher.operators().explain(request);
  }

  /** Figures for metrics. */
  public CompletableFuture<DispatcherCounts> counts() {
    return dispatcher.counts();
  }
}
