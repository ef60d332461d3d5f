package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SettlementOpened;
import io.headrace.runtime.origin.RecordSet;
import java.util.LinkedHashSet;

/**
 * A settlement: the clients report the records of some splits that they have received, before lost
 * work is made again. Mutated by {@link SplitAccounts} only.
 *
 * @param id the id of the lost task, or a number that no task has
 * @param lostTask the task that was lost; 0 for a settlement of all splits
 * @param scope the splits in question
 * @param owing the clients that have not answered
 * @param received the records that the answers list
 */
public record Settlement(
    long id, long lostTask, SplitSet scope, LinkedHashSet<Long> owing, RecordSet received) {

  static Settlement of(SettlementOpened change) {
    return new Settlement(
        change.getSettlementId(),
        change.getLostTaskId(),
        SplitSet.of(change.getSplitsList()),
        new LinkedHashSet<>(change.getOwingClientIdsList()),
        RecordSet.of(change.getReceived()));
  }

  /** The record that opens the settlement in its present state. */
  JournalRecord opening(long iterationId, boolean unaccounted) {
    return JournalRecords.of(
        SettlementOpened.newBuilder()
            .setIterationId(iterationId)
            .setSettlementId(id)
            .setLostTaskId(lostTask)
            .addAllSplits(scope.toProto())
            .addAllOwingClientIds(owing)
            .setReceived(received.toProto())
            .setUnaccounted(lostTask == 0 && unaccounted)
            .build());
  }

  /** The settlement as the WatchIteration message. */
  public io.headrace.proto.headrace.Settlement toProto() {
    return io.headrace.proto.headrace.Settlement.newBuilder()
        .setSettlementId(id)
        .setLostTaskId(lostTask)
        .addAllSplits(scope.toProto())
        .build();
  }

  boolean isAnswered() {
    return owing.isEmpty();
  }

  public boolean owes(long client) {
    return owing.contains(client);
  }
}
