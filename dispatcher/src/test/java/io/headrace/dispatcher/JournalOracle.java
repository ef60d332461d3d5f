package io.headrace.dispatcher;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.SplitSet;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SettlementClosed;
import io.headrace.proto.headrace.journal.SplitsTaken;
import io.headrace.proto.headrace.journal.TaskLost;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The oracle of a {@link Simulation}: it follows the disk record by record, holds the durable
 * state, and checks invariants of the dispatcher's decisions.
 */
final class JournalOracle {
  private static final Duration SLACK = Duration.ofSeconds(30);

  private static final Duration LONGEST_TURN = Duration.ofSeconds(3);

  private final Simulation simulation;
  private final Map<Long, SettlementClosed> remainders = new HashMap<>();
  private final DispatcherState state = new DispatcherState();
  private int replays;
  private final Set<String> displacedInBatch = new HashSet<>();
  private final Set<Long> lostInBatch = new HashSet<>();
  private final Set<String> usedIds = new HashSet<>();
  private final Map<String, Long> nextSplits = new HashMap<>();
  private final Map<Long, Task> tasks = new HashMap<>();
  private final Map<Long, Long> taskCreatedNanos = new HashMap<>();
  private final Map<Long, List<Long>> clientHeardNanos = new HashMap<>();
  private final Map<Long, Long> iterationLeftNanos = new HashMap<>();
  private final Set<Long> watchingClients = new HashSet<>();
  private final Set<Long> saidGoodbye = new HashSet<>();
  private final Set<String> leavingWorkers = new HashSet<>();
  private final Set<Long> expelledClients = new HashSet<>();

  /** Clients that were declared lost by decisions that may not have become durable. */
  private final Set<Long> expellingClients = new HashSet<>();

  private final Map<Long, Long> iterationOfClient = new HashMap<>();
  private final Map<Long, Guarantee> guaranteeOfIteration = new HashMap<>();
  private final Set<Long> finishedIterations = new HashSet<>();
  private final Map<Long, Long> endDecidedNanos = new HashMap<>();
  private final Set<Long> collectedIterations = new HashSet<>();
  private final Set<String> finishedRepetitions = new HashSet<>();
  private final Set<Long> takeovers = new HashSet<>();
  private final Set<Long> replacedClients = new HashSet<>();
  private long dispatcherStartNanos;
  private long decidedNanos;
  private int records;

  JournalOracle(Simulation simulation) {
    this.simulation = simulation;
  }

  DispatcherState state() {
    return state;
  }

  int records() {
    return records;
  }

  /** The records that a replay of the disk must be equivalent to. */
  List<JournalRecord> snapshot() {
    return state.snapshot();
  }

  /** The task in its present or last state. */
  Task task(long id) {
    Task task = tasks.get(id);
    simulation.require(task != null, "task %d is spoken of, and not durable", id);
    return task == null ? Task.active(id, 0, "", OptionalLong.empty()) : task;
  }

  boolean wasUsed(String kind, Object id) {
    return usedIds.contains(kind + id);
  }

  boolean isLost(long task) {
    return task(task).isLost();
  }

  /** All tasks that the iteration ever had. */
  List<Task> tasksOf(long iteration) {
    return tasks.values().stream().filter(task -> task.iterationId() == iteration).toList();
  }

  boolean wasFinished(long iteration) {
    return finishedIterations.contains(iteration);
  }

  /** Whether the iteration was abandoned unfinished and collected. */
  boolean wasCollected(long iteration) {
    return collectedIterations.contains(iteration);
  }

  long iterationOf(long client) {
    return iterationOfClient.getOrDefault(client, 0L);
  }

  /** The delivery guarantee of the iteration. */
  Guarantee guaranteeOf(long iteration) {
    return guaranteeOfIteration.getOrDefault(iteration, Guarantee.AT_MOST_ONCE);
  }

  boolean wasExpelled(long client) {
    return expelledClients.contains(client);
  }

  /** Whether a successor has replaced the client. */
  boolean wasReplaced(long client) {
    return replacedClients.contains(client);
  }

