package io.headrace.dispatcher.decide;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.dispatcher.state.Datasets;
import io.headrace.dispatcher.state.Iterations;
import io.headrace.dispatcher.state.Jobs;
import io.headrace.dispatcher.state.Workers;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Locale;

/**
 * Upper bounds on the dispatcher's state. A client that exceeds one gets RESOURCE_EXHAUSTED, so a
 * faulty or hostile peer can't exhaust the dispatcher's memory.
 *
 * @param maxDatasets registered datasets
 * @param maxDatasetBytes total size of their graphs in bytes
 * @param maxWorkers registered workers
 * @param maxJobs jobs
 * @param maxIterations iterations
 * @param maxClients iteration clients that have not been released
 * @param maxTasks tasks of all remembered iterations
 * @param maxWaitingRequests requests queued for the commit loop
 * @param compactAfterRecords least number of journal records before a compaction
 */
public record DispatcherLimits(
    int maxDatasets,
    long maxDatasetBytes,
    int maxWorkers,
    int maxJobs,
    int maxIterations,
    int maxClients,
    int maxTasks,
    int maxWaitingRequests,
    int compactAfterRecords) {

  public static DispatcherLimits defaults() {
    return new DispatcherLimits(
        100_000,
        Runtime.getRuntime().maxMemory() / 4,
        10_000,
        100_000,
        200_000,
        100_000,
        1_000_000,
        10_000,
        10_000);
  }

  void requireRoomForDataset(Datasets datasets, long bytes) {
    require(datasets.size() < maxDatasets, "%d datasets are registered", maxDatasets);
    require(
        datasets.totalBytes() + bytes <= maxDatasetBytes,
        "a dataset of %d bytes does not fit beside the %d that are registered, of %d",
        bytes,
        datasets.totalBytes(),
        maxDatasetBytes);
  }

  void requireRoomForWorker(Workers workers) {
    require(workers.size() < maxWorkers, "%d workers are registered", maxWorkers);
  }

  void requireRoomForJob(Jobs jobs) {
    require(jobs.size() < maxJobs, "there are %d jobs", maxJobs);
  }

  void requireRoomForIteration(Iterations iterations) {
    require(iterations.size() < maxIterations, "there are %d iterations", maxIterations);
  }

  void requireRoomForClient(Iterations iterations) {
    require(
        iterations.clients().size() < maxClients,
        "%d iteration clients were not released",
        maxClients);
  }

  void requireRoomForTasks(Iterations iterations, int more) {
    require(
        iterations.numTasks() + more <= maxTasks,
        "%d more tasks do not fit beside the %d there are, of %d",
        more,
        iterations.numTasks(),
        maxTasks);
  }

  boolean hasRoomForTask(Iterations iterations) {
    return iterations.numTasks() < maxTasks;
  }

  @FormatMethod
  private static void require(boolean room, String format, Object... arguments) {
    if (!room) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "%s, which is as many as this dispatcher keeps",
          String.format(Locale.ROOT, format, arguments));
    }
  }
}
