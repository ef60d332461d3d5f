package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.DatasetDecisions;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.IterationDecisions;
import io.headrace.dispatcher.decide.JobDecisions;
import io.headrace.dispatcher.decide.JoinDecisions;
import io.headrace.dispatcher.decide.JoinTickets;
import io.headrace.dispatcher.decide.ReceiptDecisions;
import io.headrace.dispatcher.decide.SettlementDecisions;
import io.headrace.dispatcher.decide.SharedDataset;
import io.headrace.dispatcher.decide.SplitDecisions;
import io.headrace.dispatcher.decide.TaskMessages;
import io.headrace.dispatcher.decide.TaskPlanning;
import io.headrace.dispatcher.decide.WorkerDecisions;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.Task;
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
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.GetWorkersResponse;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.data.MaybeRemoveTaskResponse;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.ReleaseIterationClientResponse;
import io.headrace.proto.data.SnapshotTaskProgress;
import io.headrace.proto.data.WorkerInfo;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobHistory;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.LeaveWorkerResponse;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.ReportReadingResponse;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.ReportStagesResponse;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.ClientReleased;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.rpc.BuildVersion;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The dispatcher without its server: each method carries a request from validation to the durable
 * reply. Requests that can never succeed throw a {@link StatusException} immediately; others fail
 * their future with one. Thread-safe.
 */
final class Dispatcher implements AutoCloseable {
  static final Duration COLLECT_FINISHED_PERIOD = Duration.ofSeconds(1);

  private static final Duration LEASE_OF_STOPPING = Duration.ofSeconds(20);

  /** Readers report their progress this often if they are few. */
  private static final Duration LEAST_REPORT_PERIOD = Duration.ofSeconds(2);

  /** So that the reports of many readers, or workers, are at most 200 a second. */
  private static final long MILLIS_BETWEEN_REPORTS = 5;

  private static final double NANOS_PER_MILLI = 1e6;

  /** Workers announce every 25 ms by default, and then once more. */
  private static final Duration STOP_PREPARATION = Duration.ofMillis(300);

  private final DispatcherConfig config;
  private final DispatcherDependencies parts;
  private final SoftState soft = new SoftState();
  private final TaskRemovals removals = new TaskRemovals();
  private final AwakeTicker time;
  private final IterationWatchers watchers;
  private final DatasetDecisions datasets;
  private final JobDecisions jobs;
  private final IterationDecisions iterations;
  private final WorkerDecisions workers;
  private final JoinDecisions joins;
  private final SettlementDecisions settlements;
  private final SplitDecisions splits = new SplitDecisions();
  private final SnapshotService snapshots;
  private final CommitLoop loop;
  private final EventLog events;
  private final WorkerMonitor monitor;
  private final DatasetWarnings warnings;
  private final MeteredJournal journal;
  private final OperatorRequests operators;
  private final ElementTraces traces;
  private final long openedNanos;
  private final FingerprintCache fingerprints = new FingerprintCache();
  private volatile boolean stopping;
  private final Queue<UnendedWatch> unendedWatches = new ConcurrentLinkedQueue<>();

  /** A response, and what the dispatcher's log may have to tell about it. */
  private record Noted<R, N>(R response, Optional<N> note) {}

  private record UnendedWatch(long client, IterationWatchers.Watcher watcher) {}

  Dispatcher(DispatcherConfig config, DispatcherDependencies parts) {
    this.config = config;
    this.parts = parts;
    openedNanos = parts.ticker().nanoTime();
    time = new AwakeTicker(parts.ticker());
    journal = new MeteredJournal(parts.journal(), parts.ticker(), parts.meter());
    events = new EventLog(parts.ticker());
    watchers =
        new IterationWatchers(client -> soft.clients().watching(client, false, time.nanoTime()));
    warnings = new DatasetWarnings(parts.background());
    TaskPlanning planning = new TaskPlanning(parts.limits());
    datasets = new DatasetDecisions(parts.limits());
    jobs = new JobDecisions(parts.limits(), config.stockGuarantee());
    iterations =
        new IterationDecisions(
            parts.limits(), planning, config.deploymentMode(), config.workerAddresses());
    joins =
        new JoinDecisions(
            jobs, iterations, new JoinTickets(parts.random().getAsLong()), config.clientTimeout());
    settlements = new SettlementDecisions(parts.limits());
    workers = new WorkerDecisions(parts.limits(), planning);
    loop =
        new CommitLoop(
            parts.executor(),
            journal,
            time,
            new Follower(),
            parts.limits().maxWaitingRequests(),
            parts.limits().compactAfterRecords());
    monitor =
        new WorkerMonitor(
            loop,
            soft,
            parts.network(),
            workers,
            watchers,
            new WorkerAddressList(config.workerAddresses()),
            config.workerTimeout(),
            events);
    snapshots =
        new SnapshotService(
            loop, config, parts.splitSources(), parts.background(), soft, monitor::hurry);
    operators =
        new OperatorRequests(
            config, loop, soft, parts.splitSources(), parts.background(), monitor, events);
    traces = new ElementTraces(loop, monitor::hurry, parts.background(), parts.ticker());
  }

