package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Records;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who gets a task of which iteration, and whose task ends because its worker was lost.
 *
 * <p>The rule for losses: a lost worker's task is ended if its iteration has another one that is
 * alive or at its end, so that the pass comes to an end without what was lost. Otherwise it stays,
 * and its readers wait: for the worker to come back at its address, or for another one.
 *
 * <p>What is read exactly or at least once needs no such rule: a lost worker's task is ended at
 * once, and what it had not delivered is made again ({@link SettlementDecisions}).
 *
 * <p>With static sharding nobody else can do a lost worker's part. So its task stays whatever the
 * others do, until the worker comes back, or another one takes its place in the list of workers.
 */
public final class TaskPlanning {
  private final DispatcherLimits limits;

  public TaskPlanning(DispatcherLimits limits) {
    this.limits = limits;
  }

  /**
   * A task for each worker that is alive and may run {@code dataset}, which {@code job} passes
   * over.
   *
   * @param numShards with static sharding the number of shares, otherwise 0
   */
  List<Task> forIteration(
      DispatcherState state,
      Liveness liveness,
      Job job,
      long iterationId,
      long numShards,
      RegisteredDataset dataset) {
    List<Task> tasks = new ArrayList<>();
    long nextId = state.iterations().nextTaskId();
    for (RegisteredWorker worker : state.workers().all()) {
      boolean alive = !liveness.isLost(worker.address());
      if (alive && worker.mayRun(job, dataset) && worker.hasPart(numShards)) {
        OptionalLong shard = numShards == 0 ? OptionalLong.empty() : worker.index();
        tasks.add(Task.active(nextId++, iterationId, worker.address(), shard));
      }
    }
    limits.requireRoomForTasks(state.iterations(), tasks.size());
    return tasks;
  }

  /**
   * A task for {@code worker} in each unfinished iteration that it has no part in and may run.
   *
   * @param gone ids of tasks that do not count, because the worker has them no more
   */
  List<Task> forWorker(
      DispatcherState state, Liveness liveness, RegisteredWorker worker, Set<Long> gone) {
    List<Task> tasks = new ArrayList<>();
    long nextId = state.iterations().nextTaskId();
    for (Iteration iteration : state.iterations().unfinished()) {
      boolean free =
          worker.hasPart(iteration.numShards())
              && !iteration.isHandedOut()
              && partOf(worker, iteration)
                  .filter(part -> !gone.contains(part.id()))
                  .filter(part -> !isLeft(part, worker, liveness))
                  .isEmpty();
      if (free && worker.mayRun(iteration.job(), state.datasetOf(iteration))) {
        OptionalLong shard = iteration.numShards() == 0 ? OptionalLong.empty() : worker.index();
        tasks.add(Task.active(nextId++, iteration.id(), worker.address(), shard));
      }
    }
    limits.requireRoomForTasks(state.iterations(), tasks.size());
    return tasks;
  }

  /** The task that {@code worker} would repeat if it got one. */
  private static Optional<Task> partOf(RegisteredWorker worker, Iteration iteration) {
    return iteration.numShards() == 0
        ? iteration.taskOn(worker.address())
        : iteration.taskOfShard(worker.index().orElseThrow());
  }

  /** Whether {@code part} is another, lost worker's, whose place {@code worker} has taken. */
  private static boolean isLeft(Task part, RegisteredWorker worker, Liveness liveness) {
    return part.isActive()
        && !part.workerAddress().equals(worker.address())
        && liveness.isLost(part.workerAddress());
  }

  /** The ends of the shares' tasks that {@code tasks} take the place of, on other workers. */
  static List<JournalRecord> replacements(
      DispatcherState state, Liveness liveness, Collection<Task> tasks) {
    List<JournalRecord> losses = new ArrayList<>();
    for (Task task : tasks) {
      if (task.shard().isPresent()) {
        state
            .iterations()
            .of(task)
            .taskOfShard(task.shard().getAsLong())
            .filter(part -> !part.workerAddress().equals(task.workerAddress()))
            .ifPresent(part -> losses.add(loss(part, liveness)));
      }
    }
    return losses;
  }

