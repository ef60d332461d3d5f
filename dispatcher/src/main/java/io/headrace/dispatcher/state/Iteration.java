package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.journal.AdmissionAnswered;
import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.FinishedPass;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.RecordsTaken;
import io.headrace.proto.headrace.journal.SplitsLeased;
import io.headrace.proto.headrace.journal.SplitsTaken;
import io.headrace.proto.headrace.journal.TaskCreated;
import io.headrace.runtime.origin.RecordSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a job's dataset: its tasks, clients, readers and split progress. Mutated by {@link
 * Iterations} only.
 *
 * <p>Without guarantees, an iteration is finished when no task is active and at least one has
 * finished: losses alone never finish it. With static sharding it is finished when each shard has
 * been read to its end. An iteration that is read exactly or at least once also needs every
 * settlement closed and every remainder made.
 */
public final class Iteration {
  private final Job job;
  private final IterationCreated creation;
  private final Map<Long, Task> tasks = new LinkedHashMap<>();
  private final Map<String, Task> byAddress = new HashMap<>();
  private final Map<Long, Task> byShard = new HashMap<>();
  private final Set<Long> clients = new LinkedHashSet<>();
  private int numActive;
  private int numFinished;
  private int numPartsFinished;
  private final Admissions admissions = new Admissions();
  private final IterationSources sources;
  private SplitProgress splits;
  private @Nullable Readers readers;
  private @Nullable SplitAccounts accounts;
  private boolean finished;

  Iteration(IterationCreated creation, Job job) {
    this.job = job;
    this.creation =
        creation.toBuilder()
            .clearSplitSources()
            .clearTaken()
            .clearUnaccounted()
            .clearReaders()
            .clearAgain()
            .clearAwaitedReaders()
            .clearArrivedReaders()
            .build();
    finished = creation.getFinished();
    sources = new IterationSources(creation.getSplitSourcesList());
    splits = new SplitProgress(finished ? List.of() : sources.list());
    if (remakes() && !(finished && creation.getReadersCount() == 0)) {
      readers =
          new Readers(
              RecordSet.of(creation.getTaken()),
              creation.getReadersList(),
              creation.getAwaitedReaders(),
              creation.getArrivedReadersList());
    }
    if (readers != null && !finished) {
      accounts =
          new SplitAccounts(
              sources,
              !job.isExactlyOnce(),
              creation.getAgain(),
              readers,
              creation.getUnaccounted());
    }
  }

  public long id() {
    return creation.getIterationId();
  }

  /** Whether workers announce records before they deliver them. */
  public boolean isAnnounced() {
    return creation.getAnnounced();
  }

  /** Whether a lost task's work is made again, all of it or what was not announced. */
  public boolean remakes() {
    return job.remakes() || isAnnounced();
  }

  public Job job() {
    return job;
  }

  public long repetition() {
    return creation.getRepetition();
  }

  /** The number of shards with static sharding, otherwise 0. */
  public long numShards() {
    return creation.getNumShards();
  }

  /** Without sharding, the reason why the row order is unknown; empty if the order is known. */
  public String orderObstacle() {
    return creation.getOrderObstacle();
  }

  /** A hash of the token from which the iteration started, 0 without a token. */
  public long tokenHash() {
    return creation.getTokenHash();
  }

  /** A fingerprint of its sources, 0 for none. */
  public long sourcesFingerprint() {
    return creation.getSourcesFingerprint();
  }

  /** An outline of what the fingerprint covers. */
  public DatasetOutline outline() {
    return creation.getOutline();
  }

  /** With coordinated reads, the tasks that joined after the begin. */
  public Admissions admissions() {
    return admissions;
  }

  public int numClients() {
    return clients.size();
  }

  public Set<Long> clients() {
    return Collections.unmodifiableSet(clients);
  }

  /** The split progress; without sources unless the iteration has dynamic sharding. */
  public SplitProgress splits() {
    return splits;
  }

  /** The sources, by which records of the iteration are numbered. */
  public IterationSources sources() {
    return sources;
  }

  /**
   * The readers, if lost work is made again. After the iteration is finished, present only if other
   * readers could join it.
   */
  public Optional<Readers> readers() {
    return Optional.ofNullable(readers);
  }