  /** The requests of operators beside {@link #status} and {@link #jobStatistics}. */
  OperatorRequests operators() {
    return operators;
  }

  /** The traces of elements. */
  ElementTraces traces() {
    return traces;
  }

  /** The number of a new trace, which nobody can guess. */
  long newTrace() {
    return parts.random().getAsLong() | 1; // 0 means none
  }

  /**
   * Replays the journal and starts the periodic checks of workers and clients.
   *
   * @throws StatusException DATA_LOSS if the journal can't be replayed
   */
  void open() {
    loop.open();
    snapshots.open();
    parts.timer().every(WorkerMonitor.PERIOD, monitor::tick);
    parts.timer().every(WorkerMonitor.PERIOD, snapshots::tick);
    parts.timer().every(COLLECT_FINISHED_PERIOD, this::collectFinished);
    parts.timer().every(COLLECT_FINISHED_PERIOD, this::retryUnwatch);
    parts.timer().every(COLLECT_FINISHED_PERIOD, this::expireRemovals);
    parts.timer().every(WorkerMonitor.PERIOD, this::warnOfGatherings);
    parts.timer().every(COLLECT_FINISHED_PERIOD, traces::expire);
    if (!config.jobGcTimeout().isNegative()) {
      parts.timer().every(config.jobGcCheckInterval(), this::collectGarbage);
    }
  }

  /** Completes with the reason if the dispatcher ends on its own, and needs to be closed. */
  CompletableFuture<StatusException> ended() {
    return loop.ended();
  }

  CompletableFuture<GetOrRegisterDatasetResponse> getOrRegisterDataset(
      GetOrRegisterDatasetRequest request) {
    RequestChecks.check(request);
    PreparedDataset prepared = PreparedDataset.of(request.getDataset());
    String id = request.getDatasetId();
    DataServiceMetadata metadata = request.getMetadata();
    return loop.submit(
            (state, _) -> {
              soft.datasets().busy(id);
              Optional<RegisteredDataset> first = state.datasets().find(id);
              return datasets
                  .getOrRegister(state, id, metadata, prepared)
                  .map(response -> new Noted<>(response, first));
            })
        .thenApply(registered -> {
          registered.note().ifPresent(first -> warnings.registeredAgain(first, prepared));
          return registered.response();
        });
  }

  CompletableFuture<DataServiceMetadata> metadata(String datasetId) {
    return read(state -> lookUp(state, datasetId).metadata());
  }

  CompletableFuture<DatasetDef> datasetDef(String datasetId) {
    return read(state -> lookUp(state, datasetId).parseDef());
  }

  /** Looks up a dataset, and resets its idle time. */
  private RegisteredDataset lookUp(DispatcherState state, String datasetId) {
    soft.datasets().busy(datasetId);
    return state.datasets().get(datasetId);
  }

  CompletableFuture<DisableCompressionAtRuntimeResponse> disableCompression(
      DisableCompressionAtRuntimeRequest request) {
    return loop.submit((state, _) -> datasets.disableCompression(state, request));
  }

  CompletableFuture<GetOrCreateJobResponse> getOrCreateJob(GetOrCreateJobRequest request) {
    RequestChecks.check(request);
    long nonce = parts.random().getAsLong();
    return read(state -> jobs.needsSplitSources(state, request))
        .thenCompose(this::findSplitSources)
        .thenCompose(found ->
            loop.submit((state, _) -> {
              Optional<SharedDataset> shared = SharedDataset.of(state, request);
              return jobs.getOrCreate(state, request, found, nonce)
                  .map(response -> new Noted<>(response, shared));
            }))
        .thenApply(job -> {
          job.note().ifPresent(warnings::joined);
          return job.response();
        });
  }

