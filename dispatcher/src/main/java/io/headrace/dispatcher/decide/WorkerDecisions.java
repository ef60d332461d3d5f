package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.dispatcher.state.Workers;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decisions on the requests, answers and losses of workers. */
public final class WorkerDecisions {
  private final DispatcherLimits limits;
  private final TaskPlanning planning;

  public WorkerDecisions(DispatcherLimits limits, TaskPlanning planning) {
    this.limits = limits;
    this.planning = planning;
  }

  /**
   * A heartbeat of a live worker: registers the worker if it is new or changed, and answers with
   * its tasks.
   */
  public Decision<ExtendedWorkerHeartbeatResponse> heartbeat(
      DispatcherState state, LivenessView liveness, WorkerReport told) {
    List<JournalRecord> records = new ArrayList<>();
    Optional<RegisteredWorker> known = state.workers().find(told.address());
    WorkerReport report = known.map(told::after).orElse(told);
    if (known.isEmpty()) {
      limits.requireRoomForWorker(state.workers());
    }
    if (known.isEmpty() || !known.get().equals(report.worker())) {
      records.addAll(displacements(state, report.worker()));
      records.add(JournalRecords.of(Workers.registration(report.worker())));
    }
    Set<Long> vanished = TaskPlanning.tasksOfFormerProcess(state, report.worker());
    List<Task> newTasks = planning.forWorker(state, liveness, report.worker(), vanished);
    records.addAll(additions(state, liveness, newTasks));
    addLosses(state, vanished, liveness, records);
    return new Decision<>(records, response(state, liveness, report, vanished, newTasks));
  }

  /** Clears the index of any other worker that had the index of {@code worker}. */
  private static List<JournalRecord> displacements(DispatcherState state, RegisteredWorker worker) {
    return state.workers().all().stream()
        .filter(other -> other.index().isPresent() && other.index().equals(worker.index()))
        .filter(other -> !other.address().equals(worker.address()))
        .map(other -> JournalRecords.of(Workers.registration(other.at(OptionalLong.empty()))))
        .toList();
  }

  /**
   * Removes workers that may not register again. Left registered, they would count as alive as long
   * as any process answers at their addresses, and get tasks that it does not run.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param dismissed the workers to remove
   * @param losses task ends that belong to the same decision
   */
  public static List<JournalRecord> dismissals(
      DispatcherState state,
      LivenessView liveness,
      List<RegisteredWorker> dismissed,
      List<JournalRecord> losses) {
    List<JournalRecord> records = new ArrayList<>(losses);
    for (RegisteredWorker worker : dismissed) {
      Set<Long> active =
          state.iterations().activeOn(worker.address()).stream()
              .map(Task::id)
              .collect(Collectors.toSet());
      addLosses(state, active, liveness, records);
      records.add(JournalRecords.workerRemoved(worker.address()));
    }
    return records;
  }

  /**
   * The ends of the drains of stock workers at the lost {@code addresses}: the next process there
   * can't be told from them.
   */
  public static List<JournalRecord> endsOfDrains(
      DispatcherState state, Collection<String> addresses) {
    return addresses.stream()
        .flatMap(address -> state.workers().find(address).stream())
        .filter(worker -> worker.draining() && worker.isStock())
        .map(worker -> JournalRecords.of(Workers.registration(worker.draining(false))))
        .toList();
  }

  /**
   * A worker's answer to a probe.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param worker the worker
   * @param probe the number of the probe
   * @param wasAway the worker had stopped answering, or not answered since the dispatcher started;
   *     it then gets tasks where it has none
   * @param tasksItHas ids of the tasks in its answer
   * @return the tasks that the worker does not have yet, to be sent to it
   */
  public Decision<List<TaskDef>> answered(
      DispatcherState state,
      LivenessView liveness,
      RegisteredWorker worker,
      long probe,
      boolean wasAway,
      Set<Long> tasksItHas) {
    Set<Long> vanished = TaskPlanning.vanishedTasks(state, liveness, worker, probe, tasksItHas);
    List<Task> active =
        state.iterations().activeOn(worker.address()).stream()
            .filter(task -> !vanished.contains(task.id()))
            .toList();
    List<Task> newTasks =
        wasAway || !vanished.isEmpty()
            ? planning.forWorker(state, liveness, worker, vanished)
            : List.of();
    List<JournalRecord> records = new ArrayList<>(additions(state, liveness, newTasks));
    if (wasAway) {
      for (Task task : active) {
        records.addAll(TaskPlanning.endsOfLostTasks(state, state.iterations().of(task), liveness));
      }
    }
    addLosses(state, vanished, liveness, records);
    List<TaskDef> unsent = new ArrayList<>();
    Stream.concat(active.stream(), newTasks.stream())
        .filter(task -> !tasksItHas.contains(task.id()))
        .map(task -> TaskMessages.definition(state, task, state.iterations().of(task)))
        .forEach(unsent::add);
    return new Decision<>(records, unsent);
  }

