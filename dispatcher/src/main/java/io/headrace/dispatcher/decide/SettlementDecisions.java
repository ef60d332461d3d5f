package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.Accounts;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Records;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Remainder;
import io.headrace.dispatcher.state.RemainderTasks;
import io.headrace.dispatcher.state.Settlement;
import io.headrace.dispatcher.state.SplitSet;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SettlementOpened;
import io.headrace.runtime.origin.RecordSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What becomes of work that was lost of iterations that are read exactly or at least once: it
 * follows from the state, and from who answers, and from nothing else, so it is asked for after
 * each change.
 *
 * <p>When a task is lost, a settlement begins about the splits that it had taken. What is read
 * exactly once has its clients asked what they have received of them; of what is read at least once
 * it is known what the task's worker had reported delivered. Once nobody owes an answer, what is
 * left becomes a task of its own, on a live worker. When clients have left before the end, one
 * settlement about all splits comes at the end.
 */
public final class SettlementDecisions {
  /** So many workers are compared, so that the choice costs the same however many there are. */
  private static final int CANDIDATES = 8;

  private final DispatcherLimits limits;

  public SettlementDecisions(DispatcherLimits limits) {
    this.limits = limits;
  }

  /** The next thing that follows; empty if nothing does. */
  public List<JournalRecord> next(DispatcherState state, Liveness liveness) {
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
      DispatcherState state, Liveness liveness, Iteration iteration, Accounts accounts) {
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
    return accounts.waiting().flatMap(remainder -> task(state, liveness, iteration, remainder));
  }

  private static JournalRecord opening(
      Iteration iteration, long id, long lostTask, SplitSet splits, RecordSet delivered) {
    return Records.of(
        SettlementOpened.newBuilder()
            .setIterationId(iteration.id())
            .setSettlementId(id)
            .setLostTaskId(lostTask)
            .addAllSplits(splits.toProto())
            .addAllOwingClientIds(iteration.job().isExactlyOnce() ? iteration.clients() : Set.of())
            .setReceived(delivered.toProto())
            .build());
  }

  /** What nobody has received, and nobody who left has taken, is to be made again. */
  private static JournalRecord closing(
      Iteration iteration, Accounts accounts, Settlement settlement) {
    RecordSet had = settlement.received().copy();
    had.addAll(accounts.taken().within(settlement.scope().bySource()));
    SplitSet rest = settlement.scope().without(had, accounts.sources());
    return Records.settlementClosed(
        iteration.id(), settlement.id(), rest, had.within(rest.bySource()));
  }

  private Optional<JournalRecord> task(
      DispatcherState state, Liveness liveness, Iteration iteration, Remainder remainder) {
    if (!limits.hasRoomForTask(state.iterations())) {
      return Optional.empty();
    }
    return worker(state, liveness, iteration)
        .map(chosen ->
            Records.taskCreated(
                Task.ofRemainder(
                    state.iterations().nextTaskId(),
                    iteration.id(),
                    chosen.address(),
                    remainder.settlementId())));
  }

  /** Of the next few behind the last one that was chosen, the one that makes the fewest. */
  private static Optional<RegisteredWorker> worker(
      DispatcherState state, Liveness liveness, Iteration iteration) {
    RegisteredDataset dataset = state.datasetOf(iteration);
    RemainderTasks remainders = state.iterations().remainders();
    return liveness
        .aliveAfter(remainders.lastAddress())
        .flatMap(address -> state.workers().find(address).stream())
        .filter(worker -> worker.mayRun(iteration.job(), dataset))
        .limit(CANDIDATES)
        .min(Comparator.comparingInt(worker -> remainders.numberOn(worker.address())));
  }
}
