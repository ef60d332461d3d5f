package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.statistics.JobTotal;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.WorkerStatus;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Figures of a dispatcher for metrics, taken in one turn of its commit loop.
 *
 * @param status its first page of workers and of jobs, without the fingerprints of datasets
 * @param workers the number of workers in each state
 * @param jobs sums since its start, by the names of jobs
 * @param leftOut how often a job or stage was left out of the sums for want of room
 */
public record DispatcherCounts(
    GetStatusResponse status,
    Map<WorkerStatus.State, Long> workers,
    List<JobTotal> jobs,
    long leftOut) {
  /** Copies the collections. */
  public DispatcherCounts {
    workers = Map.copyOf(workers);
    jobs = List.copyOf(jobs);
  }

  static DispatcherCounts of(DispatcherState state, SoftState soft, GetStatusResponse status) {
    Map<WorkerStatus.State, Long> workers = new EnumMap<>(WorkerStatus.State.class);
    for (RegisteredWorker worker : state.workers().all()) {
      workers.merge(StatusPage.stateOf(soft, worker), 1L, Long::sum);
    }
    return new DispatcherCounts(
        status, workers, soft.activity().totals(), soft.activity().leftOut());
  }
}
