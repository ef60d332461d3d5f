package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.ClientAcquired;
import io.headrace.proto.headrace.journal.FinishedPass;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.RecordsTaken;
import io.headrace.proto.headrace.journal.SplitsLeased;
import io.headrace.proto.headrace.journal.SplitsTaken;
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
 * One pass over a job's dataset. Changed by {@link Iterations} only; others read it.
 *
 * <p>It is finished when every task is at its end, one of them by itself: losses alone never finish
 * an iteration. With static sharding it is finished when each share has been read to its end. One
 * whose lost work is made again is finished when, besides, nothing is to be made again, or may be.
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
  private final Sources sources;
  private SplitProgress splits;
  private @Nullable Readers readers;
  private @Nullable Accounts accounts;
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
    sources = new Sources(creation.getSplitSourcesList());
    splits = new SplitProgress(finished ? List.of() : sources.list());
    if (job.remakes() && !(finished && creation.getReadersCount() == 0)) {
      readers =
          new Readers(
              RecordSet.of(creation.getTaken()),
              creation.getReadersList(),
              creation.getAwaitedReaders(),
              creation.getArrivedReadersList());
    }
    if (readers != null && !finished) {
      accounts =
          new Accounts(
              sources,
              job.isAtLeastOnce(),
              creation.getAgain(),
              readers,
              creation.getUnaccounted());
    }
  }

  public long id() {
    return creation.getIterationId();
  }

  public Job job() {
    return job;
  }

  public long repetition() {
    return creation.getRepetition();
  }

  /** With static sharding the number of shares, otherwise 0. */
  public long numShards() {
    return creation.getNumShards();
  }

  /** Without sharding, why the order of its rows is not known; empty if it is. */
  public String orderObstacle() {
    return creation.getOrderObstacle();
  }

  /** A hash of the records that count as taken since it began, 0 for none. */
  public long tokenHash() {
    return creation.getTokenHash();
  }

  /** A hash of its sources, 0 for none. */
  public long sourcesFingerprint() {
    return creation.getSourcesFingerprint();
  }

  public int numClients() {
    return clients.size();
  }

  public Set<Long> clients() {
    return Collections.unmodifiableSet(clients);
  }

  /** What was handed out of its sources; without sources unless it has dynamic sharding. */
  public SplitProgress splits() {
    return splits;
  }

  /** Its sources, as long as something is to be said of their records. */
  public Sources sources() {
    return sources;
  }

  /**
   * Who reads it, where lost work is made again; when it is finished, only if others could join.
   */
  public Optional<Readers> readers() {
    return Optional.ofNullable(readers);
  }

  /** What its job remembers of it once it is finished; empty if nobody can ask. */
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

  /** What is kept of it if lost work is made again, and it is not finished. */
  public Optional<Accounts> accounts() {
    return Optional.ofNullable(accounts);
  }

  /**
   * How many splits at most are missing if an active task is lost; empty if lost work is made
   * again, and where there are no splits.
   */
  public OptionalLong splitsLostWith(long taskId) {
    return accounts == null && !splits.sources().isEmpty()
        ? OptionalLong.of(splits.lostWith(taskId))
        : OptionalLong.empty();
  }

  public boolean isFinished() {
    return finished;
  }

  public Collection<Task> tasks() {
    return Collections.unmodifiableCollection(tasks.values());
  }

  /** The part that {@code address} works on or has done, loss and remainders aside. */
  public Optional<Task> taskOn(String address) {
    return Optional.ofNullable(byAddress.get(address));
  }

  /** The task that has a share, or has read it to its end. */
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
   * Whether nothing is left that a new worker could take part in: of what is read exactly once, a
   * part has come to its end, so every split was handed out.
   */
  public boolean isHandedOut() {
    return accounts != null && job.isExactlyOnce() && numPartsFinished > 0;
  }

  /** Whether something is to be done about it that waits for no client. */
  boolean isPending() {
    return accounts != null && (accounts.isPending() || needsLastSettlement());
  }

  /** Whether what clients that left had not taken is to be found out now. */
  public boolean needsLastSettlement() {
    return accounts != null
        && !isAwaiting()
        && accounts.isUnaccounted()
        && accounts.isSettled()
        && numActive == 0
        && numPartsFinished > 0;
  }

  /** Whether readers are to come before anything is handed out. */
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

  void put(Task task) {
    @Nullable Task before = tasks.put(task.id(), task);
    numActive += (task.isActive() ? 1 : 0) - (before != null && before.isActive() ? 1 : 0);
    int ended = (task.isFinished() ? 1 : 0) - (before != null && before.isFinished() ? 1 : 0);
    numFinished += ended;
    if (task.isRemainder()) {
      keepRemainder(task);
    } else {
      numPartsFinished += ended;
      index(byAddress, task.workerAddress(), task);
    }
    task.shard().ifPresent(shard -> index(byShard, shard, task));
    if (!task.isActive()) {
      end(task);
    }
    reconsider();
  }

  private void keepRemainder(Task task) {
    if (accounts != null && task.isActive()) {
      accounts.giveRemainder(task.settlement().orElseThrow(), task.id());
    }
  }

  private void end(Task task) {
    splits.forgetTask(task.id(), task.isLost());
    if (accounts != null && task.isFinished()) {
      accounts.finish(task.id());
    } else if (accounts != null) {
      accounts.lose(task.id());
    }
  }

  /** Finishes it, if that is how things stand. */
  void reconsider() {
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
              && !accounts.isUnaccounted();
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
    } else {
      splits.count(change);
    }
  }

  /** What a task had taken when the journal was compacted. */
  void lease(SplitsLeased change) {
    if (accounts != null) {
      accounts.lease(change);
    } else {
      splits.setCount(change.getTaskId(), change.getNumSplits());
    }
  }

  void addClient(ClientAcquired change) {
    clients.add(change.getIterationClientId());
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
      throw new IllegalStateException("nobody keeps account of iteration " + id());
    }
    readers.take(change.getIterationClientId(), RecordSet.of(change.getTaken()));
  }

  void removeClient(long client) {
    clients.remove(client);
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
      now.setTaken(readers.ofNobody().toProto())
          .addAllReaders(readers.toProto())
          .setAwaitedReaders(readers.awaited())
          .addAllArrivedReaders(readers.arrived());
    }
    if (accounts != null) {
      now.setUnaccounted(accounts.isUnaccounted()).setAgain(accounts.isAgain());
    }
    records.add(Records.of(now.build()));
    if (accounts != null) {
      accounts.snapshot(id(), records);
    }
    // All tasks are there before one ends, or the iteration would end with the first.
    tasks.values().forEach(task -> records.add(Records.taskCreated(task)));
    splits.snapshot(id(), records);
    if (accounts != null) {
      accounts.snapshotLeases(id(), records);
    }
    tasks.values().forEach(task -> addEnd(task, records));
    if (accounts == null) {
      splits.snapshotCounts(id(), records);
    }
  }

  private static void addEnd(Task task, List<JournalRecord> records) {
    switch (task.status()) {
      case ACTIVE -> {}
      case FINISHED -> records.add(Records.taskFinished(task.id()));
      case LOST -> records.add(Records.taskLost(task));
    }
  }
}
