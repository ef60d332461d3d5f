package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.RecordsDelivered;
import io.headrace.proto.headrace.journal.SettlementAnswered;
import io.headrace.proto.headrace.journal.SettlementClosed;
import io.headrace.proto.headrace.journal.SettlementOpened;
import io.headrace.proto.headrace.journal.SplitsLeased;
import io.headrace.proto.headrace.journal.SplitsTaken;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Delivery accounting of an unfinished iteration whose lost work is made again: the splits leased
 * to each task, the leases of lost tasks, open settlements, remainders to make again, and the
 * records that count as taken or delivered. Mutated by {@link Iteration} only. Not thread-safe.
 */
public final class SplitAccounts {
  private final IterationSources sources;
  private final boolean keepsDelivered;
  private final Readers readers;
  private final Map<Long, SplitSet> leases = new TreeMap<>();
  private final Map<Long, SplitSet> lostLeases = new TreeMap<>();
  private final Map<Long, Settlement> settlements = new TreeMap<>();
  private final NavigableMap<Long, Settlement> answered = new TreeMap<>();
  private final Map<Long, Remainder> remainders = new TreeMap<>();
  private final NavigableMap<Long, Remainder> waiting = new TreeMap<>();
  private final Map<Long, Remainder> remainderOfTask = new HashMap<>();
  private final Map<Long, RecordSet> deliveredByTask = new TreeMap<>();
  private final Map<Long, Announcement> announcements = new TreeMap<>();
  private final Map<Long, long[]> free = new HashMap<>();
  private boolean unaccounted;
  private boolean again;

  /**
   * Accounts of a new iteration.
   *
   * @param keepsDelivered workers report the delivered records of each task (at least once) or
   *     announce them, so a settlement asks no client
   * @param again some of the repetition was handed out before the iteration began, so every task
   *     may make records again
   * @param readers the iteration's readers, with the records that they have taken
   * @param unaccounted a client has left that may have received more than it took
   */
  SplitAccounts(
      IterationSources sources,
      boolean keepsDelivered,
      boolean again,
      Readers readers,
      boolean unaccounted) {
    this.sources = sources;
    this.keepsDelivered = keepsDelivered;
    this.again = again;
    this.readers = readers;
    this.unaccounted = unaccounted;
  }

  public IterationSources sources() {
    return sources;
  }

  /** The records that count as taken. The caller must not modify the set. */
  public RecordSet taken() {
    return readers.taken();
  }

  /** The leases of lost tasks, by task id, for which no settlement has been opened yet. */
  public Map<Long, SplitSet> lostLeases() {
    return Collections.unmodifiableMap(lostLeases);
  }

  public Collection<Settlement> settlements() {
    return Collections.unmodifiableCollection(settlements.values());
  }

  public Optional<Settlement> settlement(long id) {
    return Optional.ofNullable(settlements.get(id));
  }

  /** The first settlement that every client has answered. */
  public Optional<Settlement> answered() {
    return answered.isEmpty() ? Optional.empty() : Optional.of(answered.firstEntry().getValue());
  }

  /** The first remainder without a task. */
  public Optional<Remainder> waiting() {
    return waiting.isEmpty() ? Optional.empty() : Optional.of(waiting.firstEntry().getValue());
  }

  /** The remainder that a task makes; empty for a task that takes splits not yet handed out. */
  public Optional<Remainder> remainderOf(long taskId) {
    return Optional.ofNullable(remainderOfTask.get(taskId));
  }

  /** The splits that a task has leased, or those of its remainder. */
  public SplitSet scopeOf(long taskId) {
    return remainderOf(taskId)
        .map(Remainder::splits)
        .orElseGet(() -> leases.getOrDefault(taskId, new SplitSet()));
  }

  /**
   * The records of a task's splits that readers are known to have fetched. The caller must not
   * modify the set.
   */
  public RecordSet deliveredBy(long taskId) {
    return deliveredByTask.getOrDefault(taskId, new RecordSet());
  }

  /** The last announcement of a task's deliveries. */
  public Announcement announcedBy(long taskId) {
    return announcements.getOrDefault(taskId, Announcement.NONE);
  }

  /** Whether a task takes splits under its own id or announces deliveries. */
  boolean announces(long taskId) {
    return leases.containsKey(taskId)
        || remainderOfTask.containsKey(taskId)
        || announcements.containsKey(taskId);
  }

  /**
   * Whether a client may have received records that it never took: it has left, or may die
   * unnoticed. The iteration then ends with a settlement of all splits.
   */
  boolean needsFinalSettlement() {
    return unaccounted;
  }

