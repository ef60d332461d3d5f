package io.headrace.dispatcher;

import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What workers' requests, and what becomes of workers, come to. */
final class WorkerDecisions {
  private final DispatcherLimits limits;
  private final TaskPlanning planning;

  WorkerDecisions(DispatcherLimits limits, TaskPlanning planning) {
    this.limits = limits;
    this.planning = planning;
  }

  /** A heartbeat of a worker that answers: registers it if need be, and tells it of its tasks. */
  Decision<WorkerHeartbeatResponse> heartbeat(
      DispatcherState state, Liveness liveness, WorkerReport report) {
    List<JournalRecord> records = new ArrayList<>();
    Optional<Worker> known = state.workers().find(report.address());
    if (known.isEmpty()) {
      limits.requireRoomForWorker(state.workers());
    }
    if (known.isEmpty() || !known.get().equals(report.worker())) {
      records.add(Records.of(Workers.registration(report.worker())));
    }
    List<Task> newTasks = planning.forWorker(state, report.worker());
    records.addAll(additions(state, liveness, newTasks));
    return new Decision<>(records, response(state, report, newTasks));
  }

  /**
   * A worker answered a question.
   *
   * @param wasLost it had not answered before; then it gets tasks where it has none
   * @param tasksItHas ids of the tasks that it has
   * @return its tasks that it does not have yet, to be told of them
   */
  Decision<List<TaskDef>> answered(
      DispatcherState state,
      Liveness liveness,
      Worker worker,
      boolean wasLost,
      Set<Long> tasksItHas) {
    List<Task> active = state.iterations().activeOn(worker.address());
    List<Task> newTasks = wasLost ? planning.forWorker(state, worker) : List.of();
    List<JournalRecord> records = new ArrayList<>(additions(state, liveness, newTasks));
    if (wasLost) {
      for (Task task : active) {
        records.addAll(TaskPlanning.whenHopeful(state.iterations().of(task), liveness));
      }
    }
    List<TaskDef> untold = new ArrayList<>();
    Stream.concat(active.stream(), newTasks.stream())
        .filter(task -> !tasksItHas.contains(task.id()))
        .map(task -> TaskMessages.definition(state, task, state.iterations().of(task)))
        .forEach(untold::add);
    return new Decision<>(records, untold);
  }

  /**
   * Tasks that came to their end. Those that are not known, or at their end already, are passed
   * over.
   */
  Decision<WorkerUpdateResponse> update(
      DispatcherState state, Liveness liveness, WorkerUpdateRequest request) {
    List<JournalRecord> records = new ArrayList<>();
    Set<Long> finished = new HashSet<>();
    for (TaskProgress progress : request.getUpdatesList()) {
      Optional<Task> task = state.iterations().findTask(progress.getTaskId());
      if (progress.getCompleted() && task.isPresent() && task.get().isActive()) {
        requireOwn(task.get(), request.getWorkerAddress());
        if (finished.add(task.get().id())) {
          records.add(Records.taskFinished(task.get().id()));
        }
      }
    }
    for (Iteration iteration : iterationsOf(state, finished)) {
      TaskPlanning.whenHopeful(iteration, liveness).stream()
          .filter(loss -> !finished.contains(loss.getTaskLost().getTaskId()))
          .forEach(records::add);
    }
    return new Decision<>(records, WorkerUpdateResponse.getDefaultInstance());
  }

  private static Set<Iteration> iterationsOf(DispatcherState state, Set<Long> taskIds) {
    Set<Iteration> iterations = new HashSet<>();
    for (long id : taskIds) {
      state.iterations().findTask(id).map(state.iterations()::of).ifPresent(iterations::add);
    }
    return iterations;
  }

  private static void requireOwn(Task task, String address) {
    if (!task.workerAddress().equals(address)) {
      throw StatusException.invalidArgument(
          "task %d is on worker %s, so %s can't say that it is finished",
          task.id(), task.workerAddress(), address);
    }
  }

  private static List<JournalRecord> additions(
      DispatcherState state, Liveness liveness, List<Task> newTasks) {
    List<JournalRecord> records = new ArrayList<>(TaskPlanning.creations(newTasks));
    for (Task task : newTasks) {
      records.addAll(TaskPlanning.whenHopeful(state.iterations().of(task), liveness));
    }
    return records;
  }

  private static WorkerHeartbeatResponse response(
      DispatcherState state, WorkerReport report, List<Task> newTasks) {
    List<Task> assigned = new ArrayList<>(state.iterations().activeOn(report.address()));
    assigned.addAll(newTasks);
    WorkerHeartbeatResponse.Builder response = WorkerHeartbeatResponse.newBuilder();
    Set<Long> unwanted = new HashSet<>(report.currentTasks());
    for (Task task : assigned) {
      if (!unwanted.remove(task.id())) {
        Iteration iteration = state.iterations().of(task);
        response.addNewTasks(TaskMessages.definition(state, task, iteration));
      }
    }
    return response.addAllTasksToDelete(unwanted.stream().sorted().toList()).build();
  }
}
