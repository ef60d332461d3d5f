package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.DistributedSnapshot;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.SplitProgress;
import io.headrace.proto.headrace.DatasetStatus;
import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReaderStatus;
import io.headrace.proto.headrace.SnapshotStatus;
import io.headrace.proto.headrace.WorkerStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * A page of the dispatcher's state for operators, taken in one turn of the {@link CommitLoop}. Its
 * cost is bounded by the size of a page: what an iteration or a worker adds does not depend on the
 * number of its tasks.
 */
final class StatusPage {
  static final int MAX_ENTRIES = 500;

  /** Most iterations of a job. */
  static final int MAX_ITERATIONS = 8;

  private final DispatcherState state;
  private final SoftState soft;
  private final long skip;
  private final long entries;
  private final long nowNanos;
  private final GetStatusResponse.Builder page = GetStatusResponse.newBuilder();
  private final List<RegisteredDataset> datasets = new ArrayList<>();

  /**
   * The content of a page.
   *
   * @param page the page, without what is not in the state
   * @param datasets the datasets of the page, whose fingerprints take too long for the loop
   */
  record Content(GetStatusResponse page, List<RegisteredDataset> datasets) {}

  private StatusPage(
      DispatcherState state, SoftState soft, GetStatusRequest request, long nowNanos) {
    this.state = state;
    this.soft = soft;
    this.nowNanos = nowNanos;
    skip = request.getSkip();
    entries =
        request.getMaxEntries() == 0 ? MAX_ENTRIES : Math.min(MAX_ENTRIES, request.getMaxEntries());
  }

  /** The page that {@code request} asks for, at {@code nowNanos} of the loop's ticker. */
  static Content of(
      DispatcherState state, SoftState soft, GetStatusRequest request, long nowNanos) {
    return new StatusPage(state, soft, request, nowNanos).content();
  }

  private Content content() {
    page.setDispatcher(totals())
        .setWorkersLeftOut(list(state.workers().all(), w -> page.addWorkers(worker(w))))
        .setDatasetsLeftOut(list(state.datasets().all(), this::addDataset))
        .setJobsLeftOut(list(state.jobs().latestFirst(), job -> page.addJobs(job(job))))
        .setReadersLeftOut(list(state.iterations().clients(), this::addReader))
        .setSnapshotsLeftOut(list(state.snapshots().all(), of -> page.addSnapshots(snapshot(of))));
    return new Content(page.build(), datasets);
  }

  /** Adds the entries of the page; returns the number of those behind it. */
  private <T> long list(Collection<T> all, Consumer<T> add) {
    if (skip >= all.size()) {
      return 0;
    }
    all.stream().skip(skip).limit(entries).forEach(add);
    return Math.max(0, all.size() - skip - entries);
  }

  private DispatcherStatus totals() {
    DispatcherStatus.Builder totals = DispatcherStatus.newBuilder();
    Estimates.ofAll(state, soft, nowNanos).ifPresent(totals::setOptimalWorkers);
    return totals
        .setWorkers(state.workers().size())
        .setLostWorkers(soft.workers().lost().size())
        .setDatasets(state.datasets().size())
        .setDatasetBytes(state.datasets().totalBytes())
        .setJobs(state.jobs().size())
        .setUnfinishedIterations(state.iterations().unfinished().size())
        .setReaders(state.iterations().clients().size())
        .setSnapshots(state.snapshots().size())
        .setTasksLost(soft.numLosses())
        .setSplitsMissing(soft.numSplitsLost())
        .setElementsMissing(soft.numRowsLost())
        .build();
  }

  private WorkerStatus worker(RegisteredWorker worker) {
    String address = worker.address();
    WorkerStatus.Builder status =
        WorkerStatus.newBuilder()
            .setAddress(address)
            .setKind(worker.isStock() ? PeerKind.STOCK : PeerKind.HEADRACE)
            .setState(stateOf(soft, worker))
            .setSilentMs(soft.workers().silence(address).toMillis())
            .setHeartbeatAgeMs(millis(soft.workers().sinceHeartbeat(address, nowNanos)))
            .setActiveTasks(state.iterations().numActiveOn(address))
            .addAllTags(worker.tags())
            .setElements(soft.progress().handedOutBy(address));
    worker.index().ifPresent(status::setIndex);
    return status.build();
  }

  /** The state of a worker. */
  static WorkerStatus.State stateOf(SoftState soft, RegisteredWorker worker) {
    if (soft.hasLeft(worker)) {
      return WorkerStatus.State.LEFT;
    }
    if (soft.isLost(worker.address())) {
      return WorkerStatus.State.LOST;
    }
    if (worker.draining()) {
      return WorkerStatus.State.DRAINING;
    }
    return soft.isUnheard(worker.address())
        ? WorkerStatus.State.UNHEARD
        : WorkerStatus.State.REGISTERED;
  }