  /**
   * Whether some of the repetition was handed out before the iteration began: it is reopened, or
   * began with a token. So each task may make records again.
   */
  public boolean isReread() {
    return again;
  }

  /**
   * The tasks that may make records of {@code token} again. No task makes records that count as
   * taken: each task skipped those when it took the splits, or the reader reported them later. If
   * nothing was handed out before the iteration began, the token has the other records of leased
   * splits from the very task that makes them.
   */
  public List<Long> tasksRemaking(RecordSet token) {
    Set<Long> tasks = new TreeSet<>();
    remainderOfTask.forEach((task, remainder) -> {
      if (remainder.containsAny(token)) {
        tasks.add(task);
      }
    });
    if (again) {
      leases.forEach((task, splits) -> {
        if (splits.addsTo(taken(), token)) {
          tasks.add(task);
        }
      });
    }
    return List.copyOf(tasks);
  }

  /** Whether an active task has taken no splits, so that nothing is lost with it. */
  boolean tookNone(long taskId) {
    @Nullable SplitSet lease = leases.get(taskId);
    return (lease == null || lease.isEmpty())
        && !remainderOfTask.containsKey(taskId)
        && !announcements.containsKey(taskId);
  }

  /** Whether no lost lease, settlement or remainder is left. */
  boolean isSettled() {
    return lostLeases.isEmpty() && settlements.isEmpty() && remainders.isEmpty();
  }

  /** Whether a settlement or remainder can be advanced without waiting for a client. */
  boolean isPending() {
    return !readers.areAwaited() && hasOpenWork();
  }

  private boolean hasOpenWork() {
    return !lostLeases.isEmpty() || !answered.isEmpty() || !waiting.isEmpty();
  }

  /**
   * The first range of splits, at or after {@code from}, that were not taken before the iteration
   * started.
   */
  public SplitRange nextFree(long source, long from) {
    return SplitRange.next(free.computeIfAbsent(source, this::findFreeRanges), from);
  }

  private long[] findFreeRanges(long source) {
    LongSet all = new LongSet();
    all.addRange(0, sources.get(source).getCount());
    return all.minus(sources.complete(taken(), source)).ranges();
  }

  // Mutators.

  void lease(SplitsTaken change) {
    long source = sources.number(change.getRepetition(), change.getSplitProviderIndex());
    if (change.getTaskId() != 0 && change.getNumSplits() > 0) {
      leases
          .computeIfAbsent(change.getTaskId(), _ -> new SplitSet())
          .add(source, change.getFirstSplit(), change.getFirstSplit() + change.getNumSplits());
    }
  }

  /** Sets a task's lease, also without splits that its last requests took and that it announced. */
  void lease(SplitsLeased change) {
    leases.put(change.getTaskId(), SplitSet.of(change.getSplitsList()));
  }

  /** Drops the lease of a task whose output was received completely. */
  void finish(long taskId) {
    leases.remove(taskId);
    deliveredByTask.remove(taskId);
    announcements.remove(taskId);
    dropRemainder(taskId);
  }

  void lose(long taskId) {
    announcements.remove(taskId);
    @Nullable SplitSet lease = leases.remove(taskId);
    @Nullable Remainder remainder = dropRemainder(taskId);
    @Nullable SplitSet scope = remainder == null ? lease : remainder.splits();
    if (scope != null) {
      lostLeases.put(taskId, scope);
    } else {
      deliveredByTask.remove(taskId);
    }
    if (remainder != null && keepsDelivered) {
      addDelivered(taskId, remainder.received());
    }
  }

  private void addDelivered(long taskId, RecordSet records) {
    if (!records.isEmpty()) {
      deliveredByTask.computeIfAbsent(taskId, _ -> new RecordSet()).addAll(records);
    }
  }

  void deliver(RecordsDelivered change) {
    long taskId = change.getTaskId();
    addDelivered(taskId, RecordSet.of(change.getDelivered()));
    if (change.getNumber() > 0) {
      announcements.put(taskId, Announcement.of(change));
      forgetDelivered(taskId);
    }
  }

  /**
   * Drops the leased splits of which every record was announced: none is made again, so an endless
   * pass keeps no more than what its workers have in hand.
   */
  private void forgetDelivered(long taskId) {
    @Nullable SplitSet lease = leases.get(taskId);
    @Nullable RecordSet delivered = deliveredByTask.get(taskId);
    if (lease == null || delivered == null) {
      return;
    }
    SplitSet rest = lease.without(delivered, sources);
    leases.put(taskId, rest);
    RecordSet kept = delivered.within(rest.bySource());
    if (kept.isEmpty()) {
      deliveredByTask.remove(taskId);
    } else {
      deliveredByTask.put(taskId, kept);
    }
  }

