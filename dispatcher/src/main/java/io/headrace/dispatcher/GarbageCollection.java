package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Records;
import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the passing of time comes to: clients that were not heard of are released, iterations that
 * were left are ended, and what nobody can ask for any more, or has in a long time, is forgotten.
 *
 * <p>Of a named job there stays what answers its name, its parameters and the repetitions that were
 * read to their end, so that a late reader of one of them does not get it anew.
 */
final class GarbageCollection {
  /** So many iterations are forgotten in one decision. */
  private static final int MOST_AT_A_TIME = 10_000;

  private final DispatcherConfig config;
  private final DispatcherLimits limits;

  /** One by the times of {@code config}, and for the sake of {@code limits}. */
  GarbageCollection(DispatcherConfig config, DispatcherLimits limits) {
    this.config = config;
    this.limits = limits;
  }

  /** Forgets the iterations that were read to their end and left: that needs no waiting. */
  static Decision<Boolean> forgetRead(DispatcherState state) {
    List<JournalRecord> records = new ArrayList<>();
    for (long id : state.iterations().left()) {
      if (records.size() >= MOST_AT_A_TIME) {
        break;
      }
      records.add(Records.iterationCollected(id));
      Job job = state.iterations().find(id).orElseThrow().job();
      if (job.anonymous() && state.iterations().ofJob(job.id()).size() == 1) {
        records.add(Records.jobForgotten(job.id()));
      }
    }
    return new Decision<>(records, !records.isEmpty());
  }

  Decision<Boolean> decide(DispatcherState state, SoftState soft, long nowNanos) {
    soft.forgetGone(state);
    soft.lookAtDatasets(state, nowNanos);
    List<JournalRecord> records = new ArrayList<>();
    releaseClients(state, soft, nowNanos, records);
    collectIterations(state, soft, nowNanos, records);
    forgetJobs(state, soft, nowNanos, records);
    forgetDatasets(state, soft, nowNanos, records);
    removeWorkers(state, soft, records);
    return new Decision<>(records, !records.isEmpty());
  }

  private void releaseClients(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long client : soft.clients().expired(config.clientTimeout(), nowNanos)) {
      state
          .iterations()
          .ofClient(client)
          .ifPresent(iteration -> records.add(Records.clientReleased(client, iteration.id())));
    }
  }

  private void collectIterations(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long id : soft.iterations().idleFor(config.jobGcTimeout(), nowNanos)) {
      state
          .iterations()
          .find(id)
          .filter(iteration -> iteration.numClients() == 0 && mayBeCollected(iteration))
          .ifPresent(_ -> records.add(Records.iterationCollected(id)));
    }
  }

  /** Whoever comes back to one with dynamic sharding gets splits that were read before. */
  private boolean mayBeCollected(Iteration iteration) {
    return config.gcDynamicShardingJobs() || iteration.splits().sources().isEmpty();
  }

  /** Anonymous jobs whatever is unread of them, named ones if nothing is. */
  private void forgetJobs(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long id : soft.jobs().idleFor(config.jobGcTimeout(), nowNanos)) {
      if (state.jobs().contains(id)) {
        Job job = state.jobs().get(id);
        if (job.anonymous() && state.isIdle(job)) {
          records.add(Records.jobForgotten(id));
        }
      }
    }
    for (long id : soft.jobs().idleFor(config.jobTombstoneTimeout(), nowNanos)) {
      if (state.jobs().contains(id)
          && !state.jobs().get(id).anonymous()
          && state.iterations().ofJob(id).isEmpty()) {
        records.add(Records.jobForgotten(id));
      }
    }
  }

  private void forgetDatasets(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    Set<String> forgotten = new LinkedHashSet<>();
    for (String id : soft.datasets().idleFor(config.datasetGcTimeout(), nowNanos)) {
      if (!state.jobs().use(id)) {
        forgotten.add(id);
      }
    }
    addExcess(state, soft, nowNanos, forgotten);
    forgotten.forEach(id -> records.add(Records.datasetForgotten(id)));
  }

  /**
   * Whoever registers datasets in a loop must not fill the memory with what nobody reads: beyond
   * half of what there is room for, those go first that nobody has asked for in the longest time,
   * but not before one who registered them had time to read them.
   */
  private void addExcess(
      DispatcherState state, SoftState soft, long nowNanos, Set<String> forgotten) {
    long bytes = state.datasets().totalBytes();
    int size = state.datasets().size();
    for (String id : forgotten) {
      bytes -= state.datasets().get(id).def().size();
      size--;
    }
    for (String id : soft.datasets().longestIdleFor(config.jobGcTimeout(), nowNanos)) {
      if (bytes <= limits.maxDatasetBytes() / 2 && size <= limits.maxDatasets() / 2) {
        return;
      }
      if (!state.jobs().use(id) && forgotten.add(id)) {
        bytes -= state.datasets().get(id).def().size();
        size--;
      }
    }
  }

  private void removeWorkers(DispatcherState state, SoftState soft, List<JournalRecord> records) {
    for (String address : soft.workers().lost()) {
      boolean silent = soft.workers().silence(address).compareTo(config.workerTimeout()) >= 0;
      if (silent
          && state.workers().contains(address)
          && state.iterations().activeOn(address).isEmpty()) {
        records.add(Records.workerRemoved(address));
      }
    }
  }
}
