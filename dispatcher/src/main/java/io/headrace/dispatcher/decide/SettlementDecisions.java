package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Remainder;
import io.headrace.dispatcher.state.RemainderTasks;
import io.headrace.dispatcher.state.Settlement;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.SplitSet;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SettlementClosed;
import io.headrace.proto.headrace.journal.SettlementOpened;
import io.headrace.runtime.origin.RecordSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Recovers the lost work of iterations that make it again. The next step depends on the state and
 * the workers' liveness only, so the commit loop asks for it after each change.
 *
 * <p>A lost task opens a settlement of the splits that it had leased. Read exactly once, the
 * clients answer which of those records they have received; otherwise the task's worker has
 * reported or announced the delivered records already. Once all answers are in, the missing records
 * become a remainder, which a new task on a live worker makes. If clients have left before the end,
 * a settlement of all splits follows at the end.
 */
public final class SettlementDecisions {
  /** Number of workers compared, which bounds the cost of a choice in a large fleet. */
  private static final int CANDIDATES = 8;

  private final DispatcherLimits limits;

  public SettlementDecisions(DispatcherLimits limits) {
    this.limits = limits;
  }

  /** The records of the next step; empty if no step is due. */
  public List<JournalRecord> next(DispatcherState state, LivenessView liveness) {
    for (Iteration iteration : state.iterations().pending()) {
      Optional<JournalRecord> next =
          iteration.accounts().flatMap(accounts -> next(state, liveness, iteration, accounts));
      if (next.isPresent()) {
        return List.of(next.get());
      }
    }
    return List.of();
  }

  private Optional<JournalRecord> next(
      DispatcherState state, LivenessView liveness, Iteration iteration, SplitAccounts accounts) {
    if (iteration.isAwaiting()) {
      return Optional.empty();
    }
    for (var lost : accounts.lostLeases().entrySet()) {
      return Optional.of(
          opening(
              iteration,
              lost.getKey(),
              lost.getKey(),
              lost.getValue(),
              accounts.deliveredBy(lost.getKey())));
    }
    Optional<Settlement> answered = accounts.answered();
    if (answered.isPresent()) {
      return Optional.of(closing(iteration, accounts, answered.get()));
    }
    if (iteration.needsLastSettlement()) {
      long id = state.iterations().nextTaskId();
      return Optional.of(
          opening(iteration, id, 0, iteration.splits().handedOut(), new RecordSet()));
    }
    return accounts
        .waiting()
        .flatMap(remainder ->
            isForNobody(state, liveness, iteration)
                ? Optional.of(givenUp(iteration, remainder))
                : task(state, liveness, iteration, remainder));
  }

  /**
   * Whether no live worker can make a remainder, and stock workers go on with the pass: its readers
   * then get the rest of it, and not what was lost, as from stock servers.
   */
  private static boolean isForNobody(
      DispatcherState state, LivenessView liveness, Iteration iteration) {
    if (!iteration.isAnnounced()) {
      return false;
    }
    RegisteredDataset dataset = state.datasetOf(iteration);
    List<RegisteredWorker> able =
        state.workers().all().stream()
            .filter(worker -> !liveness.isLost(worker.address()))
            .filter(worker -> worker.mayRun(iteration.job(), dataset))
            .toList();
    return !able.isEmpty() && able.stream().noneMatch(RegisteredWorker::tracksOrigins);
  }

  private static JournalRecord givenUp(Iteration iteration, Remainder remainder) {
    return JournalRecords.of(
        SettlementClosed.newBuilder()
            .setIterationId(iteration.id())
            .setSettlementId(remainder.settlementId())
            .setGivenUp(true)
            .build());
  }

  private static JournalRecord opening(
      Iteration iteration, long id, long lostTask, SplitSet splits, RecordSet delivered) {
    return JournalRecords.of(
        SettlementOpened.newBuilder()
            .setIterationId(iteration.id())
            .setSettlementId(id)
            .setLostTaskId(lostTask)
            .addAllSplits(splits.toProto())
            .addAllOwingClientIds(iteration.job().isExactlyOnce() ? iteration.clients() : Set.of())
            .setReceived(delivered.toProto())
            .build());
  }

  /**
   * Closes a settlement. The remainder is what no client has received and no departed reader has
   * taken. After a settlement of all splits, several clients settle also what they get of it.
   */
  private static JournalRecord closing(
      Iteration iteration, SplitAccounts accounts, Settlement settlement) {
    RecordSet had = settlement.received().copy();
    had.addAll(accounts.taken().within(settlement.scope().bySource()));
    SplitSet rest = settlement.scope().without(had, accounts.sources());
    return JournalRecords.of(
        JournalRecords.settlementClosed(
                iteration.id(), settlement.id(), rest, had.within(rest.bySource()))
            .setUnaccounted(
                settlement.lostTask() == 0 && !rest.isEmpty() && iteration.clients().size() > 1)
            .build());
  }

  private Optional<JournalRecord> task(
      DispatcherState state, LivenessView liveness, Iteration iteration, Remainder remainder) {
    if (!limits.hasRoomForTask(state.iterations())) {
      return Optional.empty();
    }
    return worker(state, liveness, iteration)
        .map(chosen ->
            JournalRecords.taskCreated(
                Task.ofRemainder(
                    state.iterations().nextTaskId(),
                    iteration.id(),
                    chosen.address(),
                    remainder.settlementId())));
  }

  /**
   * Of the next candidates after the worker that was last chosen, the one with the fewest
   * remainders.
   */
  private static Optional<RegisteredWorker> worker(
      DispatcherState state, LivenessView liveness, Iteration iteration) {
    RegisteredDataset dataset = state.datasetOf(iteration);
    RemainderTasks remainders = state.iterations().remainders();
    return liveness
        .aliveAfter(remainders.lastAddress())
        .flatMap(address -> state.workers().find(address).stream())
        .filter(worker -> worker.tracksOrigins() && worker.mayRun(iteration.job(), dataset))
        .limit(CANDIDATES)
        .min(Comparator.comparingInt(worker -> remainders.numberOn(worker.address())));
  }
}
