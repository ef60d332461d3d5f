package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Who gets a task of which iteration, and whose task ends because its worker was lost.
 *
 * <p>The rule for losses: a lost worker's task is ended if its iteration has another one that is
 * alive or at its end, so that the pass comes to an end without what was lost. Otherwise it stays,
 * and its readers wait: for the worker to come back at its address, or for another one.
 */
final class TaskPlanning {
  private final DispatcherLimits limits;

  TaskPlanning(DispatcherLimits limits) {
    this.limits = limits;
  }

  /** A task for each worker that is alive and may run {@code dataset}, which is passed over. */
  List<Task> forIteration(
      DispatcherState state, Liveness liveness, long iterationId, Dataset dataset) {
    List<Task> tasks = new ArrayList<>();
    long nextId = state.iterations().nextTaskId();
    for (Worker worker : state.workers().all()) {
      if (!liveness.isLost(worker.address()) && worker.canRun(dataset)) {
        tasks.add(Task.active(nextId++, iterationId, worker.address()));
      }
    }
    limits.requireRoomForTasks(state.iterations(), tasks.size());
    return tasks;
  }

  /** A task for {@code worker} in each unfinished iteration that it has no part in and may run. */
  List<Task> forWorker(DispatcherState state, Worker worker) {
    List<Task> tasks = new ArrayList<>();
    long nextId = state.iterations().nextTaskId();
    for (Iteration iteration : state.iterations().unfinished()) {
      if (!iteration.hasTaskOn(worker.address()) && worker.canRun(state.datasetOf(iteration))) {
        tasks.add(Task.active(nextId++, iteration.id(), worker.address()));
      }
    }
    limits.requireRoomForTasks(state.iterations(), tasks.size());
    return tasks;
  }

  static List<JournalRecord> creations(Collection<Task> tasks) {
    return tasks.stream()
        .map(task -> Records.taskCreated(task.id(), task.iterationId(), task.workerAddress()))
        .toList();
  }

  /**
   * Ends the tasks of the worker at {@code address}, which was just lost, where the rule says so.
   */
  static List<JournalRecord> whenLost(DispatcherState state, Liveness liveness, String address) {
    return state.iterations().activeOn(address).stream()
        .filter(task -> hasHope(state.iterations().of(task), liveness))
        .map(task -> loss(task, liveness))
        .toList();
  }

  /**
   * Ends the tasks of {@code iteration} that are on lost workers, because another of its tasks is
   * alive, or at its end, from now on.
   */
  static List<JournalRecord> whenHopeful(Iteration iteration, Liveness liveness) {
    return iteration.tasks().stream()
        .filter(task -> task.isActive() && liveness.isLost(task.workerAddress()))
        .map(task -> loss(task, liveness))
        .toList();
  }

  private static boolean hasHope(Iteration iteration, Liveness liveness) {
    return iteration.tasks().stream()
        .anyMatch(task ->
            task.isFinished() || (task.isActive() && !liveness.isLost(task.workerAddress())));
  }

  private static JournalRecord loss(Task task, Liveness liveness) {
    return Records.taskLost(task.id(), liveness.position(task.id()));
  }

  /**
   * Fails with UNIMPLEMENTED, naming op and node, if there are workers and none of them may run
   * {@code dataset}.
   */
  static void requireSomeWorkerCanRun(DispatcherState state, Dataset dataset) {
    Optional<OpUse> missing = Optional.empty();
    for (Worker worker : state.workers().all()) {
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