  private void addDataset(RegisteredDataset dataset) {
    datasets.add(dataset);
    page.addDatasets(
        DatasetStatus.newBuilder()
            .setId(dataset.id())
            .setCardinality(dataset.metadata().getCardinality())
            .setGraphBytes(dataset.def().size())
            .setInUse(state.jobs().isDatasetInUse(dataset.id())));
  }

  private static SnapshotStatus snapshot(DistributedSnapshot snapshot) {
    SnapshotStatus.Builder status =
        SnapshotStatus.newBuilder()
            .setPath(snapshot.path())
            .setState(snapshot.isDone() ? SnapshotStatus.State.DONE : SnapshotStatus.State.WRITING)
            .setStreams(snapshot.streams().size())
            .setStreamsDone(
                snapshot.streams().stream().filter(DistributedSnapshot.Stream::isDone).count())
            .setSplits(snapshot.numTaken());
    snapshot
        .failure()
        .ifPresent(failure ->
            status
                .setState(SnapshotStatus.State.FAILED)
                .setErrorCode(failure.getCode())
                .setErrorMessage(failure.getMessage()));
    return status.build();
  }

  private JobStatus job(Job job) {
    List<Iteration> iterations = state.iterations().latestOf(job.id(), MAX_ITERATIONS);
    return JobStatus.newBuilder()
        .setId(job.id())
        .setName(job.name())
        .setAnonymous(job.anonymous())
        .setDatasetId(job.datasetId())
        .setSharding(job.processingMode().getShardingPolicy())
        .setTargetWorkers(job.targetWorkers())
        .setGuarantee(job.guarantee())
        .setGuaranteeReason(job.guaranteeReason())
        .addAllIterations(iterations.stream().map(this::iteration).toList())
        .setIterationsLeftOut(state.iterations().ofJob(job.id()).size() - iterations.size())
        .build();
  }

  private IterationStatus iteration(Iteration iteration) {
    ProgressCounts.Counts counts = soft.progress().of(iteration.id());
    IterationStatus.Builder status =
        IterationStatus.newBuilder()
            .setId(iteration.id())
            .setRepetition(iteration.repetition())
            .setFinished(iteration.isFinished())
            .setReaders(iteration.numClients())
            .setActiveTasks(iteration.numActive())
            .setFinishedTasks(iteration.numFinished())
            .setLostTasks(counts.lostTasks())
            .setSplitsMissing(counts.splitsMissing())
            .setElementsMissing(counts.rowsMissing())
            .setRecordsDelivered(counts.recordsDelivered())
            .setElementsAnnounced(counts.rowsAnnounced())
            .setElementsDelivered(counts.rowsDelivered())
            .setElementsHandedOut(counts.rowsHandedOut())
            .setElementsReturned(counts.rowsReturned())
            .setShares(iteration.numShards())
            .setUnservedShares(soft.unservedShares(iteration.id()).size())
            .setOpenSettlements(iteration.accounts().map(StatusPage::open).orElse(0))
            .setAwaitsReaders(iteration.isAwaiting());
    iteration
        .readers()
        .flatMap(Readers::missing)
        .ifPresent(group ->
            status
                .setAwaitedReaders(group.getReaders())
                .setJoinedReaders(group.getJoined())
                .addAllMissingReaders(group.getMissingList())
                .setAwaitsMs(soft.gatherings().waited(iteration.id(), nowNanos).toMillis()));
    addSplits(iteration.splits(), status);
    if (iteration.job().isShareable()) {
      iteration.readers().ifPresent(readers -> status.setRecordsTaken(readers.numTaken()));
    }
    return status.build();
  }

  private static int open(SplitAccounts accounts) {
    return accounts.settlements().size() + accounts.lostLeases().size();
  }

  private static void addSplits(SplitProgress splits, IterationStatus.Builder status) {
    if (splits.sources().isEmpty()) {
      return;
    }
    long repetition = 0;
    for (int i = 0; i < splits.sources().size(); i++) {
      repetition = Math.max(repetition, splits.repetition(i));
    }
    status
        .setSplitsHandedOut(splits.numHandedOut())
        .setSplits(splits.numSplits())
        .setSourceRepetition(repetition);
  }

  private void addReader(long client) {
    ReaderStatus.Builder reader = ReaderStatus.newBuilder().setId(client);
    state
        .iterations()
        .ofClient(client)
        .ifPresent(
            iteration -> reader.setIterationId(iteration.id()).setJobId(iteration.job().id()));
    soft.clients()
        .sight(client, nowNanos)
        .ifPresent(sight -> {
          reader
              .setKind(sight.kind())
              .setHost(sight.host())
              .setHeartbeatAgeMs(sight.silence().toMillis())
              .setWatches(sight.watches())
              .setHasSpoken(sight.hasSpoken());
          sight
              .reading()
              .ifPresent(reading ->
                  reader.setElements(reading.elements()).setWaitMs(reading.waitMillis()));
        });
    page.addReaders(reader);
  }

  private static long millis(long nanos) {
    return Math.max(0, nanos) / 1_000_000;
  }
}
