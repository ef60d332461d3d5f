package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.runtime.graph.UnsupportedOps;
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
 * Assigns tasks to workers, and ends the tasks of lost workers.
 *
 * <p>Read at most once, a lost worker's task ends if another task of its iteration is alive or
 * finished: the pass then ends without the lost elements. Otherwise the task stays active, and its
 * readers wait for the worker to return at its address or for another worker.
 *
 * <p>Read exactly or at least once, or with announced deliveries, a lost worker's task ends at
 * once, and its undelivered or unannounced records are made again ({@link SettlementDecisions}).
 *
 * <p>With static sharding no other worker can produce a lost worker's shard. The task stays active
 * until the worker returns, or another worker takes its index in the list of workers.
 *
 * <p>In a coordinated read, consumers must stop reading a task in the same round, so its task stays
 * active until they agree to remove it, or the worker returns at its address and runs it again.
 * Only a task that no consumer reads yet ends with its worker.
 */
public final class TaskPlanning {
  private final DispatcherLimits limits;

  public TaskPlanning(DispatcherLimits limits) {
    this.limits = limits;
  }

  /**
   * New tasks, one for each live worker that may run {@code dataset}, for an iteration of {@code
   * job}.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param job the iteration's job
   * @param iterationId the new iteration
   * @param numShards the number of shards with static sharding, otherwise 0
   * @param dataset the job's dataset
   */
  List<Task> forIteration(
      DispatcherState state,
      LivenessView liveness,
      Job job,
      long iterationId,
      long numShards,
      RegisteredDataset dataset) {
    List<Task> tasks = new ArrayList<>();
    long nextId = state.iterations().nextTaskId();
    for (RegisteredWorker worker : state.workers().all()) {
      boolean alive = !liveness.isLost(worker.address()) && !liveness.isUnheard(worker.address());
      if (alive && worker.mayRun(job, dataset) && worker.hasPart(numShards)) {
        OptionalLong shard = numShards == 0 ? OptionalLong.empty() : worker.index();
        tasks.add(Task.active(nextId++, iterationId, worker.address(), shard));
      }
    }
    limits.requireRoomForTasks(state.iterations(), tasks.size());
    return tasks;
  }

  /**
   * New tasks for {@code worker}, one in each unfinished iteration that it may run and has no task
   * in.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param worker the worker
   * @param vanished ids of tasks that the worker has lost, and that do not count
   */
  List<Task> forWorker(
      DispatcherState state, LivenessView liveness, RegisteredWorker worker, Set<Long> vanished) {
    List<Task> tasks = new ArrayList<>();
    long nextId = state.iterations().nextTaskId();
    for (Iteration iteration : state.iterations().unfinished()) {
      boolean free =
          worker.hasPart(iteration.numShards())
              && !iteration.isHandedOut()
              && partOf(worker, iteration)
                  .filter(part -> !vanished.contains(part.id()))
                  .filter(part -> !isTakenOver(part, iteration, worker, liveness))
                  .isEmpty();
      if (free && worker.mayRun(iteration.job(), state.datasetOf(iteration))) {
        OptionalLong shard = iteration.numShards() == 0 ? OptionalLong.empty() : worker.index();
        tasks.add(Task.active(nextId++, iteration.id(), worker.address(), shard));
      }
    }
    limits.requireRoomForTasks(state.iterations(), tasks.size());
    return tasks;
  }

  /** The existing task that a new one for {@code worker} would duplicate. */
  private static Optional<Task> partOf(RegisteredWorker worker, Iteration iteration) {
    return iteration.numShards() == 0
        ? iteration.taskOn(worker.address())
        : iteration.taskOfShard(worker.index().orElseThrow());
  }

  /** Whether {@code part} belongs to another, lost worker, whose index {@code worker} has taken. */
  private static boolean isTakenOver(
      Task part, Iteration iteration, RegisteredWorker worker, LivenessView liveness) {
    return part.isActive()
        && !iteration.job().isCoordinated()
        && !part.workerAddress().equals(worker.address())
        && liveness.isLost(part.workerAddress());
  }

  /** The ends of the shards' tasks on other workers that {@code tasks} replace. */
  static List<JournalRecord> replacements(
      DispatcherState state, LivenessView liveness, Collection<Task> tasks) {
    List<JournalRecord> losses = new ArrayList<>();
    for (Task task : tasks) {
      if (task.shard().isPresent()) {
        state
            .iterations()
            .of(task)
            .taskOfShard(task.shard().getAsLong())
            .filter(part -> !part.workerAddress().equals(task.workerAddress()))
            .filter(part -> !isCoordinated(state, part))
            .ifPresent(part -> losses.add(loss(state, part, liveness)));
      }
    }
    return losses;
  }

  /**
   * The ids of the tasks that a stock worker, which sends no incarnation, had and has no more: its
   * process has been replaced.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param worker the worker
   * @param probe the number of the probe
   * @param tasksItHas the tasks in its answer
   */
  static Set<Long> vanishedTasks(
      DispatcherState state,
      LivenessView liveness,
      RegisteredWorker worker,
      long probe,
      Set<Long> tasksItHas) {
    if (worker.incarnation() != 0) {
      return Set.of();
    }
    return state.iterations().activeOn(worker.address()).stream()
        .filter(task -> !isCoordinated(state, task))
        .map(Task::id)
        .filter(id -> liveness.wasPresent(id, probe) && !tasksItHas.contains(id))
        .collect(Collectors.toSet());
  }