  /** Clients that spoke and were not released, and unfinished iterations without clients. */
  List<String> leftovers() {
    List<String> left = new ArrayList<>();
    for (long client : state.iterations().clients()) {
      if (clientHeardNanos.containsKey(client)) {
        left.add("client " + client);
      }
    }
    for (Iteration iteration : state.iterations().unfinished()) {
      if (iteration.numClients() == 0) {
        left.add("iteration " + iteration.id());
      }
    }
    return left;
  }

  // Events outside the dispatcher.

  void dispatcherStarts() {
    simulation.note("the dispatcher starts");
    dispatcherStartNanos = simulation.now();
    watchingClients.clear();
  }

  void heard(long client) {
    clientHeardNanos.computeIfAbsent(client, _ -> new ArrayList<>()).add(simulation.now());
  }

  void watches(long client, boolean watching) {
    simulation.note("client " + client + (watching ? " watches" : " watches no more"));
    heard(client);
    if (watching) {
      watchingClients.add(client);
    } else {
      watchingClients.remove(client);
    }
  }

  void goodbye(long client) {
    saidGoodbye.add(client);
  }

  /** The worker at {@code address} says that it leaves. */
  void leaves(String address) {
    leavingWorkers.add(address);
  }

  // Events of the disk.

  /** The dispatcher begins to write a batch, decided at this moment. */
  void decided(List<byte[]> batch) {
    decidedNanos = simulation.now();
    displacedInBatch.clear();
    lostInBatch.clear();
    batch.forEach(record -> noteEnd(parse(record)));
    takeovers.clear();
    batch.forEach(record -> noteTakeover(parse(record)));
    batch.forEach(record -> judgeDecision(parse(record)));
  }

  /** A reader that resumes from a token replaces others. */
  private void noteTakeover(JournalRecord record) {
    if (record.hasClientAcquired()
        && (record.getClientAcquired().hasTaken()
            || record.getClientAcquired().getReplacedCount() > 0)) {
      takeovers.add(record.getClientAcquired().getReader());
    }
  }

  /**
   * An iteration may be collected before its end is written: the dispatcher is ahead of its disk.
   */
  private void noteEnd(JournalRecord record) {
    if (record.hasTaskFinished()) {
      endDecidedNanos.put(
          task(record.getTaskFinished().getTaskId()).iterationId(), simulation.now());
    } else if (record.hasSettlementClosed()) {
      endDecidedNanos.put(record.getSettlementClosed().getIterationId(), simulation.now());
    } else if (record.hasTaskLost()) {
      noteLoss(record.getTaskLost().getTaskId());
    }
  }

  /** The loss of an iteration's last active task may end it. */
  private void noteLoss(long id) {
    lostInBatch.add(id);
    state
        .iterations()
        .findTask(id)
        .map(Task::iterationId)
        .filter(iteration ->
            tasksOf(iteration).stream()
                .noneMatch(task -> task.isActive() && !lostInBatch.contains(task.id())))
        .ifPresent(iteration -> endDecidedNanos.put(iteration, simulation.now()));
  }

  void written(List<byte[]> batch) {
    for (byte[] record : batch) {
      records++;
      JournalRecord read = parse(record);
      simulation.note(read);
      judge(read);
      apply(read);
      note(read);
    }
    batch.forEach(record -> judgeParts(parse(record)));
  }

  /**
   * Checks, once a batch is complete, that no worker has two tasks of one pass and no shard is with
   * two workers. One worker may have two shards: it finished one, was lost, lost its index to
   * another worker, and returned at the index of a third.
   */
  private void judgeParts(JournalRecord record) {
    if (record.hasTaskCreated()) {
      Task created = task(record.getTaskCreated().getTaskId());
      List<Long> parts =
          tasksOf(created.iterationId()).stream()
              .filter(task -> !task.isLost() && !task.isRemainder())
              .filter(task -> isSamePart(task, created))
              .map(Task::id)
              .sorted()
              .toList();
      simulation.require(
          parts.size() <= 1,
          "tasks %s of iteration %d, the last on %s, are one part",
          parts,
          created.iterationId(),
          created.workerAddress());
    }
  }