  /**
   * The readers' records that the job keeps once the iteration is finished; empty if no reader can
   * return to it.
   */
  public Optional<FinishedPass> finishedPass() {
    return finished && readers != null
        ? Optional.of(
            FinishedPass.newBuilder()
                .setRepetition(repetition())
                .setSourcesFingerprint(sourcesFingerprint())
                .addAllReaders(readers.toProto())
                .build())
        : Optional.empty();
  }

  /** The delivery accounts, while lost work is made again and the iteration is unfinished. */
  public Optional<SplitAccounts> accounts() {
    return Optional.ofNullable(accounts);
  }

  /**
   * The most splits that can be missing when an active task is lost; empty if it took some and they
   * are made again, or the iteration has no splits.
   */
  public OptionalLong splitsLostWith(long taskId) {
    if (accounts != null && accounts.tookNone(taskId)) {
      return OptionalLong.of(0);
    }
    boolean counts = accounts == null || (isAnnounced() && !accounts.announces(taskId));
    return counts && !splits.sources().isEmpty()
        ? OptionalLong.of(splits.lostWith(taskId))
        : OptionalLong.empty();
  }

  /**
   * With announced deliveries, the most rows that can be missing when an active task is lost; empty
   * if the task does not announce.
   */
  public OptionalLong rowsLostWith(long taskId) {
    return accounts != null && accounts.announces(taskId)
        ? OptionalLong.of(accounts.announcedBy(taskId).outstanding())
        : OptionalLong.empty();
  }

  public boolean isFinished() {
    return finished;
  }

  public Collection<Task> tasks() {
    return Collections.unmodifiableCollection(tasks.values());
  }

  /** The task that {@code address} runs or has finished; lost tasks and remainders don't count. */
  public Optional<Task> taskOn(String address) {
    return Optional.ofNullable(byAddress.get(address));
  }

  /** The task that runs a shard or has finished it. */
  public Optional<Task> taskOfShard(long shard) {
    return Optional.ofNullable(byShard.get(shard));
  }

  public int numActive() {
    return numActive;
  }

  public int numFinished() {
    return numFinished;
  }

  /**
   * Whether a new worker would find no split: when read exactly once, a task that finished means
   * that all splits have been handed out.
   */
  public boolean isHandedOut() {
    return accounts != null && job.isExactlyOnce() && numPartsFinished > 0;
  }

  /** Whether a settlement or remainder can be advanced without waiting for a client. */
  boolean isPending() {
    return accounts != null && (accounts.isPending() || needsLastSettlement());
  }

  /**
   * Whether the settlement of all splits is due, which finds the records that departed clients
   * received and never took.
   */
  public boolean needsLastSettlement() {
    return accounts != null
        && !isAwaiting()
        && accounts.needsFinalSettlement()
        && accounts.isSettled()
        && numActive == 0
        && numPartsFinished > 0;
  }

  /** Whether splits are held back until all readers that resume together have joined. */
  public boolean isAwaiting() {
    return readers != null && readers.areAwaited();
  }

  Task task(long taskId) {
    Task task = tasks.get(taskId);
    if (task == null) {
      throw new IllegalStateException("iteration " + id() + " has no task " + taskId);
    }
    return task;
  }

  void create(TaskCreated change) {
    admissions.create(change);
    put(Task.of(change));
  }

  void answer(AdmissionAnswered change) {
    admissions.answer(change, job);
  }

  void put(Task task) {
    @Nullable Task before = tasks.put(task.id(), task);
    numActive += (task.isActive() ? 1 : 0) - (before != null && before.isActive() ? 1 : 0);
    int ended = (task.isFinished() ? 1 : 0) - (before != null && before.isFinished() ? 1 : 0);
    numFinished += ended;
    if (task.isRemainder()) {
      assignRemainder(task);
    } else {
      numPartsFinished += ended;
      index(byAddress, task.workerAddress(), task);
    }
    task.shard().ifPresent(shard -> index(byShard, shard, task));
    if (!task.isActive()) {
      end(task);
    }
    finishIfDone();
  }

  private void assignRemainder(Task task) {
    if (accounts != null && task.isActive()) {
      accounts.assignRemainder(task.settlement().orElseThrow(), task.id());
    }
  }