  /**
   * A worker leaves in order: its last reports count, its tasks end, and it is no longer registered
   * unless a task must wait for it to come back. The reply tells whether it was that process.
   */
  public static Decision<Boolean> leave(
      DispatcherState state, LivenessView liveness, LeaveWorkerRequest request, Caller caller) {
    String address = request.getWorkerAddress();
    boolean isThat =
        state
            .workers()
            .find(address)
            .filter(worker -> worker.incarnation() == request.getIncarnation())
            .isPresent();
    if (!isThat) {
      return Decision.answer(false);
    }
    List<JournalRecord> records = new ArrayList<>();
    ReportDeliveriesRequest last =
        ReportDeliveriesRequest.newBuilder().addAllTasks(request.getTasksList()).build();
    records.addAll(ReceiptDecisions.deliver(state, last, caller).records());
    List<JournalRecord> ends =
        TaskPlanning.whenLeaving(state, liveness, address, request.getDrainedTaskIdsList());
    records.addAll(ends);
    if (ends.size() == state.iterations().activeOn(address).size()) {
      records.add(JournalRecords.workerRemoved(address));
    }
    return new Decision<>(records, true);
  }

  /**
   * Progress of a worker's tasks. Unknown and ended tasks are ignored. A task that ends incomplete
   * counts as lost where lost work is made again, and a settlement follows.
   */
  public Decision<WorkerUpdateResponse> update(
      DispatcherState state, LivenessView liveness, WorkerUpdateRequest request, Caller caller) {
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
        requireWorkerOf(state, task.get(), caller, "WorkerUpdate");
        finished.add(id);
        records.add(
            progress.getCompleted()
                ? JournalRecords.taskFinished(id)
                : JournalRecords.taskLost(id, liveness.position(id), LossReason.READER_GONE));
      }
    }
    for (Iteration iteration : iterationsOf(state, finished)) {
      TaskPlanning.endsOfLostTasks(state, iteration, liveness).stream()
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

  /** Refuses a call that only the worker of {@code task} may make, from any other process. */
  static void requireWorkerOf(DispatcherState state, Task task, Caller caller, String call) {
    String address = task.workerAddress();
    if (state.workers().find(address).filter(caller::isOf).isEmpty() && !caller.isInProcess()) {
      throw caller.refused(call, address);
    }
  }

  private static List<JournalRecord> additions(
      DispatcherState state, LivenessView liveness, List<Task> newTasks) {
    List<JournalRecord> records = new ArrayList<>();
    for (Task task : newTasks) {
      records.add(
          state.iterations().of(task).job().isCoordinated()
              ? JournalRecords.taskWaiting(task, AdmissionDecisions.FIRST_TARGET_ROUND)
              : JournalRecords.taskCreated(task));
    }
    records.addAll(TaskPlanning.replacements(state, liveness, newTasks));
    for (Task task : newTasks) {
      records.addAll(TaskPlanning.endsOfLostTasks(state, state.iterations().of(task), liveness));
    }
    return records;
  }

  /** Adds the ends of {@code vanished} that {@code records} does not have already. */
  private static void addLosses(
      DispatcherState state,
      Set<Long> vanished,
      LivenessView liveness,
      List<JournalRecord> records) {
    Set<Long> remaining = new HashSet<>(vanished);
    records.forEach(record -> remaining.remove(record.getTaskLost().getTaskId()));
    records.addAll(TaskPlanning.losses(state, remaining, liveness));
  }

  /**
   * The worker's tasks that it did not report. A stock worker may have reported its tasks before it
   * got one that it had before, so the dispatcher probes it first.
   */
  private static ExtendedWorkerHeartbeatResponse response(
      DispatcherState state,
      LivenessView liveness,
      WorkerReport report,
      Set<Long> vanished,
      List<Task> newTasks) {
    boolean stock = report.worker().isStock();
    ExtendedWorkerHeartbeatResponse.Builder response =
        ExtendedWorkerHeartbeatResponse.newBuilder().setLeave(report.worker().draining() && !stock);
    Set<Long> unwanted = new HashSet<>(report.currentTasks());
    for (Task task : state.iterations().activeOn(report.address())) {
      boolean named = !vanished.contains(task.id()) && unwanted.remove(task.id());
      boolean mayBeLost = stock && liveness.wasPresent(task.id(), Long.MAX_VALUE);
      if (!named && !vanished.contains(task.id()) && !mayBeLost) {
        response.addNewTasks(TaskMessages.definition(state, task, state.iterations().of(task)));
      }
    }
    for (Task task : newTasks) {
      response.addNewTasks(TaskMessages.definition(state, task, state.iterations().of(task)));
    }
    return response.addAllTasksToDelete(unwanted.stream().sorted().toList()).build();
  }
}