  private @Nullable Remainder dropRemainder(long taskId) {
    @Nullable Remainder remainder = remainderOfTask.remove(taskId);
    if (remainder != null) {
      remainders.remove(remainder.settlementId());
      waiting.remove(remainder.settlementId());
    }
    return remainder;
  }

  void open(SettlementOpened change) {
    Settlement settlement = Settlement.of(change);
    settlements.put(settlement.id(), settlement);
    indexIfAnswered(settlement);
    lostLeases.remove(settlement.lostTask());
    deliveredByTask.remove(settlement.lostTask());
    if (settlement.lostTask() == 0) {
      unaccounted = change.getUnaccounted();
    }
  }

  void answer(SettlementAnswered change) {
    @Nullable Settlement settlement = settlements.get(change.getSettlementId());
    if (settlement == null) {
      throw new IllegalStateException("there is no settlement " + change.getSettlementId());
    }
    settlement.owing().remove(change.getIterationClientId());
    settlement.received().addAll(RecordSet.of(change.getReceived()));
    indexIfAnswered(settlement);
  }

  private void indexIfAnswered(Settlement settlement) {
    if (settlement.isAnswered()) {
      answered.put(settlement.id(), settlement);
    }
  }

  void close(SettlementClosed change) {
    settlements.remove(change.getSettlementId());
    answered.remove(change.getSettlementId());
    remainders.remove(change.getSettlementId());
    waiting.remove(change.getSettlementId());
    unaccounted |= change.getUnaccounted();
    SplitSet splits = SplitSet.of(change.getRemainderList());
    if (!splits.isEmpty()) {
      Remainder remainder =
          new Remainder(change.getSettlementId(), splits, RecordSet.of(change.getReceived()));
      remainders.put(remainder.settlementId(), remainder);
      waiting.put(remainder.settlementId(), remainder);
    }
  }

  /** Assigns a remainder to a task, unless the remainder has been made already. */
  void assignRemainder(long settlementId, long taskId) {
    @Nullable Remainder remainder = remainders.get(settlementId);
    if (remainder != null) {
      waiting.remove(settlementId);
      remainderOfTask.put(taskId, remainder);
    }
  }

  /**
   * Resets what depends on the taken records, which have been replaced. The settlement of all
   * splits at the end finds what is missing of the new set, including remainders without a task,
   * which are dropped here.
   *
   * @param begun whether any split has been handed out
   */
  void takeOver(boolean begun) {
    free.clear();
    waiting.keySet().forEach(remainders::remove);
    waiting.clear();
    unaccounted |= begun;
  }

  /**
   * Notes that the iteration began with a token. Other tokens of that earlier run may have records
   * that are now made again: those of readers that come later, or later ones of the same reader.
   */
  void beginWithToken() {
    again = true;
  }

  /** Notes that the iteration has several clients: one may die unnoticed before the end. */
  void share() {
    unaccounted = true;
  }

  /**
   * Removes a client from all open settlements. If other clients may join, they are owed the
   * records that it received and did not take.
   */
  void leave(long client, boolean othersMayCome) {
    for (Settlement settlement : settlements.values()) {
      settlement.owing().remove(client);
      indexIfAnswered(settlement);
    }
    unaccounted |= othersMayCome;
  }

  /**
   * Adds the records that restore the remainders and settlements after the iteration's creation
   * record, which carries the taken records.
   */
  void snapshot(long iterationId, List<JournalRecord> records) {
    remainders
        .values()
        .forEach(remainder ->
            records.add(
                JournalRecords.of(
                    JournalRecords.settlementClosed(
                            iterationId,
                            remainder.settlementId(),
                            remainder.splits(),
                            remainder.received())
                        .build())));
    settlements
        .values()
        .forEach(settlement -> records.add(settlement.opening(iterationId, unaccounted)));
  }

  /** Adds the records that restore the leases; they must follow the creation of the tasks. */
  void snapshotLeases(long iterationId, List<JournalRecord> records) {
    lostLeases.forEach(
        (task, splits) -> records.add(JournalRecords.splitsLeased(iterationId, task, splits)));
    leases.forEach(
        (task, splits) -> records.add(JournalRecords.splitsLeased(iterationId, task, splits)));
    Set<Long> reporting = new TreeSet<>(deliveredByTask.keySet());
    reporting.addAll(announcements.keySet());
    for (long task : reporting) {
      records.add(
          JournalRecords.recordsDelivered(iterationId, task, deliveredBy(task), announcedBy(task)));
    }
  }
}
