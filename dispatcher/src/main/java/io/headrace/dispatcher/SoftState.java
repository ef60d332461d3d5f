package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the dispatcher knows and need not remember: who answers, who was heard of and when, what has
 * been idle since when, how far tasks were.
 *
 * <p>None of it is in the journal. After a restart every worker is taken to be alive until it does
 * not answer, and every client and idle iteration gets a full time-out again. Not thread-safe: it
 * is used on the {@link CommitLoop} only. What is in the journal is in {@link DispatcherState}.
 */
final class SoftState implements Liveness {
  private static final int MAX_RECENT_LOSSES = 100;

  private final WorkerLiveness workers = new WorkerLiveness();
  private final ClientLeases clients = new ClientLeases();
  private final IdleTimes iterations = new IdleTimes();
  private final IdleTimes jobs = new IdleTimes();
  private final Map<Long, Long> positions = new HashMap<>();
  private final Deque<Task> recentLosses = new ArrayDeque<>();
  private long numLosses;

  WorkerLiveness workers() {
    return workers;
  }

  ClientLeases clients() {
    return clients;
  }

  /** Iterations without clients. */
  IdleTimes iterations() {
    return iterations;
  }

  /** Anonymous jobs without an iteration that has clients. */
  IdleTimes jobs() {
    return jobs;
  }

  /** The last tasks that were lost, oldest first. */
  List<Task> recentLosses() {
    return List.copyOf(recentLosses);
  }

  /** How many tasks were lost since the start. */
  long numLosses() {
    return numLosses;
  }

  @Override
  public boolean isLost(String address) {
    return workers.isLost(address);
  }

  @Override
  public OptionalLong position(long taskId) {
    @Nullable Long position = positions.get(taskId);
    return position == null ? OptionalLong.empty() : OptionalLong.of(position);
  }

  /** Keeps the positions of tasks that are active on the worker that told of them. */
  void tell(DispatcherState state, WorkerReport report) {
    for (Task task : state.iterations().activeOn(report.address())) {
      @Nullable Long position = report.positions().get(task.id());
      if (position != null) {
        positions.put(task.id(), position);
      }
    }
  }

  /** Forgets what is not in {@code state}, and begins anew with what is new in it. */
  void reconcile(DispatcherState state, long nowNanos) {
    workers.reconcile(
        state.workers().all().stream().map(Worker::address).collect(Collectors.toSet()));
    clients.reconcile(state.iterations().clients(), nowNanos);
    state.jobs().all().forEach(job -> lookAt(state, job, nowNanos));
    state.iterations().all().forEach(iteration -> lookAt(state, iteration, nowNanos));
    forgetGone(state);
  }

  /** Forgets what is left of things that are not in {@code state} any more. */
  void forgetGone(DispatcherState state) {
    iterations.retain(id -> state.iterations().find(id).isPresent());
    jobs.retain(state.jobs()::contains);
    positions
        .keySet()
        .removeIf(id -> state.iterations().findTask(id).filter(Task::isActive).isEmpty());
  }

  /** Follows a change that is durable, and in {@code state}. */
  void follow(DispatcherState state, JournalRecord record, long nowNanos) {
    switch (record.getChangeCase()) {
      case WORKER_REMOVED -> workers.forget(record.getWorkerRemoved().getWorkerAddress());
      case JOB_CREATED ->
          lookAt(state, state.jobs().get(record.getJobCreated().getJobId()), nowNanos);
      case CLIENT_ACQUIRED -> {
        clients.acquired(record.getClientAcquired().getIterationClientId(), nowNanos);
        lookAt(state, record.getClientAcquired().getIterationId(), nowNanos);
      }
      case CLIENT_RELEASED -> {
        clients.released(record.getClientReleased().getIterationClientId());
        lookAt(state, record.getClientReleased().getIterationId(), nowNanos);
      }
      case TASK_LOST ->
          state.iterations().findTask(record.getTaskLost().getTaskId()).ifPresent(this::remember);
      case DATASET_REGISTERED,
          COMPRESSION_DECIDED,
          WORKER_REGISTERED,
          JOB_FORGOTTEN,
          ITERATION_CREATED,
          ITERATION_COLLECTED,
          TASK_CREATED,
          TASK_FINISHED,
          IDS_USED,
          CHANGE_NOT_SET -> {}
    }
  }

  private void remember(Task lost) {
    numLosses++;
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
    boolean idle =
        state.iterations().ofJob(job.id()).stream()
            .flatMap(id -> state.iterations().find(id).stream())
            .allMatch(iteration -> iteration.numClients() == 0);
    if (job.anonymous() && idle) {
      jobs.idle(job.id(), nowNanos);
    } else {
      jobs.busy(job.id());
    }
  }
}