  CompletableFuture<GetOrCreateIterationResponse> getOrCreateIteration(
      GetOrCreateIterationRequest request) {
    RequestChecks.check(request);
    return read(state -> iterations.needsSplitSources(state, request))
        .thenCompose(this::findSplitSources)
        .thenCompose(
            found -> loop.submit((state, _) -> iterations.getOrCreate(state, soft, request, found)))
        .thenApply(place -> {
          monitor.send(place.newTasks());
          return GetOrCreateIterationResponse.newBuilder()
              .setIterationClientId(place.clientId())
              .build();
        });
  }

  /** Creates or finds a job and an iteration in one request, with a guarantee. */
  CompletableFuture<JoinIterationResponse> joinIteration(JoinIterationRequest request) {
    RequestChecks.check(request);
    long nonce = parts.random().getAsLong();
    return read(state ->
            new ToFindOut(
                JoinDecisions.needsSplitSources(state, request),
                SharedDataset.of(state, request.getJob())))
        .thenCompose(needed -> findOut(request, needed))
        .thenCompose(findings ->
            loop.submit((state, _) -> {
              Optional<SharedDataset> shared = SharedDataset.of(state, request.getJob());
              return joins
                  .join(state, soft, request, findings, nonce)
                  .map(joined -> new Noted<>(joined, shared));
            }))
        .thenApply(joined -> {
          joined.note().ifPresent(warnings::joined);
          monitor.send(joined.response().newTasks());
          return joined.response().response();
        });
  }

  /** The datasets that a decision to join depends on: whose sources, and which to compare. */
  private record ToFindOut(Optional<RegisteredDataset> sourcesOf, Optional<SharedDataset> shared) {}

  private CompletableFuture<JoinDecisions.Findings> findOut(
      JoinIterationRequest request, ToFindOut needed) {
    boolean whole =
        request.getJob().getProcessingModeDef().getShardingPolicy() == ShardingPolicy.OFF;
    return requireSameGraph(request.getStrictNames() ? needed.shared() : Optional.empty())
        .thenCompose(sameGraphAs -> {
          var found = whole ? findOrder(needed.sourcesOf()) : findSplitSources(needed.sourcesOf());
          return found.thenApply(sources ->
              new JoinDecisions.Findings(
                  needed.sourcesOf().map(RegisteredDataset::id).orElse(""),
                  sources.orElse(SplitSourceFinder.Found.NOTHING),
                  sameGraphAs));
        });
  }

  /**
   * Refuses a reader with strict names whose dataset differs from the job's; otherwise the result
   * is the id of the job's dataset, empty if there is none to compare with.
   */
  private CompletableFuture<String> requireSameGraph(Optional<SharedDataset> shared) {
    return shared.isEmpty()
        ? CompletableFuture.completedFuture("")
        : CompletableFuture.supplyAsync(
            () -> {
              shared
                  .get()
                  .difference()
                  .ifPresent(difference -> {
                    throw shared.get().refused("it " + difference);
                  });
              return shared.get().ofJob().id();
            },
            parts.background());
  }

  private CompletableFuture<Optional<SplitSourceFinder.Found>> findSplitSources(
      Optional<RegisteredDataset> dataset) {
    return dataset
        .map(d -> parts.splitSources().of(d.parseDef()).thenApply(Optional::of))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
  }

  private CompletableFuture<Optional<SplitSourceFinder.Found>> findOrder(
      Optional<RegisteredDataset> dataset) {
    return dataset
        .map(d -> parts.splitSources().whole(d.parseDef()).thenApply(Optional::of))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
  }

  /** Records a client's taken records and its answers to settlements. */
  CompletableFuture<ReportReceiptsResponse> reportReceipts(ReportReceiptsRequest request) {
    String host = Callers.current().host();
    return loop.submit((state, nowNanos) -> {
      soft.released().check(request.getIterationClientId());
      soft.clients().heard(request.getIterationClientId(), nowNanos);
      soft.clients().calledFrom(request.getIterationClientId(), host, PeerKind.HEADRACE);
      return ReceiptDecisions.report(state, request, config.clientTimeout());
    });
  }

  /** Notes a reader's progress. */
  CompletableFuture<ReportReadingResponse> reportReading(ReportReadingRequest request) {
    RequestChecks.check(request);
    long client = request.getIterationClientId();
    String host = Callers.current().host();
    return loop.submit((state, nowNanos) -> {
      Iteration iteration = IterationDecisions.ofReader(state, client);
      soft.clients().calledFrom(client, host, PeerKind.HEADRACE);
      ClientLeases.Reading reading =
          new ClientLeases.Reading(request.getElements(), request.getWaitMs());
      soft.read(iteration, client, reading, nowNanos);
      return Decision.answer(
          ReportReadingResponse.newBuilder()
              .setNextMs(millisToNextReport(state.iterations().clients().size()))
              .build());
    });
  }

