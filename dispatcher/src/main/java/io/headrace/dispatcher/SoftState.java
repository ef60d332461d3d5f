package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.dispatcher.statistics.JobActivity;
import io.headrace.dispatcher.statistics.ProcessingTimes;
import io.headrace.dispatcher.statistics.ReadingInterval;
import io.headrace.dispatcher.statistics.StageReports;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dispatcher's soft state, which is not journaled: the liveness of workers, the leases of
 * clients, idle times, and the progress of tasks.
 *
 * <p>After a restart every worker counts as alive until it fails to answer, but gets no new task
 * before it has spoken; every client and idle iteration gets a full timeout, and every task counts
 * as present on its worker. Not thread-safe: used on the {@link CommitLoop} only. The journaled
 * state is {@link DispatcherState}.
 */
final class SoftState implements LivenessView {
  private static final int MAX_RECENT_LOSSES = 100;

  private final WorkerLiveness workers = new WorkerLiveness();
  private final UnservedShares shares = new UnservedShares();
  private final Gatherings gatherings = new Gatherings();
  private final ClientLeases clients = new ClientLeases();
  private final IdleTracker<Long> iterations = new IdleTracker<>();
  private final IdleTracker<Long> jobs = new IdleTracker<>();
  private final IdleTracker<String> datasets = new IdleTracker<>();
  private final ProgressCounts progress = new ProgressCounts();
  private final StageReports stages = new StageReports();
  private final ProcessingTimes times = new ProcessingTimes();
  private final JobActivity activity = new JobActivity();
  private final ReleasedReaders released = new ReleasedReaders();
  private final Map<Long, Long> positions = new HashMap<>();
  private final Map<Long, Long> presentSince = new HashMap<>();
  private boolean begun;
  private final Deque<Task> recentLosses = new ArrayDeque<>();
  private long numLosses;
  private long numSplitsLost;
  private long numRowsLost;

  WorkerLiveness workers() {
    return workers;
  }

  UnservedShares shares() {
    return shares;
  }

  /** The passes that wait for readers which resume together. */
  Gatherings gatherings() {
    return gatherings;
  }

  ClientLeases clients() {
    return clients;
  }

  /** Iterations without clients. */
  IdleTracker<Long> iterations() {
    return iterations;
  }

  /** Jobs without an iteration that has clients. */
  IdleTracker<Long> jobs() {
    return jobs;
  }

  /** Datasets without jobs, as of the last {@link #updateIdleDatasets}. */
  IdleTracker<String> datasets() {
    return datasets;
  }

  /** The progress of iterations and workers, as operators see it. */
  ProgressCounts progress() {
    return progress;
  }

  /** The last reports of where the time of tasks goes. */
  StageReports stages() {
    return stages;
  }

  /** The last times that workers and readers told. */
  ProcessingTimes times() {
    return times;
  }

  /** The work of jobs in the last minutes, and since the start. */
  JobActivity activity() {
    return activity;
  }

  /**
   * Notes where the time of an active task goes.
   *
   * @throws StatusException INVALID_ARGUMENT for a malformed report
   */
  void worked(DispatcherState state, Task task, TaskStages report, long nowNanos) {
    stages
        .note(report, nowNanos)
        .ifPresent(interval -> activity.worked(keyOf(state.iterations().of(task).job()), interval));
  }

  /** Notes a reader's progress. */
  void read(Iteration iteration, long client, ClientLeases.Reading reading, long nowNanos) {
    ReadingInterval interval = clients.read(client, reading, nowNanos);
    progress.returned(iteration.id(), interval.elements());
    activity.read(keyOf(iteration.job()), client, interval);
  }

  private static JobActivity.Key keyOf(Job job) {
    return new JobActivity.Key(job.id(), job.anonymous() ? JobActivity.ANONYMOUS : job.name());
  }

  /** The readers that operators released, or whose places others took. */
  ReleasedReaders released() {
    return released;
  }

  /** The last lost tasks, oldest first. */
  List<Task> recentLosses() {
    return List.copyOf(recentLosses);
  }

  /** The number of tasks lost since the start. */
  long numLosses() {
    return numLosses;
  }

  /** An upper bound of the splits lost with these tasks. */
  long numSplitsLost() {
    return numSplitsLost;
  }

  /** An upper bound of the elements lost with these tasks, where deliveries are announced. */
  long numRowsLost() {
    return numRowsLost;
  }

  @Override
  public boolean isLost(String address) {
    return workers.isLost(address);
  }

  @Override
  public boolean isUnheard(String address) {
    return workers.isUnheard(address);
  }

  @Override
  public boolean hasLeft(RegisteredWorker worker) {
    return workers.hasLeft(worker.address(), worker.incarnation());
  }

  @Override
  public Stream<String> aliveAfter(String address) {
    return workers.aliveAfter(address);
  }

