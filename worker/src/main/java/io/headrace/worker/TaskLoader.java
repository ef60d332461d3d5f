package io.headrace.worker;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.execute.shard.AutoShard;
import io.headrace.dataset.execute.shard.AutoShard.Policy;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Loads a task's dataset: fetches, validates, shards and instantiates its graph. Thread-safe; it
 * blocks.
 */
final class TaskLoader {
  private static final Logger LOGGER = System.getLogger(TaskLoader.class.getName());

  /** Under a stock dispatcher, where the splits of a lost worker are lost. */
  private static final Duration AHEAD_OF_STOCK_READERS = Duration.ofMillis(50);

  private final Supplier<String> workerAddress;
  private final DispatcherStub dispatcher;
  private final OpRegistry ops;
  private final Ticker ticker;

  TaskLoader(
      Supplier<String> workerAddress, DispatcherStub dispatcher, OpRegistry ops, Ticker ticker) {
    this.workerAddress = workerAddress;
    this.dispatcher = dispatcher;
    this.ops = ops;
    this.ticker = ticker;
  }

  /**
   * Loads the dataset of {@code task}.
   *
   * @throws StatusException UNIMPLEMENTED, naming it, for a mode or an op that is not supported;
   *     INVALID_ARGUMENT for a function pinned to a device that the cluster lacks; INTERNAL for a
   *     task of another worker or without a dataset; NOT_FOUND if the dataset can't be sharded in
   *     its mode; FAILED_PRECONDITION if consumers read it in step and it has an end,
   *     INVALID_ARGUMENT if its job is cached and it has one; DATA_LOSS if its sources differ from
   *     those that the dispatcher found; the failure of a malformed graph
   */
  TaskDataset load(TaskDef task, StepContext step) {
    checkAddress(task);
    checkMode(task);
    DatasetGraph graph = sharded(task, DatasetGraph.read(dataset(task, step).getGraph()));
    graph.check(ops);
    graph.checkPins(step.devices());
    boolean compressed = graph.wasCompressed() && staysCompressed(task, step);
    DatasetValue dataset = graph.load(ops, step);
    if (task.hasNumConsumers()) {
      requireEndless(dataset);
    } else if (task.getUseCrossTrainerCache()) {
      requireInfinite(dataset);
    }
    if (task.getProcessingModeDef().getShardingPolicy() != ShardingPolicy.DYNAMIC) {
      return new TaskDataset(dataset, compressed, List.of(), Guarantee.AT_MOST_ONCE);
    }
    List<SplitSource> sources = dataset.splitSources();
    requireSources(task, sources);
    return dispatcher
        .describe(task.getTaskId(), step.cancellation())
        .map(described -> {
          SourceConsistencyCheck.requireSame(task, sources, described);
          return described(task, described, dataset, compressed, step);
        })
        .orElseGet(() -> ofStock(task, dataset, compressed, step));
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
          "task %d has the unknown sharding policy %d",
          task.getTaskId(), task.getProcessingModeDef().getShardingPolicyValue());
    }
  }

  /** The worker's shard of {@code dataset} under static sharding, otherwise all of it. */
  private static DatasetGraph sharded(TaskDef task, DatasetGraph dataset) {
    return switch (task.getProcessingModeDef().getShardingPolicy()) {
      case OFF, DYNAMIC, UNRECOGNIZED -> dataset;
      case FILE -> autoShard(task, Policy.FILE).rewrite(dataset);
      case DATA -> autoShard(task, Policy.DATA).rewrite(dataset);
      case FILE_OR_DATA -> autoShard(task, Policy.AUTO).rewrite(dataset);
      case HINT -> autoShard(task, Policy.HINT).rewrite(dataset);
    };
  }

  private static AutoShard autoShard(TaskDef task, Policy policy) {
    return new AutoShard(policy, task.getNumWorkers(), task.getWorkerIndex());
  }

  /** Consumers that read in step have no common end. */
  private static void requireEndless(DatasetValue dataset) {
    long rows = dataset.cardinality();
    if (rows >= 0) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Round robin reads require that the input dataset has infinite cardinality, but the"
              + " dataset has cardinality %d. Consider adding a `.repeat()` transformation to the"
              + " dataset.",
          rows);
    }
  }

  /** The trainers of a cross-trainer cache have no common end, either. */
  private static void requireInfinite(DatasetValue dataset) {
    long rows = dataset.cardinality();
    if (rows >= 0) {
      throw StatusException.invalidArgument(
          "Cross-trainer caching requires the input dataset to be infinite. Got input with"
              + " cardinality %d",
          rows);
    }
  }

  private static void requireSources(TaskDef task, List<SplitSource> sources) {
    if (sources.size() != task.getNumSplitProviders()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "task %d has %d split providers, and its dataset has %d sources",
          task.getTaskId(),
          task.getNumSplitProviders(),
          sources.size());
    }
  }

  private TaskDataset described(
      TaskDef task,
      DescribeTaskResponse description,
      DatasetValue dataset,
      boolean compressed,
      StepContext step) {
    Guarantee guarantee = guarantee(description);
    boolean announces = description.getAnnouncesDeliveries();
    boolean remade = guarantee != Guarantee.AT_MOST_ONCE || announces;
    boolean tracked =
        guarantee == Guarantee.EXACTLY_ONCE || (remade && dataset.lineage().reasonLost().isEmpty());
    if (announces && !tracked) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "task %d must announce records, and its dataset does not tell them: %s",
          task.getTaskId(),
          dataset.lineage().reasonLost().orElse(""));
    }
    Duration maxAhead = Duration.ofMillis(Math.max(0, description.getMaxAheadMs()));
    List<SplitProvider> splits =
        perSource(
            task,
            source ->
                new BatchedSplitProvider(
                    dispatcher,
                    task,
                    source,
                    tracked,
                    remade
                        ? SplitBatchSizer.ifRemade(ticker)
                        : SplitBatchSizer.ifLost(ticker, maxAhead),
                    step.cancellation()));
    return new TaskDataset(dataset, compressed, splits, guarantee, announces, maxAhead);
  }

  private static Guarantee guarantee(DescribeTaskResponse description) {
    if (description.getTracksOrigins()) {
      return Guarantee.EXACTLY_ONCE;
    }
    return description.getReportsDeliveries() ? Guarantee.AT_LEAST_ONCE : Guarantee.AT_MOST_ONCE;
  }

  private TaskDataset ofStock(
      TaskDef task, DatasetValue dataset, boolean compressed, StepContext step) {
    List<SplitProvider> splits =
        perSource(
            task, source -> new StockSplitProvider(dispatcher, task, source, step.cancellation()));
    return new TaskDataset(
        dataset, compressed, splits, Guarantee.AT_MOST_ONCE, false, AHEAD_OF_STOCK_READERS);
  }

  private static List<SplitProvider> perSource(TaskDef task, IntFunction<SplitProvider> maker) {
    return IntStream.range(0, (int) task.getNumSplitProviders()).mapToObj(maker).toList();
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
