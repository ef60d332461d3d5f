package io.headrace.dispatcher;

import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateIterationResponse;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrCreateJobResponse;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.GetWorkersResponse;
import io.headrace.proto.data.MaybeRemoveTaskResponse;
import io.headrace.proto.data.ReleaseIterationClientResponse;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerInfo;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The dispatcher without its server: what each request comes to, from validation to the reply when
 * it is durable. Requests that can never succeed throw a {@link StatusException} at once; others
 * fail their future with one. Thread-safe.
 */
final class Dispatcher implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(Dispatcher.class.getName());
  private static final int COMPACT_AFTER_RECORDS = 10_000;

  private final DispatcherConfig config;
  private final DispatcherParts parts;
  private final SoftState soft = new SoftState();
  private final IterationWatchers watchers = new IterationWatchers();
  private final DatasetDecisions datasets;
  private final JobDecisions jobs;
  private final IterationDecisions iterations;
  private final WorkerDecisions workers;
  private final CommitLoop loop;
  private final WorkerMonitor monitor;

  Dispatcher(DispatcherConfig config, DispatcherParts parts) {
    this.config = config;
    this.parts = parts;
    TaskPlanning planning = new TaskPlanning(parts.limits());
    datasets = new DatasetDecisions(parts.limits());
    jobs = new JobDecisions(parts.limits());
    iterations = new IterationDecisions(parts.limits(), planning, config.deploymentMode());
    workers = new WorkerDecisions(parts.limits(), planning);
    loop =
        new CommitLoop(
            parts.executor(),
            parts.journal(),
            parts.ticker(),
            new Follower(),
            parts.limits().maxWaitingRequests(),
            COMPACT_AFTER_RECORDS);
    monitor =
        new WorkerMonitor(
            loop,
            soft,
            parts.network(),
            workers,
            watchers,
            new WorkerAddressList(config.workerAddresses()));
  }

  /**
   * Reads the journal, and begins to watch over workers and clients.
   *
   * @throws StatusException DATA_LOSS if the journal can't be read
   */
  void open() {
    loop.open();
    parts.timer().every(WorkerMonitor.PERIOD, monitor::tick);
    if (!config.jobGcTimeout().isNegative()) {
      parts.timer().every(config.jobGcCheckInterval(), this::collectGarbage);
    }
  }

  CompletableFuture<GetOrRegisterDatasetResponse> getOrRegisterDataset(
      GetOrRegisterDatasetRequest request) {
    RequestChecks.check(request);
    PreparedDataset prepared = PreparedDataset.of(request.getDataset());
    String id = request.getDatasetId();
    DataServiceMetadata metadata = request.getMetadata();
    return loop.submit((state, _) -> datasets.getOrRegister(state, id, metadata, prepared));
  }

  CompletableFuture<DataServiceMetadata> metadata(String datasetId) {
    return ask(state -> state.datasets().get(datasetId).metadata());
  }

  CompletableFuture<DatasetDef> datasetDef(String datasetId) {
    return ask(state -> state.datasets().get(datasetId).parseDef());
  }

  CompletableFuture<DisableCompressionAtRuntimeResponse> disableCompression(
      DisableCompressionAtRuntimeRequest request) {
    return loop.submit((state, _) -> datasets.disableCompression(state, request));
  }

  CompletableFuture<GetOrCreateJobResponse> getOrCreateJob(GetOrCreateJobRequest request) {
    RequestChecks.check(request);
    long nonce = parts.random().getAsLong();
    return loop.submit((state, _) -> jobs.getOrCreate(state, request, nonce));
  }

  CompletableFuture<GetOrCreateIterationResponse> getOrCreateIteration(
      GetOrCreateIterationRequest request) {
    RequestChecks.check(request);
    return loop.submit((state, _) -> iterations.getOrCreate(state, soft, request))
        .thenApply(place -> {
          monitor.tell(place.newTasks());
          return GetOrCreateIterationResponse.newBuilder()
              .setIterationClientId(place.clientId())
              .build();
        });
  }

  CompletableFuture<ClientHeartbeatResponse> clientHeartbeat(ClientHeartbeatRequest request) {
    RequestChecks.check(request);
    long client = request.getIterationClientId();
    return loop.submit((state, nowNanos) -> {
      soft.clients().heard(client, nowNanos);
      return Decision.answer(iterations.heartbeat(state, client));
    });
  }

  CompletableFuture<ReleaseIterationClientResponse> releaseIterationClient(long client) {
    return loop.submit((state, _) -> iterations.release(state, client));
  }

  /** Has {@code watcher} told of the client's iteration, from when the result is complete. */
  CompletableFuture<Boolean> watch(long client, IterationWatchers.Watcher watcher) {
    return loop.submit((state, nowNanos) -> {
      Iteration iteration = IterationDecisions.ofClient(state, client);
      watchers.add(client, iteration.id(), watcher);
      soft.clients().watching(client, true, nowNanos);
      return Decision.answer(true);
    });
  }

  /** Ends a watch, if it is still the client's. */
  void unwatch(long client, IterationWatchers.Watcher watcher) {
    var _ =
        loop.submit((_, nowNanos) -> {
          boolean there = watchers.remove(client, watcher);
          if (there) {
            soft.clients().watching(client, false, nowNanos);
          }
          return Decision.answer(there);
        });
  }

  CompletableFuture<WorkerHeartbeatResponse> workerHeartbeat(WorkerReport report) {
    RequestChecks.check(report);
    return monitor.heartbeat(report);
  }

  CompletableFuture<WorkerUpdateResponse> workerUpdate(WorkerUpdateRequest request) {
    return loop.submit((state, _) -> workers.update(state, soft, request));
  }

  CompletableFuture<GetWorkersResponse> workers() {
    return ask(state -> {
      GetWorkersResponse.Builder response = GetWorkersResponse.newBuilder();
      state
          .workers()
          .all()
          .forEach(w -> response.addWorkers(WorkerInfo.newBuilder().setAddress(w.address())));
      return response.build();
    });
  }

  /** No iteration hands out splits, so this only says what is wrong with asking. */
  CompletableFuture<GetSplitResponse> split(long iterationId) {
    return ask(state -> {
      if (state.iterations().find(iterationId).isEmpty()) {
        throw StatusException.of(StatusCode.NOT_FOUND, "Iteration id %d not found", iterationId);
      }
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Cannot get split for iteration id %d, since it is not a distributed_epoch iteration",
          iterationId);
    });
  }

  /** No task is read in rounds, so only one that is not there can be taken for removed. */
  CompletableFuture<MaybeRemoveTaskResponse> maybeRemoveTask(long taskId) {
    return ask(state -> {
      if (state.iterations().findTask(taskId).isPresent()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION, "MaybeRemoveTask called on a non-round-robin task.");
      }
      return MaybeRemoveTaskResponse.newBuilder().setRemoved(true).build();
    });
  }

  CompletableFuture<DispatcherStatistics> statistics() {
    return ask(state -> DispatcherStatistics.of(state, soft));
  }

  /** Ends all watches, so that no call is left that does not end by itself. */
  CompletableFuture<Boolean> endWatches() {
    return loop.submit((_, _) -> {
      watchers.endAll(new StatusException(StatusCode.UNAVAILABLE, "the dispatcher is stopping"));
      return Decision.answer(true);
    });
  }

  /** Refuses what waits and what comes, and lets go of the parts. */
  @Override
  public void close() {
    loop.close();
    parts.close();
  }

  private <R> CompletableFuture<R> ask(Function<DispatcherState, R> question) {
    return loop.submit((state, _) -> Decision.answer(question.apply(state)));
  }

  private void collectGarbage() {
    GarbageCollection collection =
        new GarbageCollection(
            config.jobGcTimeout(), config.clientTimeout(), config.workerTimeout());
    var _ = loop.submit((state, nowNanos) -> collection.decide(state, soft, nowNanos));
  }

  private WatchIterationResponse view(DispatcherState state, long iterationId) {
    Iteration iteration =
        state
            .iterations()
            .find(iterationId)
            .orElseThrow(() ->
                StatusException.of(StatusCode.NOT_FOUND, "Iteration id %d not found", iterationId));
    return iterations.watch(state, soft, iteration);
  }

  /** Brings the soft state, the watchers and the log up to what is durable. */
  private final class Follower implements CommitLoop.Observer {
    @Override
    public void committed(DispatcherState state, List<JournalRecord> records) {
      long nowNanos = parts.ticker().nanoTime();
      for (JournalRecord record : records) {
        soft.follow(state, record, nowNanos);
        follow(state, record);
      }
      watchers.flush(iteration -> view(state, iteration));
    }

    @Override
    public void rebuilt(DispatcherState state, long nowNanos) {
      soft.reconcile(state, nowNanos);
      watchers.touchAll();
      watchers.flush(iteration -> view(state, iteration));
    }

    private void follow(DispatcherState state, JournalRecord record) {
      switch (record.getChangeCase()) {
        case WORKER_REGISTERED -> watchers.touchAll();
        case WORKER_REMOVED -> {
          parts.network().forget(record.getWorkerRemoved().getWorkerAddress());
          watchers.touchAll();
        }
        case CLIENT_RELEASED ->
            watchers.end(
                record.getClientReleased().getIterationClientId(),
                new StatusException(StatusCode.CANCELLED, "the client was released"));
        case TASK_CREATED -> watchers.touch(record.getTaskCreated().getIterationId());
        case TASK_FINISHED -> touch(state, record.getTaskFinished().getTaskId());
        case TASK_LOST -> {
          touch(state, record.getTaskLost().getTaskId());
          state.iterations().findTask(record.getTaskLost().getTaskId()).ifPresent(this::logLoss);
        }
        case DATASET_REGISTERED,
            COMPRESSION_DECIDED,
            JOB_CREATED,
            JOB_FORGOTTEN,
            ITERATION_CREATED,
            ITERATION_COLLECTED,
            CLIENT_ACQUIRED,
            IDS_USED,
            CHANGE_NOT_SET -> {}
      }
    }

    private void touch(DispatcherState state, long taskId) {
      state.iterations().findTask(taskId).ifPresent(task -> watchers.touch(task.iterationId()));
    }

    private void logLoss(Task task) {
      LOGGER.log(
          Level.WARNING,
          "task {0} of iteration {1} ended with its worker {2}, after {3} elements;"
              + " the rest of them is missing from this pass",
          Long.toString(task.id()),
          Long.toString(task.iterationId()),
          task.workerAddress(),
          task.lostAt().isPresent() ? task.lostAt().getAsLong() : "an unknown number of");
    }
  }
}