  private static boolean isSamePart(Task task, Task other) {
    return other.shard().isPresent()
        ? task.shard().equals(other.shard())
        : task.workerAddress().equals(other.workerAddress());
  }

  /** A replay of the disk: it must yield everything that was written, and nothing else. */
  void replayed(DispatcherState replayed) {
    replays++;
    List<JournalRecord> snapshot = replayed.snapshot();
    simulation.require(
        snapshot.equals(state.snapshot()),
        "a replay gives %s, and what was written gives another state",
        snapshot);
  }

  /** The number of replays. */
  int replays() {
    return replays;
  }

  void compacted(List<byte[]> batch) {
    List<JournalRecord> snapshot = batch.stream().map(JournalOracle::parse).toList();
    simulation.require(
        snapshot.equals(state.snapshot()), "a compaction changes what is durable: %s", snapshot);
    DispatcherState replayed = new DispatcherState();
    snapshot.forEach(replayed::apply);
    simulation.require(
        replayed.snapshot().equals(snapshot),
        "a snapshot of %s replays as %s",
        snapshot,
        replayed.snapshot());
  }

  private void apply(JournalRecord record) {
    try {
      state.apply(record);
    } catch (RuntimeException e) {
      simulation.require(false, "a record can't follow: %s: %s", record, e);
    }
  }

  private void judge(JournalRecord record) {
    switch (record.getChangeCase()) {
      case DATASET_REGISTERED -> use("dataset ", record.getDatasetRegistered().getDatasetId());
      case JOB_CREATED -> use("job ", record.getJobCreated().getJobId());
      case ITERATION_CREATED -> judgeCreation(record.getIterationCreated());
      case CLIENT_ACQUIRED -> use("client ", record.getClientAcquired().getIterationClientId());
      case TASK_CREATED -> judgeCreation(record);
      case TASK_FINISHED -> requireActive(record.getTaskFinished().getTaskId());
      case TASK_LOST -> requireActive(record.getTaskLost().getTaskId());
      case ITERATION_COLLECTED -> requireUnused(record.getIterationCollected().getIterationId());
      case JOB_FORGOTTEN ->
          state
              .iterations()
              .ofJob(record.getJobForgotten().getJobId())
              .forEach(this::requireUnused);
      case SPLITS_TAKEN -> judgeSplits(record.getSplitsTaken());
      case SETTLEMENT_CLOSED -> judgeRemainder(record.getSettlementClosed());
      case SPLITS_LEASED,
          SETTLEMENT_OPENED,
          SETTLEMENT_ANSWERED,
          RECORDS_TAKEN,
          RECORDS_DELIVERED,
          ADMISSION_ANSWERED,
          CLIENT_RELEASED,
          WORKER_REGISTERED,
          WORKER_REMOVED,
          DATASET_FORGOTTEN,
          COMPRESSION_DECIDED,
          SNAPSHOT_STARTED,
          SNAPSHOT_STREAM_ASSIGNED,
          SNAPSHOT_SPLIT_TAKEN,
          SNAPSHOT_STREAM_DONE,
          SNAPSHOT_FAILED,
          IDS_USED,
          CHANGE_NOT_SET -> {}
    }
  }

