package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.RegisteredWorker;
import java.util.List;
import java.util.OptionalLong;

/**
 * How a dispatcher stood at one moment.
 *
 * @param workers addresses of the registered workers
 * @param lostWorkers those of them that do not answer
 * @param numDatasets registered datasets
 * @param numJobs jobs that are remembered
 * @param numUnfinishedIterations iterations that are being read, or wait to be
 * @param numClients clients that were not released
 * @param numTasksLost tasks that ended because their worker was lost, since the start
 * @param numSplitsLost of how many splits at most something was not delivered, and is not made
 *     again, because these tasks ended, since the start
 * @param recentlyLost the last of these tasks, oldest first
 */
public record DispatcherStatistics(
    List<String> workers,
    List<String> lostWorkers,
    int numDatasets,
    int numJobs,
    int numUnfinishedIterations,
    int numClients,
    long numTasksLost,
    long numSplitsLost,
    List<LostTask> recentlyLost) {

  /** Keeps copies of the lists. */
  public DispatcherStatistics {
    workers = List.copyOf(workers);
    lostWorkers = List.copyOf(lostWorkers);
    recentlyLost = List.copyOf(recentlyLost);
  }

  /**
   * A task that ended because its worker was lost.
   *
   * @param taskId its number
   * @param iterationId the iteration that misses what it had not delivered
   * @param workerAddress the worker
   * @param position the number of elements that it had handed out when last heard of; empty for a
   *     stock worker, which does not say
   * @param splits how many splits it had taken, of which what it had not delivered is missing;
   *     those of stock workers, which do not say for which task they take them, count with the
   *     first of an iteration's that is lost; empty if lost work is made again, or there are no
   *     splits
   */
  public record LostTask(
      long taskId,
      long iterationId,
      String workerAddress,
      OptionalLong position,
      OptionalLong splits) {}

  static DispatcherStatistics of(DispatcherState state, SoftState soft) {
    return new DispatcherStatistics(
        state.workers().all().stream().map(RegisteredWorker::address).toList(),
        List.copyOf(soft.workers().lost()),
        state.datasets().size(),
        state.jobs().size(),
        state.iterations().unfinished().size(),
        state.iterations().clients().size(),
        soft.numLosses(),
        soft.numSplitsLost(),
        soft.recentLosses().stream()
            .map(task ->
                new LostTask(
                    task.id(),
                    task.iterationId(),
                    task.workerAddress(),
                    task.lostAt(),
                    task.lostSplits()))
            .toList());
  }
}