  private void end(Task task) {
    boolean announces = accounts != null && accounts.announces(task.id());
    splits.forgetTask(task.id(), task.isLost() && !announces);
    admissions.end(task.id());
    if (accounts != null && task.isFinished()) {
      accounts.finish(task.id());
    } else if (accounts != null) {
      accounts.lose(task.id());
    }
  }

  /** Marks the iteration finished if its condition holds. */
  void finishIfDone() {
    if (numShards() > 0) {
      finished |= numFinished == numShards();
    } else if (accounts == null) {
      finished |= numActive == 0 && numFinished > 0;
    } else {
      finished |=
          numActive == 0
              && numPartsFinished > 0
              && !isAwaiting()
              && accounts.isSettled()
              && !accounts.needsFinalSettlement();
    }
    if (finished) {
      splits = new SplitProgress(List.of());
      accounts = null;
      if (!job.isShareable()) {
        readers = null;
      }
    }
  }

  private static <K> void index(Map<K, Task> index, K key, Task task) {
    @Nullable Task before = index.get(key);
    if (!task.isLost()) {
      index.put(key, task);
    } else if (before != null && before.id() == task.id()) {
      index.remove(key);
    }
  }

  void take(SplitsTaken change) {
    if (tasks.containsKey(change.getTaskId()) && task(change.getTaskId()).isRemainder()) {
      splits.remember(change);
      return;
    }
    splits.take(change);
    if (accounts != null) {
      accounts.lease(change);
    }
    // Stock workers take part where deliveries are announced; what they take is counted, too.
    if (accounts == null || (isAnnounced() && change.getTaskId() == 0)) {
      splits.count(change);
    }
  }

  /** Restores a task's lease, or its split count, from a snapshot. */
  void lease(SplitsLeased change) {
    if (accounts == null || (isAnnounced() && change.getTaskId() == 0)) {
      splits.setCount(change.getTaskId(), change.getNumSplits());
    } else {
      accounts.lease(change);
    }
  }

  void addClient(ClientAcquired change) {
    clients.add(change.getIterationClientId());
    if (accounts != null && change.hasTaken() && readers != null && readers.areNone()) {
      accounts.beginWithToken();
    }
    boolean takesOver = readers != null && readers.join(change);
    if (accounts != null && takesOver) {
      accounts.takeOver(!splits.handedOut().isEmpty());
    }
    if (accounts != null && change.getJoinsOthers()) {
      accounts.share();
    }
  }

  void take(RecordsTaken change) {
    if (readers == null) {
      throw new IllegalStateException("iteration " + id() + " does not keep the records taken");
    }
    readers.take(change.getIterationClientId(), RecordSet.of(change.getTaken()));
  }

  void removeClient(long client) {
    clients.remove(client);
    admissions.leave(client);
    if (readers != null) {
      readers.leave(client);
    }
    if (accounts != null) {
      accounts.leave(client, job.isShareable());
    }
  }

  void snapshot(List<JournalRecord> records) {
    IterationCreated.Builder now =
        creation.toBuilder()
            .setFinished(finished)
            .addAllSplitSources(readers == null ? splits.sources() : sources.list());
    if (readers != null) {
      now.setTaken(readers.takenBefore().toProto())
          .addAllReaders(readers.toProto())
          .setAwaitedReaders(readers.awaited())
          .addAllArrivedReaders(readers.arrived());
    }
    if (accounts != null) {
      now.setUnaccounted(accounts.needsFinalSettlement()).setAgain(accounts.isReread());
    }
    records.add(JournalRecords.of(now.build()));
    if (accounts != null) {
      accounts.snapshot(id(), records);
    }
    // Create all tasks before any ends: the first end would finish the iteration.
    for (Task task : tasks.values()) {
      TaskCreated.Builder change = JournalRecords.creationOf(task);
      admissions.describe(task.id(), change);
      records.add(JournalRecords.of(change.build()));
    }
    splits.snapshot(id(), records);
    if (accounts != null) {
      accounts.snapshotLeases(id(), records);
    }
    tasks.values().forEach(task -> addEnd(task, records));
    if (accounts == null || isAnnounced()) {
      splits.snapshotCounts(id(), records);
    }
  }

  private static void addEnd(Task task, List<JournalRecord> records) {
    switch (task.status()) {
      case ACTIVE -> {}
      case FINISHED -> records.add(JournalRecords.taskFinished(task.id()));
      case LOST -> records.add(JournalRecords.taskLost(task));
    }
  }
}