  /**
   * Ids of the tasks that a worker of no known incarnation, a stock one, once had, and does not
   * have any more: its process is another one.
   *
   * @param question what it was asked
   * @param tasksItHas what it answered
   */
  static Set<Long> gone(
      DispatcherState state,
      Liveness liveness,
      RegisteredWorker worker,
      long question,
      Set<Long> tasksItHas) {
    if (worker.incarnation() != 0) {
      return Set.of();
    }
    return state.iterations().activeOn(worker.address()).stream()
        .map(Task::id)
        .filter(id -> liveness.wasThere(id, question) && !tasksItHas.contains(id))
        .collect(Collectors.toSet());
  }

  /** Ids of the active tasks of the worker that {@code worker} takes the place of. */
  static Set<Long> leftBehind(DispatcherState state, RegisteredWorker worker) {
    Optional<RegisteredWorker> known = state.workers().find(worker.address());
    return known.isEmpty() || known.get().incarnation() == worker.incarnation()
        ? Set.of()
        : state.iterations().activeOn(worker.address()).stream()
            .map(Task::id)
            .collect(Collectors.toSet());
  }

  /** The ends of {@code tasks}, which their workers have no more. */
  static List<JournalRecord> losses(Collection<Long> tasks, Liveness liveness) {
    return tasks.stream().sorted().map(id -> Records.taskLost(id, liveness.position(id))).toList();
  }

  static List<JournalRecord> creations(Collection<Task> tasks) {
    return tasks.stream().map(Records::taskCreated).toList();
  }

  /** Ends the tasks of the workers at {@code addresses}, which are lost, where the rule says so. */
  public static List<JournalRecord> whenLost(
      DispatcherState state, Liveness liveness, Collection<String> addresses) {
    Map<Iteration, Boolean> hope = new HashMap<>();
    return addresses.stream()
        .flatMap(address -> state.iterations().activeOn(address).stream())
        .filter(task ->
            hope.computeIfAbsent(
                state.iterations().of(task), iteration -> hasHope(iteration, liveness)))
        .map(task -> loss(task, liveness))
        .toList();
  }

  /**
   * Ends the tasks of {@code iteration} that are on lost workers, because another of its tasks is
   * alive, or at its end, from now on.
   */
  static List<JournalRecord> whenHopeful(Iteration iteration, Liveness liveness) {
    if (iteration.numShards() > 0 || iteration.job().remakes()) {
      return List.of();
    }
    return liveness.lostWorkers().stream()
        .flatMap(address -> iteration.taskOn(address).stream())
        .filter(Task::isActive)
        .map(task -> loss(task, liveness))
        .toList();
  }

  private static boolean hasHope(Iteration iteration, Liveness liveness) {
    if (iteration.numShards() > 0) {
      return false;
    }
    return iteration.job().remakes()
        || iteration.numFinished() > 0
        || iteration.tasks().stream()
            .anyMatch(task -> task.isActive() && !liveness.isLost(task.workerAddress()));
  }

  private static JournalRecord loss(Task task, Liveness liveness) {
    return Records.taskLost(task.id(), liveness.position(task.id()));
  }

  /**
   * Fails with UNIMPLEMENTED, naming op and node, if there are workers and none of them may run
   * {@code dataset}. Those that may have no task of {@code job} anyhow are passed over.
   */
  static void requireSomeWorkerCanRun(DispatcherState state, Job job, RegisteredDataset dataset) {
    Optional<OpUse> missing = Optional.empty();
    for (RegisteredWorker worker : state.workers().all()) {
      if (!worker.keeps(job)) {
        continue;
      }
      missing = worker.missingOp(dataset);
      if (missing.isEmpty()) {
        return;
      }
    }
    if (missing.isPresent()) {
      throw StatusException.of(
          StatusCode.UNIMPLEMENTED,
          "Op %s (node %s) of dataset %s is not supported by any of the %d registered workers",
          missing.get().getOp(),
          missing.get().getNode(),
          dataset.id(),
          state.workers().size());
    }
  }
}
