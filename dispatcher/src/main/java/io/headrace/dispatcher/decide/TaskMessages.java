package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.SourceDescription;
import io.headrace.proto.headrace.journal.SplitSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Builds TensorFlow's and our messages that describe tasks to workers and clients. */
public final class TaskMessages {
  private TaskMessages() {}

  /** The definitions of {@code tasks}, all of {@code job}, for their workers. */
  static List<TaskDef> definitions(
      Collection<Task> tasks,
      Job job,
      RegisteredDataset dataset,
      long numShards,
      int splitSources) {
    if (tasks.isEmpty()) {
      return List.of();
    }
    DatasetDef def = dataset.parseDef();
    return tasks.stream().map(task -> definition(task, job, def, numShards, splitSources)).toList();
  }

  /** The definition of {@code task} for its worker. */
  public static TaskDef definition(DispatcherState state, Task task, Iteration iteration) {
    return definition(
        task,
        iteration.job(),
        state.datasetOf(iteration).parseDef(),
        iteration.numShards(),
        iteration.splits().sources().size());
  }

  private static TaskDef definition(
      Task task, Job job, DatasetDef dataset, long numShards, int splitSources) {
    TaskDef.Builder definition =
        TaskDef.newBuilder()
            .setDatasetId(job.datasetId())
            .setDatasetDef(dataset)
            .setTaskId(task.id())
            .setIterationId(task.iterationId())
            .setWorkerAddress(task.workerAddress())
            .setProcessingModeDef(job.processingMode())
            .setUseCrossTrainerCache(job.cached());
    if (task.shard().isPresent()) {
      definition.setNumWorkers(numShards).setWorkerIndex(task.shard().getAsLong());
    }
    job.numConsumers().ifPresent(definition::setNumConsumers);
    if (splitSources > 0) {
      definition.setNumSplitProviders(splitSources);
    }
    return definition.build();
  }

  /**
   * The part of a task's description that TensorFlow's TaskDef lacks.
   *
   * @param iteration the task's iteration
   * @param stockLease how much reading its worker holds ahead in stock clients' jobs
   */
  public static DescribeTaskResponse description(Iteration iteration, Duration stockLease) {
    DescribeTaskResponse.Builder description =
        DescribeTaskResponse.newBuilder()
            .setTracksOrigins(iteration.job().isExactlyOnce())
            .setReportsDeliveries(iteration.job().isAtLeastOnce())
            .setAnnouncesDeliveries(iteration.isAnnounced())
            .setMaxAheadMs(iteration.job().bounded() ? stockLease.toMillis() : 0);
    for (SplitSource source : iteration.splits().sources()) {
      description.addSources(
          SourceDescription.newBuilder()
              .setCount(source.getCount())
              .setFiles(source.getFilesCount() > 0)
              .setFingerprint(source.getFingerprint()));
    }
    return description.build();
  }

  /**
   * The description of {@code task} for clients that read it from {@code worker}.
   *
   * @param startingRound with coordinated reads, the round from which on consumers read it
   */
  static TaskInfo info(Task task, RegisteredWorker worker, long startingRound) {
    return TaskInfo.newBuilder()
        .setWorkerAddress(worker.address())
        .addAllTransferServers(worker.transferServers())
        .addAllWorkerTags(worker.tags())
        .setTaskId(task.id())
        .setIterationId(task.iterationId())
        .setWorkerUid(worker.uid())
        .setStartingRound(startingRound)
        .build();
  }
}
