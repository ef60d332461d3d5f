package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.IdsUsed;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.TaskCreated;
import io.headrace.proto.headrace.journal.TaskLost;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The iterations with their tasks and clients: a part of {@link DispatcherState}. */
final class Iterations {
  /*
   * Every task and client that an index names is in an iteration of `byId`. `activeOn` has a
   * worker's active tasks only, and `unfinished` the iterations that new workers join, so that a
   * heartbeat costs what there is to do, not what there ever was.
   */

  private static final long FIRST_ID = 2000;
  private static final long FIRST_CLIENT_ID = 3000;
  private static final long FIRST_TASK_ID = 4000;

  private final Map<Long, Iteration> byId = new LinkedHashMap<>();
  private final Map<Key, Iteration> byKey = new LinkedHashMap<>();
  private final Map<Long, Set<Long>> byJob = new LinkedHashMap<>();
  private final Map<Long, Iteration> unfinished = new LinkedHashMap<>();
  private final Map<Long, Iteration> byClient = new LinkedHashMap<>();
  private final Map<Long, Iteration> byTask = new LinkedHashMap<>();
  private final Map<String, Set<Long>> activeOn = new LinkedHashMap<>();
  private long nextId = FIRST_ID;
  private long nextClientId = FIRST_CLIENT_ID;
  private long nextTaskId = FIRST_TASK_ID;

  private record Key(long jobId, long repetition) {}

  Optional<Iteration> find(long id) {
    return Optional.ofNullable(byId.get(id));
  }

  Optional<Iteration> find(Job job, long repetition) {
    return Optional.ofNullable(byKey.get(new Key(job.id(), repetition)));
  }

  Optional<Iteration> ofClient(long clientId) {
    return Optional.ofNullable(byClient.get(clientId));
  }

  Optional<Task> findTask(long taskId) {
    return Optional.ofNullable(byTask.get(taskId)).map(iteration -> iteration.task(taskId));
  }

  /** The iteration of {@code task}. */
  Iteration of(Task task) {
    return get(task.iterationId());
  }

  Collection<Iteration> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  Collection<Iteration> unfinished() {
    return Collections.unmodifiableCollection(unfinished.values());
  }

  Set<Long> clients() {
    return Collections.unmodifiableSet(byClient.keySet());
  }

  /** Ids of the iterations of a job. */
  Set<Long> ofJob(long jobId) {
    return Collections.unmodifiableSet(byJob.getOrDefault(jobId, Set.of()));
  }

  /** The active tasks of the worker at {@code address}. */
  List<Task> activeOn(String address) {
    return activeOn.getOrDefault(address, Set.of()).stream()
        .flatMap(id -> findTask(id).stream())
        .toList();
  }

  int size() {
    return byId.size();
  }

  int numTasks() {
    return byTask.size();
  }

  long nextId() {
    return nextId;
  }

  long nextClientId() {
    return nextClientId;
  }

  long nextTaskId() {
    return nextTaskId;
  }

  void create(IterationCreated change, Job job) {
    Iteration iteration =
        new Iteration(change.getIterationId(), job, change.getRepetition(), change.getFinished());
    byId.put(iteration.id(), iteration);
    byKey.put(new Key(job.id(), iteration.repetition()), iteration);
    byJob.computeIfAbsent(job.id(), _ -> new LinkedHashSet<>()).add(iteration.id());
    if (!iteration.isFinished()) {
      unfinished.put(iteration.id(), iteration);
    }
    nextId = Math.max(nextId, iteration.id() + 1);
  }

  /** Forgets the tasks; and the iteration, too, if it was not finished. */
  void collect(long id) {
    Iteration iteration = get(id);
    dropTasks(iteration);
    if (!iteration.isFinished()) {
      remove(iteration);
    }
  }

  void forgetJob(long jobId) {
    for (long id : List.copyOf(ofJob(jobId))) {
      Iteration iteration = get(id);
      dropTasks(iteration);
      remove(iteration);
    }
  }

