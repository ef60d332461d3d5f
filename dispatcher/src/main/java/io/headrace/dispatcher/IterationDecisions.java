package io.headrace.dispatcher;

import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.ReleaseIterationClientResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.LostTask;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What requests about iterations come to. */
final class IterationDecisions {
  private final DispatcherLimits limits;
  private final TaskPlanning planning;
  private final DeploymentMode deploymentMode;

  IterationDecisions(
      DispatcherLimits limits, TaskPlanning planning, DeploymentMode deploymentMode) {
    this.limits = limits;
    this.planning = planning;
    this.deploymentMode = deploymentMode;
  }

  /**
   * A client's place in an iteration, and the tasks that were made with it.
   *
   * @param clientId what the client is known by
   * @param newTasks tasks that their workers are to be told of
   */
  record Place(long clientId, List<TaskDef> newTasks) {}

  /**
   * Gives a client a place in the iteration it asks for, which is created where it is not there.
   */
  Decision<Place> getOrCreate(
      DispatcherState state, Liveness liveness, GetOrCreateIterationRequest request) {
    Job job = state.jobs().get(request.getJobId());
    limits.requireRoomForClient(state.iterations());
    Optional<Iteration> existing = state.iterations().find(job, request.getRepetition());
    long clientId = state.iterations().nextClientId();
    if (existing.isPresent()) {
      requireRunnable(state, existing.get());
      return new Decision<>(
          List.of(Records.clientAcquired(clientId, existing.get().id())),
          new Place(clientId, List.of()));
    }
    return create(state, liveness, job, request.getRepetition(), clientId);
  }

  private Decision<Place> create(
      DispatcherState state, Liveness liveness, Job job, long repetition, long clientId) {
    limits.requireRoomForIteration(state.iterations());
    Dataset dataset = state.datasets().get(job.datasetId());
    TaskPlanning.requireSomeWorkerCanRun(state, dataset);
    long id = state.iterations().nextId();
    List<Task> tasks = planning.forIteration(state, liveness, id, dataset);
    List<JournalRecord> records = new ArrayList<>();
    records.add(Records.iterationCreated(id, job.id(), repetition, false));
    records.addAll(TaskPlanning.creations(tasks));
    records.add(Records.clientAcquired(clientId, id));
    return new Decision<>(
        records, new Place(clientId, TaskMessages.definitions(tasks, job, dataset)));
  }

  /** What a client is told of its iteration at each heartbeat. */
  ClientHeartbeatResponse heartbeat(DispatcherState state, long clientId) {
    Iteration iteration = ofClient(state, clientId);
    requireRunnable(state, iteration);
    return ClientHeartbeatResponse.newBuilder()
        .addAllTaskInfo(readableTasks(state, iteration))
        .setIterationFinished(iteration.isFinished())
        .setDeploymentMode(deploymentMode)
        .build();
  }

  /** What a client that watches its iteration is told. */
  WatchIterationResponse watch(DispatcherState state, Liveness liveness, Iteration iteration) {
    requireRunnable(state, iteration);
    WatchIterationResponse.Builder response =
        WatchIterationResponse.newBuilder()
            .addAllTaskInfo(readableTasks(state, iteration))
            .setIterationFinished(iteration.isFinished());
    for (Task task : iteration.tasks()) {
      switch (task.status()) {
        case ACTIVE -> {
          if (liveness.isLost(task.workerAddress())) {
            response.addSilentWorkers(task.workerAddress());
          }
        }
        case FINISHED -> response.addFinishedTaskIds(task.id());
        case LOST -> response.addLostTasks(lost(task));
      }
    }
    return response.build();
  }

  /** The iteration of a client, or NOT_FOUND in TensorFlow's words. */
  static Iteration ofClient(DispatcherState state, long clientId) {
    return state
        .iterations()
        .ofClient(clientId)
        .orElseThrow(() ->
            StatusException.of(
                StatusCode.NOT_FOUND,
                "Unknown iteration client id %d. The dispatcher is not configured to be fault"
                    + " tolerant, so this could be caused by a dispatcher restart.",
                clientId));
  }

  Decision<ReleaseIterationClientResponse> release(DispatcherState state, long clientId) {
    Iteration iteration = ofClient(state, clientId);
    return new Decision<>(
        List.of(Records.clientReleased(clientId, iteration.id())),
        ReleaseIterationClientResponse.getDefaultInstance());
  }

  private static void requireRunnable(DispatcherState state, Iteration iteration) {
    if (!iteration.isFinished()) {
      TaskPlanning.requireSomeWorkerCanRun(state, state.datasetOf(iteration));
    }
  }

  /** Every task that is or was to be read to its end: those that were lost are not. */
  private static List<TaskInfo> readableTasks(DispatcherState state, Iteration iteration) {
    List<TaskInfo> infos = new ArrayList<>();
    for (Task task : iteration.tasks()) {
      Optional<Worker> worker = state.workers().find(task.workerAddress());
      if (!task.isLost() && worker.isPresent()) {
        infos.add(TaskMessages.info(task, worker.get()));
      }
    }
    return infos;
  }

  static LostTask lost(Task task) {
    LostTask.Builder lost =
        LostTask.newBuilder().setTaskId(task.id()).setWorkerAddress(task.workerAddress());
    task.lostAt().ifPresent(lost::setPosition);
    return lost.build();
  }
}
