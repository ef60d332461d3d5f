package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Liveness;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.journal.JournalRecord;
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
 * What the dispatcher knows and need not remember: who answers, who was heard of and when, what has
 * been idle since when, how far tasks were.
 *
 * <p>None of it is in the journal. After a restart every worker is taken to be alive until it does
 * not answer, and every client and idle iteration gets a full time-out again; every task is taken
 * to have been on its worker. Not thread-safe: it is used on the {@link CommitLoop} only. What is
 * in the journal is in {@link DispatcherState}.
 */
final class SoftState implements Liveness {
  private static final int MAX_RECENT_LOSSES = 100;

  private final WorkerLiveness workers = new WorkerLiveness();
  private final UnservedShares shares = new UnservedShares();
  private final ClientLeases clients = new ClientLeases();
  private final IdleTimes<Long> iterations = new IdleTimes<>();
  private final IdleTimes<Long> jobs = new IdleTimes<>();
  private final IdleTimes<String> datasets = new IdleTimes<>();
  private final Map<Long, Long> positions = new HashMap<>();
  private final Map<Long, Long> thereSince = new HashMap<>();
  private boolean begun;
  private final Deque<Task> recentLosses = new ArrayDeque<>();
  private long numLosses;
  private long numSplitsLost;

  WorkerLiveness workers() {
    return workers;
  }

  UnservedShares shares() {
    return shares;
  }

  ClientLeases clients() {
    return clients;
  }

  /** Iterations without clients. */
  IdleTimes<Long> iterations() {
    return iterations;
  }

  /** Jobs without an iteration that has clients. */
  IdleTimes<Long> jobs() {
    return jobs;
  }

  /** Datasets that no job passes over, as far as {@link #lookAtDatasets} has seen. */
  IdleTimes<String> datasets() {
    return datasets;
  }

  /** The last tasks that were lost, oldest first. */
  List<Task> recentLosses() {
    return List.copyOf(recentLosses);
  }

  /** How many tasks were lost since the start. */
  long numLosses() {
    return numLosses;
  }

  /** How many splits at most were lost with them. */
  long numSplitsLost() {
    return numSplitsLost;
  }