  /** Notes where the time of a worker's tasks goes. */
  CompletableFuture<ReportStagesResponse> reportStages(ReportStagesRequest request, Caller caller) {
    RequestChecks.check(request);
    return loop.submit((state, nowNanos) -> {
      for (TaskStages report : request.getTasksList()) {
        Optional<Task> own =
            state
                .iterations()
                .findTask(report.getTaskId())
                .filter(Task::isActive)
                .filter(task ->
                    state.workers().find(task.workerAddress()).filter(caller::isOf).isPresent());
        own.ifPresent(task -> soft.worked(state, task, report, nowNanos));
      }
      return Decision.answer(
          ReportStagesResponse.newBuilder()
              .setNextMs(millisToNextReport(state.workers().size()))
              .build());
    });
  }

  private static long millisToNextReport(int peers) {
    return Math.max(LEAST_REPORT_PERIOD.toMillis(), peers * MILLIS_BETWEEN_REPORTS);
  }

  /** Records what readers have fetched of a task. */
  CompletableFuture<ReportDeliveriesResponse> reportDeliveries(
      ReportDeliveriesRequest request, Caller caller) {
    return loop.submit((state, _) -> ReceiptDecisions.deliver(state, request, caller))
        .thenApply(response ->
            stopping
                ? response.toBuilder().setLeaseMs(LEASE_OF_STOPPING.toMillis()).build()
                : response);
  }

