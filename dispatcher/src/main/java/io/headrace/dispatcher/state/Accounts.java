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
 * What is kept of an unfinished iteration that is read exactly or at least once: which splits its
 * tasks have taken, what is open about those of lost tasks, what is to be made again, and what
 * counts as taken, or as delivered. Changed by {@link Iteration} only; others read it.
 */
public final class Accounts {
  private final Sources sources;
  private final boolean keepsDelivered;
  private final boolean again;
  private final Readers readers;
  private final Map<Long, SplitSet> leases = new TreeMap<>();
  private final Map<Long, SplitSet> lostLeases = new TreeMap<>();
  private final Map<Long, Settlement> settlements = new TreeMap<>();
  private final NavigableMap<Long, Settlement> answered = new TreeMap<>();
  private final Map<Long, Remainder> remainders = new TreeMap<>();
  private final NavigableMap<Long, Remainder> waiting = new TreeMap<>();
  private final Map<Long, Remainder> remainderOfTask = new HashMap<>();
  private final Map<Long, RecordSet> deliveredByTask = new TreeMap<>();
  private final Map<Long, long[]> free = new HashMap<>();
  private boolean unaccounted;

  /**
   * Those of an iteration that begins.
   *
   * @param keepsDelivered what is delivered is known by task, and not by asking clients
   * @param again all of it was handed out before: it was read to its end
   * @param readers know the records that are not to be made
   * @param unaccounted a client has left that may have received more than it took
   */
  Accounts(
      Sources sources,
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

  public Sources sources() {
    return sources;
  }

  /** Records that count as taken; not to be changed. */
  public RecordSet taken() {
    return readers.taken();
  }

  /** The splits of tasks that were lost, by task, about which no settlement has begun. */
  public Map<Long, SplitSet> lostLeases() {
    return Collections.unmodifiableMap(lostLeases);
  }

  public Collection<Settlement> settlements() {
    return Collections.unmodifiableCollection(settlements.values());
  }

  public Optional<Settlement> settlement(long id) {
    return Optional.ofNullable(settlements.get(id));
  }

  /** The first settlement that nobody owes an answer to. */
  public Optional<Settlement> answered() {
    return answered.isEmpty() ? Optional.empty() : Optional.of(answered.firstEntry().getValue());
  }

  /** The first remainder that no task makes. */
  public Optional<Remainder> waiting() {
    return waiting.isEmpty() ? Optional.empty() : Optional.of(waiting.firstEntry().getValue());
  }

  /** What a task is to make again; empty if it takes its part of what was not handed out. */
  public Optional<Remainder> remainderOf(long taskId) {
    return Optional.ofNullable(remainderOfTask.get(taskId));
  }

  /** The splits that a task has taken, or is to make again. */
  public SplitSet scopeOf(long taskId) {
    return remainderOf(taskId)
        .map(Remainder::splits)
        .orElseGet(() -> leases.getOrDefault(taskId, new SplitSet()));
  }

  /** What readers are known to have fetched of the splits of a task; not to be changed. */
  public RecordSet deliveredBy(long taskId) {
    return deliveredByTask.getOrDefault(taskId, new RecordSet());
  }

  /**
   * Whether a client has left that may have received more than it took, or may die so unnoticed:
   * then all are asked before the end what they have received of everything.
   */
  boolean isUnaccounted() {
    return unaccounted;
  }

  /** Whether all of it was handed out before, so that each task makes records again. */
  boolean isAgain() {
    return again;
  }

  /**
   * The tasks that make records again that {@code token} says were taken. Of those that count as
   * taken no task makes any: they were passed over when it took their splits, or reported since.
   */
  public List<Long> remakingOf(RecordSet token) {
    Set<Long> tasks = new TreeSet<>();
    remainderOfTask.forEach((task, remainder) -> {
      if (remainder.hasOf(token)) {
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

  /** Whether nothing is open, and nothing to be made again. */
  boolean isSettled() {
    return lostLeases.isEmpty() && settlements.isEmpty() && remainders.isEmpty();
  }

  /** Whether something is to be done that waits for no client. */
  boolean isPending() {
    return !readers.areAwaited() && isPendingAfterAll();
  }

  private boolean isPendingAfterAll() {
    return !lostLeases.isEmpty() || !answered.isEmpty() || !waiting.isEmpty();
  }

  /** The first run of splits from {@code from} on that were not taken before the iteration. */
  public Run nextFree(long source, long from) {
    return Run.next(free.computeIfAbsent(source, this::freeRanges), from);
  }

  private long[] freeRanges(long source) {
    LongSet all = new LongSet();
    all.addRange(0, sources.get(source).getCount());
    return all.minus(sources.complete(taken(), source)).ranges();
  }

  // Changes.

  void lease(SplitsTaken change) {
    long source = sources.number(change.getRepetition(), change.getSplitProviderIndex());
    if (change.getTaskId() != 0 && change.getNumSplits() > 0) {
      leases
          .computeIfAbsent(change.getTaskId(), _ -> new SplitSet())
          .add(source, change.getFirstSplit(), change.getFirstSplit() + change.getNumSplits());
    }
  }

  void lease(SplitsLeased change) {
    leases
        .computeIfAbsent(change.getTaskId(), _ -> new SplitSet())
        .addAll(SplitSet.of(change.getSplitsList()));
  }

  /** All that a task took was received. */
  void finish(long taskId) {
    leases.remove(taskId);
    deliveredByTask.remove(taskId);
    dropRemainder(taskId);
  }

  void lose(long taskId) {
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
    addDelivered(change.getTaskId(), RecordSet.of(change.getDelivered()));
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
    noteIfAnswered(settlement);
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
    noteIfAnswered(settlement);
  }

  private void noteIfAnswered(Settlement settlement) {
    if (settlement.isAnswered()) {
      answered.put(settlement.id(), settlement);
    }
  }

  void close(SettlementClosed change) {
    settlements.remove(change.getSettlementId());
    answered.remove(change.getSettlementId());
    SplitSet splits = SplitSet.of(change.getRemainderList());
    if (!splits.isEmpty()) {
      Remainder remainder =
          new Remainder(change.getSettlementId(), splits, RecordSet.of(change.getReceived()));
      remainders.put(remainder.settlementId(), remainder);
      waiting.put(remainder.settlementId(), remainder);
    }
  }

  /** A task makes a remainder from now on, unless that has been made already. */
  void giveRemainder(long settlementId, long taskId) {
    @Nullable Remainder remainder = remainders.get(settlementId);
    if (remainder != null) {
      waiting.remove(settlementId);
      remainderOfTask.put(taskId, remainder);
    }
  }

  /**
   * What counts as taken is another set now: what is missing of it is found out at the end, and
   * what no task makes yet is found out then, too.
   *
   * @param begun whether splits were handed out before
   */
  void takeOver(boolean begun) {
    free.clear();
    waiting.keySet().forEach(remainders::remove);
    waiting.clear();
    unaccounted |= begun;
  }

  /** There are several clients, of whom one may die before the end without anybody's notice. */
  void share() {
    unaccounted = true;
  }

  /** A client has left; if others may come, what it has not taken is theirs. */
  void leave(long client, boolean othersMayCome) {
    for (Settlement settlement : settlements.values()) {
      settlement.owing().remove(client);
      noteIfAnswered(settlement);
    }
    unaccounted |= othersMayCome;
  }

  /** Records that lead here, from an iteration whose creation says what was taken. */
  void snapshot(long iterationId, List<JournalRecord> records) {
    remainders
        .values()
        .forEach(remainder ->
            records.add(
                Records.settlementClosed(
                    iterationId,
                    remainder.settlementId(),
                    remainder.splits(),
                    remainder.received())));
    settlements
        .values()
        .forEach(settlement -> records.add(settlement.opening(iterationId, unaccounted)));
  }

  /** Records of what tasks have taken, once the tasks are there. */
  void snapshotLeases(long iterationId, List<JournalRecord> records) {
    lostLeases.forEach(
        (task, splits) -> records.add(Records.splitsLeased(iterationId, task, splits)));
    leases.forEach((task, splits) -> records.add(Records.splitsLeased(iterationId, task, splits)));
    deliveredByTask.forEach(
        (task, of) -> records.add(Records.recordsDelivered(iterationId, task, of)));
  }
}
