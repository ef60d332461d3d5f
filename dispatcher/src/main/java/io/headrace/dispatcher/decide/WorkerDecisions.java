package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Records;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.dispatcher.state.Workers;
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
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What workers' requests, and what becomes of workers, come to. */
public final class WorkerDecisions {
  private final DispatcherLimits limits;
  private final TaskPlanning planning;

  public WorkerDecisions(DispatcherLimits limits, TaskPlanning planning) {
    this.limits = limits;
    this.planning = planning;
  }

  /** A heartbeat of a worker that answers: registers it if need be, and tells it of its tasks. */
  public Decision<WorkerHeartbeatResponse> heartbeat(
      DispatcherState state, Liveness liveness, WorkerReport report) {
    List<JournalRecord> records = new ArrayList<>();
    Optional<RegisteredWorker> known = state.workers().find(report.address());
    if (known.isEmpty()) {
      limits.requireRoomForWorker(state.workers());
    }
    if (known.isEmpty() || !known.get().equals(report.worker())) {
      records.addAll(displacements(state, report.worker()));
      records.add(Records.of(Workers.registration(report.worker())));
    }
    Set<Long> gone = TaskPlanning.leftBehind(state, report.worker());
    List<Task> newTasks = planning.forWorker(state, liveness, report.worker(), gone);
    records.addAll(additions(state, liveness, newTasks));
    addLosses(gone, liveness, records);
    return new Decision<>(records, response(state, liveness, report, gone, newTasks));
  }

  /** Who had the place in the list of workers that {@code worker} takes has none from now on. */
  private static List<JournalRecord> displacements(DispatcherState state, RegisteredWorker worker) {
    return state.workers().all().stream()
        .filter(other -> other.index().isPresent() && other.index().equals(worker.index()))
        .filter(other -> !other.address().equals(worker.address()))
        .map(other -> Records.of(Workers.registration(other.at(OptionalLong.empty()))))
        .toList();
  }

  /**
   * Forgets workers that may not register again: they would be taken for alive as long as anything
   * answers at their addresses, and be given tasks that nobody does there.
   *
   * @param losses tasks that end by the same decision
   */
  public static List<JournalRecord> dismissals(
      DispatcherState state,
      Liveness liveness,
      List<RegisteredWorker> dismissed,
      List<JournalRecord> losses) {
    List<JournalRecord> records = new ArrayList<>(losses);
    for (RegisteredWorker worker : dismissed) {
      Set<Long> active =
          state.iterations().activeOn(worker.address()).stream()
              .map(Task::id)
              .collect(Collectors.toSet());
      addLosses(active, liveness, records);
      records.add(Records.workerRemoved(worker.address()));
    }
    return records;
  }

  /**
   * A worker answered a question.
   *
   * @param question the number of the question
   * @param wasLost it had not answered before; then it gets tasks where it has none
   * @param tasksItHas ids of the tasks that it has
   * @return its tasks that it does not have yet, to be told of them
   */
  public Decision<List<TaskDef>> answered(
      DispatcherState state,
      Liveness liveness,
      RegisteredWorker worker,
      long question,
      boolean wasLost,
      Set<Long> tasksItHas) {
    Set<Long> gone = TaskPlanning.gone(state, liveness, worker, question, tasksItHas);
    List<Task> active =
        state.iterations().activeOn(worker.address()).stream()
            .filter(task -> !gone.contains(task.id()))
            .toList();
    List<Task> newTasks =
        wasLost || !gone.isEmpty() ? planning.forWorker(state, liveness, worker, gone) : List.of();
    List<JournalRecord> records = new ArrayList<>(additions(state, liveness, newTasks));
    if (wasLost) {
      for (Task task : active) {
        records.addAll(TaskPlanning.whenHopeful(state.iterations().of(task), liveness));
      }
    }
    addLosses(gone, liveness, records);
    List<TaskDef> untold = new ArrayList<>();
    Stream.concat(active.stream(), newTasks.stream())
        .filter(task -> !tasksItHas.contains(task.id()))
        .map(task -> TaskMessages.definition(state, task, state.iterations().of(task)))
        .forEach(untold::add);
    return new Decision<>(records, untold);
  }

  /**
   * Tasks that came to their end. Those that are not known, or at their end already, are passed
   * over. One that is incomplete is lost, if it is to be read exactly once: its readers are asked
   * what they have received of it.
   */
  public Decision<WorkerUpdateResponse> update(
      DispatcherState state, Liveness liveness, WorkerUpdateRequest request) {
    List<JournalRecord> records = new ArrayList<>();
    Set<Long> finished = new HashSet<>();
    for (TaskProgress progress : request.getUpdatesList()) {
      Optional<Task> task = state.iterations().findTask(progress.getTaskId());
      if (task.isEmpty() || !task.get().isActive() || finished.contains(task.get().id())) {
        continue;
      }
      long id = task.get().id();
      boolean exactly = state.iterations().of(task.get()).accounts().isPresent();
      if (progress.getCompleted() || exactly) {
        requireOwn(task.get(), request.getWorkerAddress());
        finished.add(id);
        records.add(
            progress.getCompleted()
                ? Records.taskFinished(id)
                : Records.taskLost(id, liveness.position(id)));
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
    records.addAll(TaskPlanning.replacements(state, liveness, newTasks));
    for (Task task : newTasks) {
      records.addAll(TaskPlanning.whenHopeful(state.iterations().of(task), liveness));
    }
    return records;
  }

  /** Ends {@code gone}, after what was decided already, which may have ended some of them. */
  private static void addLosses(Set<Long> gone, Liveness liveness, List<JournalRecord> records) {
    Set<Long> left = new HashSet<>(gone);
    records.forEach(record -> left.remove(record.getTaskLost().getTaskId()));
    records.addAll(TaskPlanning.losses(left, liveness));
  }

  /**
   * The tasks that the worker should have. A stock worker that does not name one that it once had
   * has lost it, or named its tasks before it got that one; it will be asked.
   */
  private static WorkerHeartbeatResponse response(
      DispatcherState state,
      Liveness liveness,
      WorkerReport report,
      Set<Long> gone,
      List<Task> newTasks) {
    boolean stock = report.worker().incarnation() == 0;
    WorkerHeartbeatResponse.Builder response = WorkerHeartbeatResponse.newBuilder();
    Set<Long> unwanted = new HashSet<>(report.currentTasks());
    for (Task task : state.iterations().activeOn(report.address())) {
      boolean named = !gone.contains(task.id()) && unwanted.remove(task.id());
      boolean mayBeLost = stock && liveness.wasThere(task.id(), Long.MAX_VALUE);
      if (!named && !gone.contains(task.id()) && !mayBeLost) {
        response.addNewTasks(TaskMessages.definition(state, task, state.iterations().of(task)));
      }
    }
    for (Task task : newTasks) {
      response.addNewTasks(TaskMessages.definition(state, task, state.iterations().of(task)));
    }
    return response.addAllTasksToDelete(unwanted.stream().sorted().toList()).build();
  }
}
