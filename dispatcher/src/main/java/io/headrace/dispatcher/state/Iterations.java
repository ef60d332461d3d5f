package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.AdmissionAnswered;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.IdsUsed;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.RecordsDelivered;
import io.headrace.proto.headrace.journal.RecordsTaken;
import io.headrace.proto.headrace.journal.SettlementAnswered;
import io.headrace.proto.headrace.journal.SettlementClosed;
import io.headrace.proto.headrace.journal.SettlementOpened;
import io.headrace.proto.headrace.journal.SplitsLeased;
import io.headrace.proto.headrace.journal.SplitsTaken;
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
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The iterations with their tasks and clients, one of the tables of {@link DispatcherState}. */
public final class Iterations {
  /*
   * Every task and client in an index belongs to an iteration in `byId`. The indexes make the cost
   * of a heartbeat proportional to pending work, not to history: `activeOn` has only a worker's
   * active tasks, `unfinished` the iterations that new workers join, `pending` the iterations with
   * a settlement or remainder to advance, and `left` the finished iterations without clients.
   */

  private static final long FIRST_ID = 2000;
  public static final long FIRST_CLIENT_ID = 3000;
  public static final long FIRST_TASK_ID = 4000;

  private static final SequencedSet<Long> NO_IDS =
      Collections.unmodifiableSequencedSet(new LinkedHashSet<>());

  private final Map<Long, Iteration> byId = new LinkedHashMap<>();
  private final Map<Key, Iteration> byKey = new LinkedHashMap<>();
  private final Map<Long, SequencedSet<Long>> byJob = new LinkedHashMap<>();
  private final Map<Long, Iteration> unfinished = new LinkedHashMap<>();
  private final Map<Long, Iteration> pending = new LinkedHashMap<>();
  private final Set<Long> left = new LinkedHashSet<>();
  private final Map<Long, Iteration> byClient = new LinkedHashMap<>();
  private final Map<Long, Iteration> byTask = new LinkedHashMap<>();
  private final Map<String, Set<Long>> activeOn = new LinkedHashMap<>();
  private final RemainderTasks remainders = new RemainderTasks();
  private long nextId = FIRST_ID;
  private long nextClientId = FIRST_CLIENT_ID;
  private long nextTaskId = FIRST_TASK_ID;

  private record Key(long jobId, long repetition) {}

  public Optional<Iteration> find(long id) {
    return Optional.ofNullable(byId.get(id));
  }

  public Optional<Iteration> find(Job job, long repetition) {
    return Optional.ofNullable(byKey.get(new Key(job.id(), repetition)));
  }

  public Optional<Iteration> ofClient(long clientId) {
    return Optional.ofNullable(byClient.get(clientId));
  }

  public Optional<Task> findTask(long taskId) {
    return Optional.ofNullable(byTask.get(taskId)).map(iteration -> iteration.task(taskId));
  }

  /** The iteration of {@code task}. */
  public Iteration of(Task task) {
    return get(task.iterationId());
  }

  public Collection<Iteration> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  public Collection<Iteration> unfinished() {
    return Collections.unmodifiableCollection(unfinished.values());
  }

  public Set<Long> clients() {
    return Collections.unmodifiableSet(byClient.keySet());
  }

  /** The ids of a job's iterations. */
  public Set<Long> ofJob(long jobId) {
    return Collections.unmodifiableSet(byJob.getOrDefault(jobId, NO_IDS));
  }

  /** At most {@code most} of a job's iterations, the latest first. */
  public List<Iteration> latestOf(long jobId, int most) {
    return byJob.getOrDefault(jobId, NO_IDS).reversed().stream()
        .limit(most)
        .map(this::get)
        .toList();
  }

  /** The number of active tasks of the worker at {@code address}. */
  public int numActiveOn(String address) {
    return activeOn.getOrDefault(address, Set.of()).size();
  }

  /** The active tasks of the worker at {@code address}. */
  public List<Task> activeOn(String address) {
    return activeOn.getOrDefault(address, Set.of()).stream()
        .flatMap(id -> findTask(id).stream())
        .toList();
  }

  /** The ids of all active tasks. */
  public Set<Long> activeTasks() {
    return activeOn.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
  }

  public RemainderTasks remainders() {
    return remainders;
  }

  public int size() {
    return byId.size();
  }

  public int numTasks() {
    return byTask.size();
  }

  public long nextId() {
    return nextId;
  }

  public long nextClientId() {
    return nextClientId;
  }

  public long nextTaskId() {
    return nextTaskId;
  }

  void create(IterationCreated change, Job job) {
    Iteration iteration = new Iteration(change, job);
    byId.put(iteration.id(), iteration);
    byKey.put(new Key(job.id(), iteration.repetition()), iteration);
    byJob.computeIfAbsent(job.id(), _ -> new LinkedHashSet<>()).add(iteration.id());
    if (!iteration.isFinished()) {
      unfinished.put(iteration.id(), iteration);
    }
    changed(iteration);
    nextId = Math.max(nextId, iteration.id() + 1);
  }

  /** Removes the iteration and returns it. */
  Iteration collect(long id) {
    Iteration iteration = get(id);
    remove(iteration);
    return iteration;
  }

  void forgetJob(long jobId) {
    List.copyOf(ofJob(jobId)).forEach(this::collect);
  }

  void acquireClient(ClientAcquired change) {
    Iteration iteration = get(change.getIterationId());
    byClient.put(change.getIterationClientId(), iteration);
    iteration.addClient(change);
    changed(iteration);
    nextClientId = Math.max(nextClientId, change.getIterationClientId() + 1);
  }