  private void judgeDecision(JournalRecord record) {
    switch (record.getChangeCase()) {
      case TASK_LOST -> {
        TaskLost lost = record.getTaskLost();
        state
            .iterations()
            .findTask(lost.getTaskId())
            .ifPresent(task -> judgeLoss(task, lost.getReason()));
      }
      case WORKER_REGISTERED -> {
        noteRestart(record.getWorkerRegistered());
        noteDisplacement(record.getWorkerRegistered());
      }
      case CLIENT_RELEASED -> judgeRelease(record.getClientReleased().getIterationClientId());
      case ITERATION_COLLECTED -> judgeCollection(record.getIterationCollected().getIterationId());
      case JOB_FORGOTTEN ->
          state
              .iterations()
              .ofJob(record.getJobForgotten().getJobId())
              .forEach(this::judgeCollection);
      case WORKER_REMOVED -> {
        String address = record.getWorkerRemoved().getWorkerAddress();
        if (!simulation.shares().isOutside(state, address)
            && !displacedInBatch.contains(address)
            && !leavingWorkers.contains(address)) {
          requireUp(Simulation.WORKER_TIMEOUT.dividedBy(2), "a worker is forgotten");
        }
      }
      case DATASET_REGISTERED,
          DATASET_FORGOTTEN,
          COMPRESSION_DECIDED,
          JOB_CREATED,
          ITERATION_CREATED,
          CLIENT_ACQUIRED,
          TASK_CREATED,
          TASK_FINISHED,
          SPLITS_TAKEN,
          SPLITS_LEASED,
          SETTLEMENT_OPENED,
          SETTLEMENT_ANSWERED,
          SETTLEMENT_CLOSED,
          RECORDS_TAKEN,
          RECORDS_DELIVERED,
          ADMISSION_ANSWERED,
          SNAPSHOT_STARTED,
          SNAPSHOT_STREAM_ASSIGNED,
          SNAPSHOT_SPLIT_TAKEN,
          SNAPSHOT_STREAM_DONE,
          SNAPSHOT_FAILED,
          IDS_USED,
          CHANGE_NOT_SET -> {}
    }
  }

  /** Until the dispatcher hears of a new process, it mistakes it for the predecessor. */
  private void noteRestart(WorkerRegistered change) {
    state
        .workers()
        .find(change.getWorkerAddress())
        .filter(worker -> worker.incarnation() != change.getIncarnation())
        .ifPresent(worker -> simulation.network().troubled(worker.address(), worker.address()));
  }

  /** A worker that loses its index may be removed by the same batch. */
  private void noteDisplacement(WorkerRegistered change) {
    if (!simulation.shares().configured().isEmpty() && !change.hasWorkerIndex()) {
      displacedInBatch.add(change.getWorkerAddress());
    }
  }

  private void use(String kind, Object id) {
    simulation.require(usedIds.add(kind + id), "%s%s is used again", kind, id);
  }

  /** A new iteration of a finished repetition must be empty, and any other complete. */
  private void judgeCreation(IterationCreated created) {
    use("iteration ", created.getIterationId());
    String repetition = repetition(created.getJobId(), created.getRepetition());
    if (created.getAgain()) {
      simulation.require(
          finishedRepetitions.remove(repetition), "%s begins again, and was not read", repetition);
    }
    simulation.require(
        created.getFinished() == finishedRepetitions.contains(repetition),
        "%s begins %s",
        repetition,
        created.getFinished() ? "at its end" : "again");
  }

  private static String repetition(long jobId, long repetition) {
    return "repetition " + repetition + " of job " + jobId;
  }

  private void judgeCreation(JournalRecord record) {
    long iteration = record.getTaskCreated().getIterationId();
    use("task ", record.getTaskCreated().getTaskId());
    simulation.require(
        !wasFinished(iteration), "iteration %d was finished and gets a task", iteration);
  }

  /** A remainder may be given up only if all workers that are left are stock ones. */
  private void judgeRemainder(SettlementClosed closed) {
    if (!closed.getGivenUp()) {
      remainders.put(closed.getSettlementId(), closed);
      return;
    }
    SettlementClosed given =
        Objects.requireNonNull(remainders.get(closed.getSettlementId()), "no remainder");
    SplitSet.of(given.getRemainderList())
        .bySource()
        .forEach((source, splits) ->
            splits.forEachRange((from, to) -> {
              for (long split = from; split < to; split++) {
                simulation.judge().takenByStock(closed.getIterationId(), source, split);
              }
            }));
  }

