package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.JournalRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the passing of time comes to: clients that were not heard of are released, iterations that
 * were left are ended, and what nobody can ask for any more is forgotten.
 *
 * @param gcTimeout how long an iteration, or an anonymous job, may be left
 * @param clientTimeout how long a client may be silent
 * @param workerTimeout how long a worker may be silent before it is forgotten
 */
record GarbageCollection(Duration gcTimeout, Duration clientTimeout, Duration workerTimeout) {
  Decision<Boolean> decide(DispatcherState state, SoftState soft, long nowNanos) {
    soft.forgetGone(state);
    List<JournalRecord> records = new ArrayList<>();
    releaseClients(state, soft, nowNanos, records);
    collectIterations(state, soft, nowNanos, records);
    soft.jobs().idleFor(gcTimeout, nowNanos).forEach(id -> records.add(Records.jobForgotten(id)));
    removeWorkers(state, soft, records);
    return new Decision<>(records, !records.isEmpty());
  }

  private void releaseClients(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long client : soft.clients().expired(clientTimeout, nowNanos)) {
      state
          .iterations()
          .ofClient(client)
          .ifPresent(iteration -> records.add(Records.clientReleased(client, iteration.id())));
    }
  }

  private void collectIterations(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long id : soft.iterations().idleFor(gcTimeout, nowNanos)) {
      Optional<Iteration> iteration = state.iterations().find(id);
      if (iteration.isPresent() && isWorthIt(iteration.get())) {
        records.add(Records.iterationCollected(id));
      }
    }
  }

  /** Finished iterations of a named job stay, without their tasks: a late client finds them so. */
  private static boolean isWorthIt(Iteration iteration) {
    return !iteration.isFinished() || !iteration.tasks().isEmpty();
  }

  private void removeWorkers(DispatcherState state, SoftState soft, List<JournalRecord> records) {
    for (String address : soft.workers().lost()) {
      boolean silent = soft.workers().silence(address).compareTo(workerTimeout) >= 0;
      if (silent && state.iterations().activeOn(address).isEmpty()) {
        records.add(Records.workerRemoved(address));
      }
    }
  }
}