  void acquireClient(ClientAcquired change) {
    Iteration iteration = get(change.getIterationId());
    byClient.put(change.getIterationClientId(), iteration);
    iteration.addClients(1);
    nextClientId = Math.max(nextClientId, change.getIterationClientId() + 1);
  }

  void releaseClient(long clientId) {
    @Nullable Iteration iteration = byClient.remove(clientId);
    if (iteration == null) {
      throw new IllegalStateException("there is no iteration client " + clientId);
    }
    iteration.addClients(-1);
  }

  void createTask(TaskCreated change) {
    Iteration iteration = get(change.getIterationId());
    Task task = Task.active(change.getTaskId(), iteration.id(), change.getWorkerAddress());
    iteration.put(task);
    byTask.put(task.id(), iteration);
    activeOn.computeIfAbsent(task.workerAddress(), _ -> new LinkedHashSet<>()).add(task.id());
    nextTaskId = Math.max(nextTaskId, task.id() + 1);
  }

  void finishTask(long taskId) {
    end(task(taskId).finished());
  }

  void loseTask(TaskLost change) {
    end(
        task(change.getTaskId())
            .lost(
                change.hasPosition()
                    ? OptionalLong.of(change.getPosition())
                    : OptionalLong.empty()));
  }

  void useIdsTo(IdsUsed ids) {
    nextId = Math.max(nextId, ids.getNextIterationId());
    nextClientId = Math.max(nextClientId, ids.getNextIterationClientId());
    nextTaskId = Math.max(nextTaskId, ids.getNextTaskId());
  }

  void snapshot(List<JournalRecord> records) {
    for (Iteration iteration : byId.values()) {
      records.add(
          Records.iterationCreated(
              iteration.id(),
              iteration.job().id(),
              iteration.repetition(),
              iteration.isFinished()));
      iteration.tasks().forEach(task -> snapshot(task, records));
    }
    byClient.forEach(
        (client, iteration) -> records.add(Records.clientAcquired(client, iteration.id())));
  }

  private static void snapshot(Task task, List<JournalRecord> records) {
    records.add(Records.taskCreated(task.id(), task.iterationId(), task.workerAddress()));
    switch (task.status()) {
      case ACTIVE -> {}
      case FINISHED -> records.add(Records.taskFinished(task.id()));
      case LOST -> records.add(Records.taskLost(task.id(), task.lostAt()));
    }
  }

  private void end(Task task) {
    Iteration iteration = get(task.iterationId());
    iteration.put(task);
    removeActive(task);
    if (iteration.isFinished()) {
      unfinished.remove(iteration.id());
    }
  }

  private void dropTasks(Iteration iteration) {
    for (Task task : iteration.tasks()) {
      byTask.remove(task.id());
      removeActive(task);
    }
    iteration.dropTasks();
  }

  private void remove(Iteration iteration) {
    byId.remove(iteration.id());
    byKey.remove(new Key(iteration.job().id(), iteration.repetition()));
    unfinished.remove(iteration.id());
    byClient.values().removeIf(other -> other == iteration);
    Set<Long> ofJob = byJob.getOrDefault(iteration.job().id(), Set.of());
    ofJob.remove(iteration.id());
    if (ofJob.isEmpty()) {
      byJob.remove(iteration.job().id());
    }
  }

  private void removeActive(Task task) {
    @Nullable Set<Long> active = activeOn.get(task.workerAddress());
    if (active != null) {
      active.remove(task.id());
      if (active.isEmpty()) {
        activeOn.remove(task.workerAddress());
      }
    }
  }

  private Task task(long taskId) {
    return findTask(taskId)
        .orElseThrow(() -> new IllegalStateException("there is no task " + taskId));
  }

  private Iteration get(long id) {
    return find(id)
        .orElseThrow(
            () -> StatusException.of(StatusCode.NOT_FOUND, "Iteration id %d not found", id));
  }
}