  /** Checks that splits are handed out in order, each once per repetition. */
  private void judgeSplits(SplitsTaken taken) {
    String source =
        "source %d of iteration %d in repetition %d"
            .formatted(
                taken.getSplitProviderIndex(), taken.getIterationId(), taken.getRepetition());
    boolean again =
        state.iterations().findTask(taken.getTaskId()).filter(Task::isRemainder).isPresent();
    if (again) {
      return;
    }
    long next = firstFree(taken, nextSplits.getOrDefault(source, 0L));
    simulation.require(
        taken.getNumSplits() == 0 || taken.getFirstSplit() == next,
        "split %d of %s is handed out, and %d is the next",
        taken.getFirstSplit(),
        source,
        next);
    nextSplits.put(source, taken.getFirstSplit() + taken.getNumSplits());
    if (taken.getTaskId() == 0 && taken.getNumSplits() > 0) {
      state
          .iterations()
          .find(taken.getIterationId())
          .map(of -> of.sources().number(taken.getRepetition(), taken.getSplitProviderIndex()))
          .ifPresent(number ->
              simulation
                  .judge()
                  .takenByStock(taken.getIterationId(), number, taken.getFirstSplit()));
    }
  }

  /** The first split from {@code from} on that no token has. */
  private long firstFree(SplitsTaken taken, long from) {
    return state
        .iterations()
        .find(taken.getIterationId())
        .flatMap(Iteration::accounts)
        .map(accounts ->
            accounts
                .nextFree(
                    accounts.sources().number(taken.getRepetition(), taken.getSplitProviderIndex()),
                    from)
                .from())
        .orElse(from);
  }

  private void requireActive(long id) {
    simulation.require(task(id).isActive(), "task %d ends again, it was %s", id, task(id).status());
  }

  private void judgeLoss(Task task, LossReason reason) {
    switch (reason) {
      case WORKER_LEFT -> judgeLeaving(task);
      case RECORDS_RESUMED ->
          simulation.require(
              !takeovers.isEmpty() && mayRemake(task),
              "task %d ends for a reader that resumes, and makes nothing again",
              task.id());
      case READER_GONE ->
          simulation.require(
              state.iterations().of(task).accounts().isPresent(),
              "task %d ends as its reader went away, and nobody makes the rest",
              task.id());
      case WORKER_LOST, UNRECOGNIZED -> judgeWorkerLoss(task);
    }
  }

  private void judgeLeaving(Task task) {
    simulation.require(
        leavingWorkers.contains(task.workerAddress()),
        "task %d ends as if %s had left",
        task.id(),
        task.workerAddress());
  }

  private void judgeWorkerLoss(Task task) {
    long trouble = simulation.network().lastTroubleNanos(task.workerAddress());
    long since = taskCreatedNanos.getOrDefault(task.id(), 0L) - SLACK.toNanos();
    boolean reachable =
        simulation
                .network()
                .reach(Simulation.DISPATCHER, task.workerAddress(), SimulatedWorker.class)
            != null;
    simulation.require(
        !reachable || trouble >= since || since < dispatcherStartNanos,
        "task %d is lost although nothing ailed its worker %s",
        task.id(),
        task.workerAddress());
  }

  private boolean mayRemake(Task task) {
    return task.isRemainder()
        || state.iterations().of(task).accounts().filter(SplitAccounts::isReread).isPresent();
  }

  private void judgeRelease(long client) {
    if (saidGoodbye.contains(client)) {
      return;
    }
    if (simulation.judge().isOneOf(client, takeovers)) {
      replacedClients.add(client);
      return;
    }
    expellingClients.add(client);
    simulation.require(
        !watchingClients.contains(client), "client %d watches, and is released", client);
    boolean exactly = guaranteeOf(iterationOf(client)) == Guarantee.EXACTLY_ONCE;
    Duration timeout = Simulation.CLIENT_TIMEOUT.multipliedBy(exactly ? 2 : 1);
    requireUp(timeout, "client " + client + " is released");
    // A message that came within one turn before the decision may be queued behind it.
    long turn = decidedNanos - LONGEST_TURN.toNanos();
    long heard =
        clientHeardNanos.getOrDefault(client, List.of()).stream()
            .filter(at -> at <= turn)
            .reduce(0L, (_, last) -> last);
    simulation.require(
        decidedNanos - heard >= timeout.toNanos(),
        "client %d was heard of a moment ago, and is released",
        client);
  }

