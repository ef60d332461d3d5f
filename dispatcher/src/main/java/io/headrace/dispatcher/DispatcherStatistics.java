package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.RegisteredWorker;
import java.util.List;
import java.util.OptionalLong;

/**
 * Statistics of a dispatcher at one moment.
 *
 * @param workers addresses of the registered workers that answer
 * @param lostWorkers addresses of the registered workers that have stopped answering, or have left
 *     while a task waits for them; one that comes back at its address is among {@code workers}
 *     again
 * @param numDatasets registered datasets
 * @param numJobs jobs, tombstones included
 * @param numUnfinishedIterations iterations that are being read, or can be
 * @param numClients clients that have not been released
 * @param numTasksLost tasks that were lost, since the start: not those that ended in order and are
 *     made again
 * @param numSplitsLost an upper bound of the splits that these tasks had taken and not delivered in
 *     full, and that are not made again
 * @param numRowsLost the most elements that are missing with those of these tasks that announced
 *     their deliveries
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
    long numRowsLost,
    List<LostTask> recentlyLost) {

  /** Copies the lists. */
  public DispatcherStatistics {
    workers = List.copyOf(workers);
    lostWorkers = List.copyOf(lostWorkers);
    recentlyLost = List.copyOf(recentlyLost);
  }

  /**
   * A task that ended because its worker was lost.
   *
   * @param taskId the task id
   * @param iterationId its iteration, which misses the undelivered elements
   * @param workerAddress its worker
   * @param position the number of elements it had handed out when last heard of; empty for a stock
   *     worker, which does not report it
   * @param splits the number of splits it had taken, whose undelivered elements are missing; the
   *     splits of stock workers, which don't name their task, all count with the first lost task of
   *     the iteration; empty if lost work is made again, or the iteration has no splits
   * @param rows the most elements that are missing, where the worker announced its deliveries
   */
  public record LostTask(
      long taskId,
      long iterationId,
      String workerAddress,
      OptionalLong position,
      OptionalLong splits,
      OptionalLong rows) {}

  static DispatcherStatistics of(DispatcherState state, SoftState soft) {
    return new DispatcherStatistics(
        state.workers().all().stream()
            .map(RegisteredWorker::address)
            .filter(address -> !soft.workers().lost().contains(address))
            .toList(),
        List.copyOf(soft.workers().lost()),
        state.datasets().size(),
        state.jobs().size(),
        state.iterations().unfinished().size(),
        state.iterations().clients().size(),
        soft.numLosses(),
        soft.numSplitsLost(),
        soft.numRowsLost(),
        soft.recentLosses().stream()
            .map(task ->
                new LostTask(
                    task.id(),
                    task.iterationId(),
                    task.workerAddress(),
                    task.lostAt(),
                    task.lostSplits(),
                    task.lostRows()))
            .toList());
  }
}