  /** The ids of the active tasks of the former process at the address of {@code worker}. */
  static Set<Long> tasksOfFormerProcess(DispatcherState state, RegisteredWorker worker) {
    Optional<RegisteredWorker> known = state.workers().find(worker.address());
    return known.isEmpty() || known.get().incarnation() == worker.incarnation()
        ? Set.of()
        : state.iterations().activeOn(worker.address()).stream()
            .filter(task -> !isCoordinated(state, task))
            .map(Task::id)
            .collect(Collectors.toSet());
  }

  private static boolean isCoordinated(DispatcherState state, Task task) {
    return state.iterations().of(task).job().isCoordinated();
  }

  /** The ends of {@code tasks}, which their workers have lost. */
  static List<JournalRecord> losses(
      DispatcherState state, Collection<Long> tasks, LivenessView liveness) {
    return tasks.stream()
        .sorted()
        .flatMap(id -> state.iterations().findTask(id).stream())
        .map(task -> loss(state, task, liveness))
        .toList();
  }

  static List<JournalRecord> creations(Collection<Task> tasks) {
    return tasks.stream().map(JournalRecords::taskCreated).toList();
  }

  /** The ends of tasks on the lost workers at {@code addresses}, by the rules above. */
  public static List<JournalRecord> whenLost(
      DispatcherState state, LivenessView liveness, Collection<String> addresses) {
    Map<Iteration, Boolean> canEnd = new HashMap<>();
    return addresses.stream()
        .flatMap(address -> state.iterations().activeOn(address).stream())
        .filter(task ->
            isUnread(state, task)
                || canEnd.computeIfAbsent(
                    state.iterations().of(task),
                    iteration -> canEndWithoutLost(iteration, liveness)))
        .map(task -> loss(state, task, liveness))
        .toList();
  }

  /**
   * The ends of tasks of a worker that leaves in order, by the same rules; readers have all
   * elements of those in {@code drained}.
   */
  static List<JournalRecord> whenLeaving(
      DispatcherState state, LivenessView liveness, String address, Collection<Long> drained) {
    return state.iterations().activeOn(address).stream()
        .filter(task ->
            isUnread(state, task) || canEndWithout(state.iterations().of(task), liveness, address))
        .map(task ->
            JournalRecords.taskLeft(
                task.id(), liveness.position(task.id()), drained.contains(task.id())))
        .toList();
  }

  /**
   * The ends of the tasks of {@code iteration} on lost workers, once another of its tasks is alive
   * or finished.
   */
  static List<JournalRecord> endsOfLostTasks(
      DispatcherState state, Iteration iteration, LivenessView liveness) {
    if (iteration.numShards() > 0 || iteration.remakes() || iteration.job().isCoordinated()) {
      return List.of();
    }
    return liveness.lostWorkers().stream()
        .flatMap(address -> iteration.taskOn(address).stream())
        .filter(Task::isActive)
        .map(task -> loss(state, task, liveness))
        .toList();
  }

  /** Whether the task still waits for the consumers of a coordinated read. */
  private static boolean isUnread(DispatcherState state, Task task) {
    return state.iterations().of(task).admissions().isWaiting(task.id());
  }

  private static boolean canEndWithoutLost(Iteration iteration, LivenessView liveness) {
    return canEndWithout(iteration, liveness, "");
  }

  /** Whether the tasks on lost workers, and those on the worker {@code leaving}, can end. */
  private static boolean canEndWithout(Iteration iteration, LivenessView liveness, String leaving) {
    if (iteration.numShards() > 0 || iteration.job().isCoordinated()) {
      return false;
    }
    return iteration.remakes()
        || iteration.numFinished() > 0
        || iteration.tasks().stream()
            .filter(Task::isActive)
            .map(Task::workerAddress)
            .anyMatch(address -> !address.equals(leaving) && !liveness.isLost(address));
  }

  private static JournalRecord loss(DispatcherState state, Task task, LivenessView liveness) {
    boolean hasLeft =
        state.workers().find(task.workerAddress()).filter(liveness::hasLeft).isPresent();
    return hasLeft
        ? JournalRecords.taskLeft(task.id(), liveness.position(task.id()), false)
        : JournalRecords.taskLost(task.id(), liveness.position(task.id()), LossReason.WORKER_LOST);
  }

  /**
   * Requires a worker that can run {@code dataset}, if any worker is registered. Workers that the
   * job's guarantee excludes don't count.
   *
   * @throws StatusException UNIMPLEMENTED, naming op and node, otherwise
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
          "Op %s (node %s) of dataset %s is not supported by any of the %d registered workers%s",
          missing.get().getOp(),
          missing.get().getNode(),
          dataset.id(),
          state.workers().size(),
          UnsupportedOps.reason(missing.get().getOp()));
    }
  }
}