  @Override
  public boolean isLost(String address) {
    return workers.isLost(address);
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
  public boolean wasThere(long taskId, long question) {
    return thereSince.getOrDefault(taskId, Long.MAX_VALUE) < question;
  }

  /**
   * The worker at {@code address} has answered that it has, or took, the tasks {@code ids}: they
   * will be in its answer to the next question. What it says unasked does not count here: that may
   * be older than its answers.
   */
  void areThere(DispatcherState state, String address, Set<Long> ids) {
    long question = workers.lastQuestion(address);
    for (Task task : state.iterations().activeOn(address)) {
      if (ids.contains(task.id())) {
        var _ = thereSince.putIfAbsent(task.id(), question);
      }
    }
  }

  /**
   * Keeps the positions of tasks that are active on the worker that told of them. One that has
   * handed out more has readers; if there can be but one, that is heard of by this.
   */
  void tell(DispatcherState state, WorkerReport report, long nowNanos) {
    for (Task task : state.iterations().activeOn(report.address())) {
      @Nullable Long position = report.positions().get(task.id());
      if (position != null) {
        @Nullable Long before = positions.put(task.id(), position);
        Iteration iteration = state.iterations().of(task);
        boolean alone = iteration.job().isExactlyOnce() && iteration.job().anonymous();
        if (alone && position > (before == null ? 0 : before)) {
          iteration.clients().forEach(client -> clients.heard(client, nowNanos));
        }
      }
    }
  }

  /**
   * The dispatcher begins, or its journal failed, and others could not have their changes:
   * everybody gets a full time-out again. Forgets what is not in {@code state}.
   */
  void beginAnew(DispatcherState state, long nowNanos) {
    if (!begun) {
      begun = true;
      state.iterations().activeTasks().forEach(id -> thereSince.put(id, 0L));
    }
    workers.beginAnew(
        state.workers().all().stream().map(RegisteredWorker::address).collect(Collectors.toSet()));
    clients.beginAnew(
        state.iterations().clients(), client -> readsExactlyOnce(state, client), nowNanos);
    state.jobs().all().forEach(job -> lookAt(state, job, nowNanos));
    state.iterations().all().forEach(iteration -> lookAt(state, iteration, nowNanos));
    forgetGone(state);
    shares.beginAnew(nowNanos);
    iterations.beginAnew(nowNanos);
    jobs.beginAnew(nowNanos);
    datasets.beginAnew(nowNanos);
  }

  /** Forgets what is left of things that are not in {@code state} any more. */
  void forgetGone(DispatcherState state) {
    iterations.retain(id -> state.iterations().find(id).isPresent());
    jobs.retain(state.jobs()::contains);
    datasets.retain(id -> state.datasets().find(id).isPresent());
    LongPredicate ended = id -> state.iterations().findTask(id).filter(Task::isActive).isEmpty();
    positions.keySet().removeIf(ended::test);
    thereSince.keySet().removeIf(ended::test);
  }

  /** Follows a change that is durable, and in {@code state}. */
  void follow(DispatcherState state, JournalRecord record, long nowNanos) {
    switch (record.getChangeCase()) {
      case WORKER_REGISTERED -> workers.registered(record.getWorkerRegistered().getWorkerAddress());
      case WORKER_REMOVED -> {
        String address = record.getWorkerRemoved().getWorkerAddress();
        if (!state.workers().contains(address)) {
          workers.forget(address);
        }
      }
      case JOB_CREATED -> {
        if (state.jobs().contains(record.getJobCreated().getJobId())) {
          lookAt(state, state.jobs().get(record.getJobCreated().getJobId()), nowNanos);
        }
      }
      case CLIENT_ACQUIRED -> {
        long client = record.getClientAcquired().getIterationClientId();
        clients.acquired(client, readsExactlyOnce(state, client), nowNanos);
        lookAt(state, record.getClientAcquired().getIterationId(), nowNanos);
      }
      case CLIENT_RELEASED -> {
        clients.released(record.getClientReleased().getIterationClientId());
        lookAt(state, record.getClientReleased().getIterationId(), nowNanos);
      }
      case TASK_LOST -> {
        forgetTask(record.getTaskLost().getTaskId());
        state.iterations().findTask(record.getTaskLost().getTaskId()).ifPresent(this::remember);
      }
      case ITERATION_COLLECTED -> iterations.busy(record.getIterationCollected().getIterationId());
      case JOB_FORGOTTEN -> jobs.busy(record.getJobForgotten().getJobId());
      case DATASET_FORGOTTEN -> datasets.busy(record.getDatasetForgotten().getDatasetId());
      case TASK_FINISHED -> forgetTask(record.getTaskFinished().getTaskId());
      case DATASET_REGISTERED,
          COMPRESSION_DECIDED,
          ITERATION_CREATED,
          TASK_CREATED,
          SPLITS_TAKEN,
          SPLITS_LEASED,
          SETTLEMENT_OPENED,
          SETTLEMENT_ANSWERED,
          SETTLEMENT_CLOSED,
          RECORDS_TAKEN,
          RECORDS_DELIVERED,
          IDS_USED,
          CHANGE_NOT_SET -> {}
    }
  }

  /** Only clients of ours may; and others wait for each one's answers. */
  private static boolean readsExactlyOnce(DispatcherState state, long client) {
    return state.iterations().ofClient(client).filter(of -> of.job().isExactlyOnce()).isPresent();
  }

  private void forgetTask(long taskId) {
    positions.remove(taskId);
    thereSince.remove(taskId);
  }

  /** Notes which datasets no job passes over. */
  void lookAtDatasets(DispatcherState state, long nowNanos) {
    for (RegisteredDataset dataset : state.datasets().all()) {
      if (state.jobs().use(dataset.id())) {
        datasets.busy(dataset.id());
      } else {
        datasets.idle(dataset.id(), nowNanos);
      }
    }
  }

  private void remember(Task lost) {
    numLosses++;
    numSplitsLost += lost.lostSplits().orElse(0);
    recentLosses.addLast(lost);
    if (recentLosses.size() > MAX_RECENT_LOSSES) {
      recentLosses.removeFirst();
    }
  }

  private void lookAt(DispatcherState state, long iterationId, long nowNanos) {
    state.iterations().find(iterationId).ifPresent(iteration -> lookAt(state, iteration, nowNanos));
  }

  private void lookAt(DispatcherState state, Iteration iteration, long nowNanos) {
    if (iteration.numClients() == 0) {
      iterations.idle(iteration.id(), nowNanos);
    } else {
      iterations.busy(iteration.id());
    }
    lookAt(state, iteration.job(), nowNanos);
  }

  private void lookAt(DispatcherState state, Job job, long nowNanos) {
    if (state.isIdle(job)) {
      jobs.idle(job.id(), nowNanos);
    } else {
      jobs.busy(job.id());
    }
  }
}
