package io.headrace.worker;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Makes a task's dataset, or says why it can't be run here. Thread-safe; it blocks. */
final class TaskLoader {
  private static final Logger LOGGER = System.getLogger(TaskLoader.class.getName());

  private final Supplier<String> workerAddress;
  private final DispatcherClient dispatcher;
  private final OpRegistry ops;

  TaskLoader(Supplier<String> workerAddress, DispatcherClient dispatcher, OpRegistry ops) {
    this.workerAddress = workerAddress;
    this.dispatcher = dispatcher;
    this.ops = ops;
  }

  /**
   * The dataset of {@code task}.
   *
   * @throws StatusException UNIMPLEMENTED, naming it, for a mode or an op that is not supported;
   *     INTERNAL for a task of another worker or without a dataset; what is wrong with the graph
   */
  TaskDataset load(TaskDef task, StepContext step) {
    checkAddress(task);
    checkMode(task);
    DatasetGraph graph = DatasetGraph.read(dataset(task, step).getGraph());
    graph.check(ops);
    boolean compressed = graph.wasCompressed() && staysCompressed(task, step);
    return new TaskDataset(graph.load(ops, step), compressed);
  }

  private void checkAddress(TaskDef task) {
    String own = workerAddress.get();
    if (!task.getWorkerAddress().equals(own)) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "Dispatcher's worker address %s does not match worker's address %s.",
          task.getWorkerAddress(),
          own);
    }
  }

  private static void checkMode(TaskDef task) {
    ShardingPolicy policy = task.getProcessingModeDef().getShardingPolicy();
    if (policy == ShardingPolicy.UNRECOGNIZED) {
      throw StatusException.invalidArgument(
          "task %d has the sharding policy %d, which there is none of",
          task.getTaskId(), task.getProcessingModeDef().getShardingPolicyValue());
    }
    if (policy != ShardingPolicy.OFF) {
      throw unsupported(task, "the sharding policy " + policy);
    }
    if (task.getOptionalNumConsumersCase() == TaskDef.OptionalNumConsumersCase.NUM_CONSUMERS) {
      throw unsupported(task, "coordinated reads (num_consumers)");
    }
    if (task.getUseCrossTrainerCache()) {
      throw unsupported(task, "the cross-trainer cache (use_cross_trainer_cache)");
    }
  }

  private static StatusException unsupported(TaskDef task, String what) {
    return StatusException.unimplemented(
        "task %d needs %s, which this worker does not support", task.getTaskId(), what);
  }

  private DatasetDef dataset(TaskDef task, StepContext step) {
    return switch (task.getDatasetCase()) {
      case DATASET_DEF -> task.getDatasetDef();
      case PATH -> datasetAt(task, step);
      case DATASET_NOT_SET ->
          throw StatusException.of(
              StatusCode.INTERNAL, "Task %d has no dataset definition.", task.getTaskId());
    };
  }

  private DatasetDef datasetAt(TaskDef task, StepContext step) {
    try {
      Path path = Path.of(task.getPath());
      if (Files.isRegularFile(path)) {
        try (InputStream in = Files.newInputStream(path)) {
          return DatasetDef.parseFrom(in);
        }
      }
    } catch (IOException | InvalidPathException e) {
      LOGGER.log(Level.DEBUG, "the dispatcher is asked for " + task.getPath(), e);
    }
    return dispatcher.getDatasetDef(task.getDatasetId(), step.cancellation());
  }

  private boolean staysCompressed(TaskDef task, StepContext step) {
    return !dispatcher.isCompressionDisabled(task.getDatasetId(), step.cancellation());
  }
}