  @Override
  public Collection<String> lostWorkers() {
    return workers.lost();
  }

  @Override
  public List<Long> unservedShares(long iterationId) {
    return shares.overdue(iterationId);
  }

  @Override
  public OptionalLong position(long taskId) {
    @Nullable Long position = positions.get(taskId);
    return position == null ? OptionalLong.empty() : OptionalLong.of(position);
  }

  @Override
  public boolean wasPresent(long taskId, long probe) {
    return presentSince.getOrDefault(taskId, Long.MAX_VALUE) < probe;
  }

  /**
   * Notes that the worker at {@code address} has reported the tasks {@code ids} in answer to a
   * probe, or accepted them: they must be in its answer to the next probe. Unsolicited reports
   * don't count, as they may be older than its answers.
   */
  void arePresent(DispatcherState state, String address, Set<Long> ids) {
    long probe = workers.lastProbe(address);
    for (Task task : state.iterations().activeOn(address)) {
      if (ids.contains(task.id())) {
        var _ = presentSince.putIfAbsent(task.id(), probe);
      }
    }
  }

  /**
   * Records the positions and the times of the worker's active tasks. A task that advanced has a
   * live reader; if its job allows only one reader, this renews that reader's lease.
   */
  void recordTasks(DispatcherState state, WorkerReport report, long nowNanos) {
    for (Task task : state.iterations().activeOn(report.address())) {
      times.told(task.id(), report.processingNanos().getOrDefault(task.id(), 0.0));
      @Nullable Long position = report.positions().get(task.id());
      if (position != null) {
        @Nullable Long before = positions.put(task.id(), position);
        long more = position - (before == null ? 0 : before);
        progress.handedOut(task, Math.max(0, more));
        Iteration iteration = state.iterations().of(task);
        boolean alone = iteration.job().isExactlyOnce() && iteration.job().anonymous();
        if (alone && more > 0) {
          iteration.clients().forEach(client -> clients.heard(client, nowNanos));
        }
      }
    }
  }

  /**
   * Starts over, at the start or after a journal outage, in which peers' requests may have failed:
   * every peer gets a full timeout. Forgets what is not in {@code state}.
   */
  void restart(DispatcherState state, long nowNanos) {
    workers.restart(
        state.workers().all().stream()
            .collect(Collectors.toMap(RegisteredWorker::address, RegisteredWorker::incarnation)));
    if (!begun) {
      begun = true;
      workers.begin();
      state.iterations().activeTasks().forEach(id -> presentSince.put(id, 0L));
    }
    clients.restart(
        state.iterations().clients(), client -> readsExactlyOnce(state, client), nowNanos);
    state.jobs().all().forEach(job -> updateIdle(state, job, nowNanos));
    state.iterations().all().forEach(iteration -> updateIdle(state, iteration, nowNanos));
    forgetRemoved(state);
    progress.restart(state);
    shares.restart(nowNanos);
    gatherings.restart(state, nowNanos);
    iterations.restart(nowNanos);
    jobs.restart(nowNanos);
    datasets.restart(nowNanos);
  }

  /** Forgets everything that is no longer in {@code state}. */
  void forgetRemoved(DispatcherState state) {
    iterations.retain(id -> state.iterations().find(id).isPresent());
    jobs.retain(state.jobs()::contains);
    datasets.retain(id -> state.datasets().find(id).isPresent());
    LongPredicate ended = id -> state.iterations().findTask(id).filter(Task::isActive).isEmpty();
    positions.keySet().removeIf(ended::test);
    presentSince.keySet().removeIf(ended::test);
    stages.forgetIf(ended);
    times.forgetIf(ended, client -> state.iterations().ofClient(client).isEmpty());
    activity.forgetIf(id -> !state.jobs().contains(id), name -> state.jobs().find(name).isEmpty());
    progress.forgetRemoved(state);
    gatherings.forgetRemoved(state);
  }