  /**
   * Prepares for an orderly stop: for a moment, workers that announce deliveries are told to
   * announce many, so that their readers need not wait for the next dispatcher. Blocks.
   */
  void prepareToStop() {
    stopping = true;
    try {
      boolean announced =
          read(state ->
                  state.iterations().unfinished().stream()
                      .anyMatch(
                          it -> it.isAnnounced() && it.numActive() > 0 && it.numClients() > 0))
              .get(STOP_PREPARATION.toMillis(), MILLISECONDS);
      if (announced) {
        MILLISECONDS.sleep(STOP_PREPARATION.toMillis());
      }
    } catch (ExecutionException | TimeoutException _) {
      // The journal is out of order, and so are announcements.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** The part of a task's description that TensorFlow's TaskDef lacks. */
  CompletableFuture<DescribeTaskResponse> describeTask(long taskId) {
    return read(state ->
        state
            .iterations()
            .findTask(taskId)
            .map(task -> TaskMessages.description(state.iterations().of(task), config.stockLease()))
            .orElseThrow(
                () -> StatusException.of(StatusCode.NOT_FOUND, "Task id %d not found", taskId)));
  }

  CompletableFuture<ClientHeartbeatResponse> clientHeartbeat(ClientHeartbeatRequest request) {
    RequestChecks.check(request);
    long client = request.getIterationClientId();
    String host = Callers.current().host();
    return loop.submit((state, nowNanos) -> {
      soft.released().check(client);
      soft.clients().heard(client, nowNanos);
      soft.clients().calledFrom(client, host, PeerKind.STOCK);
      if (request.hasCurrentRound()) {
        soft.clients().inRound(client, request.getCurrentRound());
        removals.check(IterationDecisions.ofReader(state, client).id());
      }
      Decision<ClientHeartbeatResponse> decision = iterations.heartbeat(state, soft, request);
      soft.times().wanted(client, request.getTargetProcessingTimeNsec());
      return decision;
    });
  }

  CompletableFuture<ReleaseIterationClientResponse> releaseIterationClient(long client) {
    return loop.submit((state, _) -> iterations.release(state, client));
  }

  /** Sends {@code watcher} the client's iteration, once the result is complete. */
  CompletableFuture<Boolean> watch(
      long client, IterationWatchers.Watcher watcher, boolean acceptsChanges) {
    String host = Callers.current().host();
    return loop.submit((state, nowNanos) -> {
      watchers.checkOpen();
      soft.released().check(client);
      Iteration iteration = IterationDecisions.ofReader(state, client);
      watchers.add(client, iteration.id(), watcher, acceptsChanges);
      soft.clients().watching(client, true, nowNanos);
      soft.clients().calledFrom(client, host, PeerKind.HEADRACE);
      return Decision.answer(true);
    });
  }

  /**
   * Ends a watch if it is still the client's. A failed attempt is repeated later: an open watch
   * keeps the client's lease alive forever, and the client does not retry the call.
   */
  void unwatch(long client, IterationWatchers.Watcher watcher) {
    var _ =
        loop.submit((_, _) -> Decision.answer(watchers.remove(client, watcher)))
            .whenComplete((_, failure) -> {
              if (failure != null) {
                unendedWatches.add(new UnendedWatch(client, watcher));
              }
            });
  }

  /** Ends the watches whose end failed before, as during a journal outage. */
  private void retryUnwatch() {
    for (int remaining = unendedWatches.size(); remaining > 0; remaining--) {
      @Nullable UnendedWatch watch = unendedWatches.poll();
      if (watch != null) {
        unwatch(watch.client(), watch.watcher());
      }
    }
  }

  /** Handles a worker's heartbeat, with the progress of its streams of snapshots by path. */
  CompletableFuture<ExtendedWorkerHeartbeatResponse> workerHeartbeat(
      WorkerReport report, Map<String, SnapshotTaskProgress> progress) {
    RequestChecks.check(report);
    return monitor
        .heartbeat(report)
        .thenCompose(response ->
            snapshots
                .heartbeat(report.address(), progress)
                .thenApply(tasks ->
                    response.toBuilder()
                        .addAllSnapshotTasks(tasks)
                        .addAllTraces(traces.orders(report.address()))
                        .build()));
  }

  /** The distributed snapshots. */
  SnapshotService snapshots() {
    return snapshots;
  }

  CompletableFuture<WorkerUpdateResponse> workerUpdate(WorkerUpdateRequest request, Caller caller) {
    return loop.submit((state, _) -> workers.update(state, soft, request, caller));
  }

  /** Ends the tasks of a worker that leaves in order. */
  CompletableFuture<LeaveWorkerResponse> leaveWorker(LeaveWorkerRequest request, Caller caller) {
    String address = request.getWorkerAddress();
    return loop.submit(
            (state, _) -> {
              Decision<Boolean> decision = WorkerDecisions.leave(state, soft, request, caller);
              if (decision.reply()) {
                soft.workers().leave(address, request.getIncarnation());
                state
                    .iterations()
                    .activeOn(address)
                    .forEach(task -> watchers.touch(task.iterationId(), task.id()));
              }
              return decision;
            })
        .thenCompose(left ->
            left
                ? read(state -> state.iterations().activeOn(address).size())
                : CompletableFuture.completedFuture(-1))
        .thenApply(waiting -> {
          if (waiting >= 0) {
            events.left(address, waiting);
          }
          return LeaveWorkerResponse.getDefaultInstance();
        });
  }

  CompletableFuture<GetWorkersResponse> workers() {
    return read(state -> {
      GetWorkersResponse.Builder response = GetWorkersResponse.newBuilder();
      state
          .workers()
          .all()
          .forEach(w -> response.addWorkers(WorkerInfo.newBuilder().setAddress(w.address())));
      return response.build();
    });
  }

  /** The next split of a source, for stock workers. */
  CompletableFuture<GetSplitResponse> split(GetSplitRequest request, Caller caller) {
    RequestChecks.check(request);
    return loop.submit((state, _) -> splits.next(state, request, caller));
  }

  /** A range of splits of a source, for Headrace workers. */
  CompletableFuture<TakeSplitsResponse> takeSplits(TakeSplitsRequest request, Caller caller) {
    RequestChecks.check(request);
    return loop.submit((state, _) -> splits.take(state, request, caller));
  }

  /** Removes a task of a coordinated read once all consumers ask for it in the same round. */
  CompletableFuture<MaybeRemoveTaskResponse> maybeRemoveTask(MaybeRemoveTaskRequest request) {
    CompletableFuture<Boolean> removed = new CompletableFuture<>();
    return loop.submit((state, nowNanos) ->
            removals.ask(state, soft, soft.clients(), request, removed, nowNanos))
        .thenCompose(agreed -> {
          agreed.forEach(answer -> answer.complete(true));
          return removed;
        })
        .thenApply(is -> MaybeRemoveTaskResponse.newBuilder().setRemoved(is).build());
  }

  private void expireRemovals() {
    var _ =
        loop.submit((_, nowNanos) -> {
          removals.expire(nowNanos);
          return Decision.answer(true);
        });
  }

  private void warnOfGatherings() {
    var _ =
        loop.submit((state, nowNanos) -> {
          soft.gatherings().warn(state, nowNanos);
          return Decision.answer(true);
        });
  }

  CompletableFuture<DispatcherStatistics> statistics() {
    return read(state -> DispatcherStatistics.of(state, soft));
  }

  /**
   * A page of the state for operators, in one turn without records.
   *
   * @param address the host and port that the caller has reached
   */
  CompletableFuture<GetStatusResponse> status(GetStatusRequest request, String address) {
    RequestChecks.check(request);
    return loop.submit(
            (state, nowNanos) -> {
              StatusPage.Content content = StatusPage.of(state, soft, request, nowNanos);
              return Decision.answer(
                  new Noted<>(content, Optional.of(process(address, loop.figures()))));
            })
        .thenApplyAsync(this::status, parts.background());
  }

  /** The page of a status, with the fingerprints of its datasets. */
  private GetStatusResponse status(Noted<StatusPage.Content, DispatcherStatus> noted) {
    StatusPage.Content content = noted.response();
    GetStatusResponse.Builder page = content.page().toBuilder();
    noted.note().ifPresent(page.getDispatcherBuilder()::mergeFrom);
    for (int i = 0; i < content.datasets().size(); i++) {
      page.getDatasetsBuilder(i).setFingerprint(fingerprints.of(content.datasets().get(i)));
    }
    return page.build();
  }

  /** Where the time of a job goes, in one turn without records. */
  CompletableFuture<JobStatistics> jobStatistics(String job) {
    return loop.submit((state, nowNanos) -> JobStatisticsPage.of(state, soft, job, nowNanos))
        .thenApplyAsync(
            page -> {
              OptionalLong commit = journal.figures().lastCommitNanos();
              return page.message(
                  commit.isPresent()
                      ? OptionalDouble.of(commit.getAsLong() / NANOS_PER_MILLI)
                      : OptionalDouble.empty());
            },
            parts.background());
  }

  /** The last ten minutes of a job, in one turn without records. */
  CompletableFuture<JobHistory> jobHistory(String named) {
    return loop.submit(
            (state, nowNanos) -> {
              Job job = state.jobs().named(named);
              long ageNanos =
                  MILLISECONDS.toNanos(
                      millisToNextReport(
                          Math.max(state.workers().size(), state.iterations().clients().size())));
              return Decision.answer(
                  new HistoryPage(
                      job,
                      soft.activity().history(job.id()),
                      soft.activity().events(job.id(), nowNanos),
                      ageNanos,
                      nowNanos));
            })
        .thenApplyAsync(HistoryPage::message, parts.background());
  }

  /** The figures of this process for metrics, in one turn without records. */
  CompletableFuture<DispatcherCounts> counts() {
    return loop.submit((state, nowNanos) -> {
      GetStatusResponse.Builder page =
          StatusPage.of(state, soft, GetStatusRequest.getDefaultInstance(), nowNanos)
              .page()
              .toBuilder();
      page.getDispatcherBuilder().mergeFrom(process("", loop.figures()));
      return Decision.answer(DispatcherCounts.of(state, soft, page.build()));
    });
  }

  /** This process and its journal. */
  private DispatcherStatus process(String address, CommitLoop.Figures figures) {
    MeteredJournal.Figures size = journal.figures();
    DispatcherStatus.Builder status =
        DispatcherStatus.newBuilder()
            .setAddress(address)
            .setVersion(BuildVersion.TEXT)
            .setUptimeMs(NANOSECONDS.toMillis(parts.ticker().nanoTime() - openedNanos))
            .setJournalId(journal.id().toString())
            .setEpoch(journal.epoch())
            .setFaultTolerant(config.faultTolerantMode())
            .setWorkDir(config.faultTolerantMode() ? config.workDir() : "")
            .setJournalRecords(size.records())
            .setJournalBytes(size.bytes())
            .setJournalRefuses(figures.refused())
            .setTurns(figures.turns())
            .setWaitingRequests(figures.waiting());
    size.lastCommitNanos()
        .ifPresent(nanos -> status.setLastCommitMicros(NANOSECONDS.toMicros(nanos)));
    return status.build();
  }

  /** A minimal sequence of records that restores the state. */
  CompletableFuture<List<JournalRecord>> snapshot() {
    return read(DispatcherState::snapshot);
  }

  /** Ends all watches, which never end by themselves, and traces. */
  CompletableFuture<Boolean> endWatches() {
    traces.endAll();
    return loop.submit((_, _) -> {
      watchers.endAll(new StatusException(StatusCode.UNAVAILABLE, "the dispatcher is stopping"));
      return Decision.answer(true);
    });
  }

  /** Refuses all waiting and future requests. */
  void refuse() {
    loop.close();
  }

  /** Refuses all waiting and future requests, and closes the dependencies. */
  @Override
  public void close() {
    loop.close();
    parts.close();
  }

  private <R> CompletableFuture<R> read(Function<DispatcherState, R> query) {
    return loop.submit((state, _) -> Decision.answer(query.apply(state)));
  }

  private void collectFinished() {
    var _ = loop.submit((state, _) -> GarbageCollection.collectFinished(state));
  }

  /**
   * Reads the clock in one turn and decides in a later one. Requests that queued up during a
   * journal outage are handled in between, and renew their senders' leases.
   */
  private void collectGarbage() {
    GarbageCollection collection = new GarbageCollection(config, parts.limits());
    var _ =
        loop.submit((_, nowNanos) -> Decision.answer(nowNanos))
            .thenCompose(askedNanos ->
                loop.submit((state, _) -> collection.decide(state, soft, askedNanos)));
  }

  /** The state as watchers see it. */
  private final class View implements IterationWatchers.View {
    private final DispatcherState state;

    View(DispatcherState state) {
      this.state = state;
    }

    @Override
    public WatchIterationResponse whole(long iteration) {
      return iterations.watch(state, soft, find(iteration));
    }

    @Override
    public WatchIterationResponse changes(long iteration, Set<Long> tasks) {
      return iterations.watchChanges(state, soft, find(iteration), tasks);
    }

    private Iteration find(long id) {
      return state
          .iterations()
          .find(id)
          .orElseThrow(
              () -> StatusException.of(StatusCode.NOT_FOUND, "Iteration id %d not found", id));
    }
  }

  /** Updates the soft state, the watchers and the log after a commit. */
  private final class Follower implements CommitLoop.Observer {
    @Override
    public List<JournalRecord> consequences(DispatcherState state) {
      return settlements.next(state, soft);
    }

    @Override
    public void committed(DispatcherState state, List<JournalRecord> records) {
      long nowNanos = time.nanoTime();
      Set<Iteration> ended = new LinkedHashSet<>();
      for (JournalRecord record : records) {
        tell(state, record, nowNanos);
        soft.follow(state, record, nowNanos);
        follow(state, record);
        endedWith(state, record).ifPresent(ended::add);
      }
      ended.stream().filter(Iteration::isFinished).forEach(events::finished);
      watchers.flush(new View(state));
    }

    @Override
    public void rebuilt(DispatcherState state, long nowNanos) {
      soft.restart(state, nowNanos);
      watchers.touchAll();
      watchers.flush(new View(state));
    }

    /** Logs who comes and goes, before the soft state follows. */
    private void tell(DispatcherState state, JournalRecord record, long nowNanos) {
      switch (record.getChangeCase()) {
        case WORKER_REGISTERED -> {
          WorkerRegistered worker = record.getWorkerRegistered();
          OptionalLong before = soft.workers().incarnation(worker.getWorkerAddress());
          if (before.isEmpty() || before.getAsLong() != worker.getIncarnation()) {
            events.registered(worker, before.isPresent());
          }
        }
        case WORKER_REMOVED -> {
          String address = record.getWorkerRemoved().getWorkerAddress();
          if (!soft.workers().hasLeft(address)) {
            events.forgotten(address);
          }
        }
        case JOB_CREATED -> events.begins(Job.of(record.getJobCreated()));
        case JOB_FORGOTTEN -> events.ends(record.getJobForgotten().getJobId());
        case CLIENT_ACQUIRED -> {
          ClientAcquired acquired = record.getClientAcquired();
          state
              .iterations()
              .find(acquired.getIterationId())
              .ifPresent(iteration -> events.joined(acquired, iteration));
        }
        case CLIENT_RELEASED -> {
          ClientReleased released = record.getClientReleased();
          long client = released.getIterationClientId();
          boolean silent = soft.clients().hasExpired(client, config.clientTimeout(), nowNanos);
          state
              .iterations()
              .find(released.getIterationId())
              .ifPresent(iteration -> events.released(released, iteration, silent));
        }
        case DATASET_REGISTERED,
            DATASET_FORGOTTEN,
            COMPRESSION_DECIDED,
            ITERATION_CREATED,
            ITERATION_COLLECTED,
            TASK_CREATED,
            TASK_FINISHED,
            TASK_LOST,
            SPLITS_TAKEN,
            SPLITS_LEASED,
            SETTLEMENT_OPENED,
            SETTLEMENT_ANSWERED,
            SETTLEMENT_CLOSED,
            RECORDS_TAKEN,
            RECORDS_DELIVERED,
            ADMISSION_ANSWERED,
            SNAPSHOT_STARTED,
            SNAPSHOT_STREAM_ASSIGNED,
            SNAPSHOT_SPLIT_TAKEN,
            SNAPSHOT_STREAM_DONE,
            SNAPSHOT_FAILED,
            IDS_USED,
            CHANGE_NOT_SET -> {}
      }
    }

    /** The iteration that {@code record} may have finished. */
    private Optional<Iteration> endedWith(DispatcherState state, JournalRecord record) {
      long task = record.getTaskFinished().getTaskId() + record.getTaskLost().getTaskId();
      return task == 0
          ? state.iterations().find(record.getSettlementClosed().getIterationId())
          : state.iterations().findTask(task).map(state.iterations()::of);
    }

    private void follow(DispatcherState state, JournalRecord record) {
      switch (record.getChangeCase()) {
        case WORKER_REGISTERED ->
            touchTasksOn(state, record.getWorkerRegistered().getWorkerAddress());
        case WORKER_REMOVED -> {
          String address = record.getWorkerRemoved().getWorkerAddress();
          if (!state.workers().contains(address)) {
            parts.network().forget(address);
          }
          watchers.touchAll();
        }
        case CLIENT_RELEASED -> {
          long client = record.getClientReleased().getIterationClientId();
          String reason = record.getClientReleased().getReason();
          watchers.end(
              client,
              reason.isEmpty()
                  ? IterationDecisions.released(client)
                  : ReleasedReaders.refusal(reason));
        }
        case CLIENT_ACQUIRED -> {
          if (record.getClientAcquired().getWaitsForAll()
              || record.getClientAcquired().getReplacedCount() > 0) {
            watchers.touch(record.getClientAcquired().getIterationId());
          }
        }
        case TASK_CREATED -> {
          watchers.touch(
              record.getTaskCreated().getIterationId(), record.getTaskCreated().getTaskId());
          if (record.getTaskCreated().hasSettlementId()) {
            sendRemainder(state, record.getTaskCreated().getTaskId());
          }
        }
        case SETTLEMENT_OPENED -> watchers.touch(record.getSettlementOpened().getIterationId());
        case SETTLEMENT_CLOSED -> {
          watchers.touch(record.getSettlementClosed().getIterationId());
          if (record.getSettlementClosed().getGivenUp()) {
            JobLog.givesUp(record.getSettlementClosed());
          }
        }
        case TASK_FINISHED -> touch(state, record.getTaskFinished().getTaskId());
        case TASK_LOST -> {
          touch(state, record.getTaskLost().getTaskId());
          state
              .iterations()
              .findTask(record.getTaskLost().getTaskId())
              .ifPresent(task -> JobLog.isLost(task, state.iterations().of(task), events));
        }
        case DATASET_REGISTERED,
            DATASET_FORGOTTEN,
            COMPRESSION_DECIDED,
            JOB_CREATED,
            JOB_FORGOTTEN,
            ITERATION_CREATED,
            ITERATION_COLLECTED,
            SPLITS_TAKEN,
            SPLITS_LEASED,
            SETTLEMENT_ANSWERED,
            RECORDS_TAKEN,
            RECORDS_DELIVERED,
            ADMISSION_ANSWERED,
            SNAPSHOT_STARTED,
            SNAPSHOT_STREAM_ASSIGNED,
            SNAPSHOT_SPLIT_TAKEN,
            SNAPSHOT_STREAM_DONE,
            SNAPSHOT_FAILED,
            IDS_USED,
            CHANGE_NOT_SET -> {}
      }
    }

    /**
     * Sends a remainder's task to its worker; other tasks are sent by the request that created
     * them.
     */
    private void sendRemainder(DispatcherState state, long taskId) {
      state
          .iterations()
          .findTask(taskId)
          .filter(Task::isActive)
          .map(task -> TaskMessages.definition(state, task, state.iterations().of(task)))
          .ifPresent(task -> monitor.send(List.of(task)));
    }

    private void touch(DispatcherState state, long taskId) {
      state
          .iterations()
          .findTask(taskId)
          .ifPresent(task -> watchers.touch(task.iterationId(), task.id()));
    }

    /**
     * A worker's transfer servers may have changed, and iterations without a task may have become
     * unrunnable.
     */
    private void touchTasksOn(DispatcherState state, String address) {
      for (Task task : state.iterations().activeOn(address)) {
        watchers.touch(task.iterationId(), task.id());
      }
      for (long id : watchers.iterations()) {
        state
            .iterations()
            .find(id)
            .ifPresent(iteration -> {
              iteration.taskOn(address).ifPresent(task -> watchers.touch(id, task.id()));
              if (iteration.numActive() == 0) {
                watchers.touch(id);
              }
            });
      }
    }
  }
}