  private void judgeCollection(long id) {
    long ended = endDecidedNanos.getOrDefault(id, -SLACK.toNanos());
    if (simulation.now() - ended < SLACK.toNanos()
        || state.iterations().find(id).filter(Iteration::isFinished).isPresent()) {
      return;
    }
    requireUp(Simulation.GC_TIMEOUT, "iteration " + id + " is collected");
    simulation.require(
        simulation.now() - iterationLeftNanos.getOrDefault(id, 0L)
            >= Simulation.GC_TIMEOUT.toNanos(),
        "iteration %d was left a moment ago, and is collected",
        id);
  }

  private void requireUnused(long id) {
    boolean used = state.iterations().find(id).filter(it -> it.numClients() > 0).isPresent();
    simulation.require(!used, "iteration %d has clients, and is collected", id);
  }

  void requireUp(Duration atLeast, String what) {
    simulation.require(
        simulation.now() - dispatcherStartNanos >= atLeast.toNanos(),
        "%s a moment after the dispatcher started",
        what);
  }

  private void note(JournalRecord record) {
    switch (record.getChangeCase()) {
      case TASK_CREATED -> {
        long id = record.getTaskCreated().getTaskId();
        taskCreatedNanos.put(id, simulation.now());
        refresh(id);
      }
      case TASK_FINISHED -> refresh(record.getTaskFinished().getTaskId());
      case TASK_LOST -> refresh(record.getTaskLost().getTaskId());
      case CLIENT_ACQUIRED ->
          iterationOfClient.put(
              record.getClientAcquired().getIterationClientId(),
              record.getClientAcquired().getIterationId());
      case CLIENT_RELEASED -> {
        long client = record.getClientReleased().getIterationClientId();
        iterationLeftNanos.put(record.getClientReleased().getIterationId(), simulation.now());
        if (expellingClients.remove(client)) {
          expelledClients.add(client);
        }
      }
      case ITERATION_CREATED -> {
        IterationCreated created = record.getIterationCreated();
        guaranteeOfIteration.put(
            created.getIterationId(), state.jobs().get(created.getJobId()).guarantee());
        noteIfFinished(created.getIterationId());
        if (created.getAnnounced()) {
          simulation.judge().isAnnounced(created.getIterationId());
        }
      }
      case ITERATION_COLLECTED -> {
        long collected = record.getIterationCollected().getIterationId();
        if (!wasFinished(collected)) {
          collectedIterations.add(collected);
        }
      }
      case SETTLEMENT_CLOSED -> noteIfFinished(record.getSettlementClosed().getIterationId());
      case DATASET_REGISTERED,
          DATASET_FORGOTTEN,
          COMPRESSION_DECIDED,
          WORKER_REGISTERED,
          WORKER_REMOVED,
          JOB_CREATED,
          JOB_FORGOTTEN,
          SPLITS_TAKEN,
          SPLITS_LEASED,
          SETTLEMENT_OPENED,
          SETTLEMENT_ANSWERED,
          RECORDS_TAKEN,
          RECORDS_DELIVERED,
          ADMISSION_ANSWERED,
          SNAPSHOT_STARTED,
          SNAPSHOT_STREAM_ASSIGNED,
          SNAPSHOT_SPLIT_TAKEN,
          SNAPSHOT_STREAM_DONE,
          SNAPSHOT_FAILED,
          IDS_USED,
          CHANGE_NOT_SET -> {}
    }
  }

  private void refresh(long id) {
    Task task = state.iterations().findTask(id).orElseThrow();
    tasks.put(id, task);
    if (state.iterations().of(task).isFinished()) {
      noteIfFinished(task.iterationId());
      List<Long> running =
          new ArrayList<>(tasksOf(task.iterationId()))
              .stream().filter(Task::isActive).map(Task::id).toList();
      simulation.require(
          running.isEmpty(),
          "iteration %d is finished, and its tasks %s run",
          task.iterationId(),
          running);
    }
  }

  private void noteIfFinished(long iteration) {
    state
        .iterations()
        .find(iteration)
        .filter(Iteration::isFinished)
        .ifPresent(finished -> {
          finishedIterations.add(iteration);
          finishedRepetitions.add(repetition(finished.job().id(), finished.repetition()));
        });
  }

  static JournalRecord parse(byte[] record) {
    try {
      return JournalRecord.parseFrom(record);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