  /** Updates the soft state with a change that is durable and in {@code state}. */
  void follow(DispatcherState state, JournalRecord record, long nowNanos) {
    switch (record.getChangeCase()) {
      case WORKER_REGISTERED ->
          workers.registered(
              record.getWorkerRegistered().getWorkerAddress(),
              record.getWorkerRegistered().getIncarnation());
      case WORKER_REMOVED -> {
        String address = record.getWorkerRemoved().getWorkerAddress();
        if (!state.workers().contains(address)) {
          workers.forget(address);
          progress.forgetWorker(address);
        }
      }
      case JOB_CREATED -> {
        if (state.jobs().contains(record.getJobCreated().getJobId())) {
          Job job = state.jobs().get(record.getJobCreated().getJobId());
          activity.begin(keyOf(job));
          updateIdle(state, job, nowNanos);
        }
      }
      case CLIENT_ACQUIRED -> {
        long client = record.getClientAcquired().getIterationClientId();
        clients.acquired(client, readsExactlyOnce(state, client), nowNanos);
        long joined = record.getClientAcquired().getIterationId();
        updateIdle(state, joined, nowNanos);
        state.iterations().find(joined).ifPresent(it -> gatherings.joined(it, nowNanos));
      }
      case CLIENT_RELEASED -> {
        clients.released(record.getClientReleased().getIterationClientId());
        times.forgetReader(record.getClientReleased().getIterationClientId());
        if (!record.getClientReleased().getReason().isEmpty()) {
          released.add(
              record.getClientReleased().getIterationClientId(),
              record.getClientReleased().getReason());
        }
        updateIdle(state, record.getClientReleased().getIterationId(), nowNanos);
      }
      case TASK_LOST -> {
        forgetTask(record.getTaskLost().getTaskId());
        state
            .iterations()
            .findTask(record.getTaskLost().getTaskId())
            .ifPresent(task -> remember(state, task, nowNanos));
      }
      case SETTLEMENT_OPENED ->
          tell(
              state,
              record.getSettlementOpened().getIterationId(),
              nowNanos,
              JobLog.opened(record.getSettlementOpened()));
      case SETTLEMENT_CLOSED ->
          tell(
              state,
              record.getSettlementClosed().getIterationId(),
              nowNanos,
              JobLog.closed(record.getSettlementClosed()));
      case ITERATION_COLLECTED -> {
        iterations.busy(record.getIterationCollected().getIterationId());
        progress.forgetIteration(record.getIterationCollected().getIterationId());
      }
      case JOB_FORGOTTEN -> {
        jobs.busy(record.getJobForgotten().getJobId());
        activity.forget(record.getJobForgotten().getJobId());
      }
      case DATASET_FORGOTTEN -> datasets.busy(record.getDatasetForgotten().getDatasetId());
      case TASK_FINISHED -> forgetTask(record.getTaskFinished().getTaskId());
      case RECORDS_DELIVERED -> progress.delivered(record.getRecordsDelivered());
      case DATASET_REGISTERED,
          COMPRESSION_DECIDED,
          ITERATION_CREATED,
          TASK_CREATED,
          SPLITS_TAKEN,
          SPLITS_LEASED,
          SETTLEMENT_ANSWERED,
          RECORDS_TAKEN,
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

  /** Whether a client reads exactly once. Settlements wait for the answers of these clients. */
  private static boolean readsExactlyOnce(DispatcherState state, long client) {
    return state.iterations().ofClient(client).filter(of -> of.job().isExactlyOnce()).isPresent();
  }

  private void forgetTask(long taskId) {
    positions.remove(taskId);
    presentSince.remove(taskId);
    progress.ended(taskId);
    stages.forget(taskId);
    times.forgetTask(taskId);
  }

  /** Notes which datasets have no jobs. */
  void updateIdleDatasets(DispatcherState state, long nowNanos) {
    for (RegisteredDataset dataset : state.datasets().all()) {
      if (state.jobs().isDatasetInUse(dataset.id())) {
        datasets.busy(dataset.id());
      } else {
        datasets.idle(dataset.id(), nowNanos);
      }
    }
  }

  private void tell(DispatcherState state, long iterationId, long nowNanos, String text) {
    state
        .iterations()
        .find(iterationId)
        .ifPresent(iteration -> activity.tell(iteration.job().id(), nowNanos, text));
  }

  private void remember(DispatcherState state, Task lost, long nowNanos) {
    Iteration iteration = state.iterations().of(lost);
    activity.tell(iteration.job().id(), nowNanos, JobLog.lost(lost, iteration));
    if (!JobLog.isLoss(lost, iteration)) {
      return;
    }
    progress.lost(lost);
    activity.lost(keyOf(iteration.job()), lost.lostSplits().orElse(0), lost.lostRows().orElse(0));
    numLosses++;
    numSplitsLost += lost.lostSplits().orElse(0);
    numRowsLost += lost.lostRows().orElse(0);
    recentLosses.addLast(lost);
    if (recentLosses.size() > MAX_RECENT_LOSSES) {
      recentLosses.removeFirst();
    }
  }

  private void updateIdle(DispatcherState state, long iterationId, long nowNanos) {
    state
        .iterations()
        .find(iterationId)
        .ifPresent(iteration -> updateIdle(state, iteration, nowNanos));
  }

  private void updateIdle(DispatcherState state, Iteration iteration, long nowNanos) {
    if (iteration.numClients() == 0) {
      iterations.idle(iteration.id(), nowNanos);
    } else {
      iterations.busy(iteration.id());
    }
    updateIdle(state, iteration.job(), nowNanos);
  }

  private void updateIdle(DispatcherState state, Job job, long nowNanos) {
    if (state.isIdle(job)) {
      jobs.idle(job.id(), nowNanos);
    } else {
      jobs.busy(job.id());
    }
  }
}