  void releaseClient(long clientId) {
    @Nullable Iteration iteration = byClient.remove(clientId);
    if (iteration == null) {
      throw new IllegalStateException("there is no iteration client " + clientId);
    }
    iteration.removeClient(clientId);
    changed(iteration);
  }

  void createTask(TaskCreated change) {
    Iteration iteration = get(change.getIterationId());
    iteration.create(change);
    Task task = iteration.task(change.getTaskId());
    byTask.put(task.id(), iteration);
    activeOn.computeIfAbsent(task.workerAddress(), _ -> new LinkedHashSet<>()).add(task.id());
    if (task.isRemainder()) {
      remainders.started(task.workerAddress());
    }
    useTaskId(task.id());
    changed(iteration);
  }

  private void useTaskId(long id) {
    nextTaskId = Math.max(nextTaskId, id + 1);
  }

  void finishTask(long taskId) {
    end(task(taskId).finished());
  }

  void loseTask(TaskLost change) {
    Task task = task(change.getTaskId());
    OptionalLong position =
        change.hasPosition() ? OptionalLong.of(change.getPosition()) : OptionalLong.empty();
    if (change.hasNumSplits() || change.hasNumRows()) {
      end(
          task.lost(
              position,
              change.hasNumSplits() ? OptionalLong.of(change.getNumSplits()) : OptionalLong.empty(),
              change.hasNumRows() ? OptionalLong.of(change.getNumRows()) : OptionalLong.empty(),
              change.getReason()));
      return;
    }
    end(
        task.lost(
            position,
            of(task).splitsLostWith(task.id()),
            of(task).rowsLostWith(task.id()),
            change.getReason()));
  }

  void answerAdmission(AdmissionAnswered change) {
    Task task = task(change.getTaskId());
    get(task.iterationId()).answer(change);
  }

  void takeSplits(SplitsTaken change) {
    get(change.getIterationId()).take(change);
  }

  void leaseSplits(SplitsLeased change) {
    get(change.getIterationId()).lease(change);
  }

  void openSettlement(SettlementOpened change) {
    accounts(change.getIterationId()).open(change);
    useTaskId(change.getSettlementId());
    changed(get(change.getIterationId()));
  }

  void answerSettlement(SettlementAnswered change) {
    accounts(change.getIterationId()).answer(change);
    changed(get(change.getIterationId()));
  }

  void closeSettlement(SettlementClosed change) {
    accounts(change.getIterationId()).close(change);
    changed(get(change.getIterationId()));
  }

  void takeRecords(RecordsTaken change) {
    get(change.getIterationId()).take(change);
  }

  void deliverRecords(RecordsDelivered change) {
    accounts(change.getIterationId()).deliver(change);
  }

  private SplitAccounts accounts(long iterationId) {
    return get(iterationId)
        .accounts()
        .orElseThrow(() ->
            new IllegalStateException(
                "iteration " + iterationId + " is finished, or its lost work is not made again"));
  }

  /**
   * The iterations with a settlement or remainder that can be advanced without waiting for a
   * client.
   */
  public Collection<Iteration> pending() {
    return Collections.unmodifiableCollection(pending.values());
  }

  private void changed(Iteration iteration) {
    iteration.finishIfDone();
    if (iteration.isFinished()) {
      unfinished.remove(iteration.id());
    }
    if (iteration.isPending()) {
      pending.put(iteration.id(), iteration);
    } else {
      pending.remove(iteration.id());
    }
    if (iteration.isFinished() && iteration.numClients() == 0) {
      left.add(iteration.id());
    } else {
      left.remove(iteration.id());
    }
  }

  /** The ids of the finished iterations without clients. */
  public Set<Long> finishedWithoutClients() {
    return Collections.unmodifiableSet(left);
  }

  void useIdsTo(IdsUsed ids) {
    nextId = Math.max(nextId, ids.getNextIterationId());
    nextClientId = Math.max(nextClientId, ids.getNextIterationClientId());
    nextTaskId = Math.max(nextTaskId, ids.getNextTaskId());
  }

  void snapshot(List<JournalRecord> records) {
    for (Iteration iteration : byId.values()) {
      iteration.snapshot(records);
    }
    byClient.forEach((client, iteration) ->
        records.add(
            iteration
                .readers()
                .map(of ->
                    JournalRecords.clientAcquired(
                        client, iteration.id(), of.of(client), of.joinIdOf(client)))
                .orElseGet(() -> JournalRecords.clientAcquired(client, iteration.id()))));
  }

  private void end(Task task) {
    Iteration iteration = get(task.iterationId());
    iteration.put(task);
    removeActive(task);
    changed(iteration);
  }

  private void remove(Iteration iteration) {
    for (Task task : iteration.tasks()) {
      byTask.remove(task.id());
      removeActive(task);
    }
    byId.remove(iteration.id());
    byKey.remove(new Key(iteration.job().id(), iteration.repetition()));
    unfinished.remove(iteration.id());
    pending.remove(iteration.id());
    left.remove(iteration.id());
    if (iteration.numClients() > 0) {
      byClient.values().removeIf(other -> other == iteration);
    }
    Set<Long> ofJob = byJob.getOrDefault(iteration.job().id(), NO_IDS);
    ofJob.remove(iteration.id());
    if (ofJob.isEmpty()) {
      byJob.remove(iteration.job().id());
    }
  }

  private void removeActive(Task task) {
    @Nullable Set<Long> active = activeOn.get(task.workerAddress());
    if (active != null) {
      if (active.remove(task.id()) && task.isRemainder()) {
        remainders.ended(task.workerAddress());
      }
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
