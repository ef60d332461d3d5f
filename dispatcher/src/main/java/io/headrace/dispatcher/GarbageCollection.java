package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The effects of time: releases expired clients, ends abandoned iterations, and forgets unused
 * jobs, datasets and workers.
 *
 * <p>A named job leaves a tombstone with its parameters and finished repetitions, so a late reader
 * does not get a finished repetition again.
 */
final class GarbageCollection {
  /** Most iterations collected in one decision. */
  private static final int MOST_AT_A_TIME = 10_000;

  private final DispatcherConfig config;
  private final DispatcherLimits limits;

  /**
   * A garbage collection.
   *
   * @param config has the timeouts
   * @param limits bound the registered datasets
   */
  GarbageCollection(DispatcherConfig config, DispatcherLimits limits) {
    this.config = config;
    this.limits = limits;
  }

  /** Collects the iterations that are finished and have no clients, without a timeout. */
  static Decision<Boolean> collectFinished(DispatcherState state) {
    List<JournalRecord> records = new ArrayList<>();
    for (long id : state.iterations().finishedWithoutClients()) {
      if (records.size() >= MOST_AT_A_TIME) {
        break;
      }
      records.add(JournalRecords.iterationCollected(id));
      Job job = state.iterations().find(id).orElseThrow().job();
      if (job.anonymous() && state.iterations().ofJob(job.id()).size() == 1) {
        records.add(JournalRecords.jobForgotten(job.id()));
      }
    }
    return new Decision<>(records, !records.isEmpty());
  }

  Decision<Boolean> decide(DispatcherState state, SoftState soft, long nowNanos) {
    soft.forgetRemoved(state);
    soft.updateIdleDatasets(state, nowNanos);
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
          .ifPresent(
              iteration -> records.add(JournalRecords.clientReleased(client, iteration.id())));
    }
  }

  private void collectIterations(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long id : soft.iterations().idleFor(config.jobGcTimeout(), nowNanos)) {
      state
          .iterations()
          .find(id)
          .filter(iteration -> iteration.numClients() == 0 && mayBeCollected(iteration))
          .ifPresent(_ -> records.add(JournalRecords.iterationCollected(id)));
    }
  }

  /** A client that returns to a collected iteration with dynamic sharding gets its splits again. */
  private boolean mayBeCollected(Iteration iteration) {
    return config.gcDynamicShardingJobs() || iteration.splits().sources().isEmpty();
  }

  /**
   * Forgets idle anonymous jobs, even with unread iterations, and idle named jobs without
   * iterations.
   */
  private void forgetJobs(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    for (long id : soft.jobs().idleFor(config.jobGcTimeout(), nowNanos)) {
      if (state.jobs().contains(id)) {
        Job job = state.jobs().get(id);
        if (job.anonymous() && state.isIdle(job)) {
          records.add(JournalRecords.jobForgotten(id));
        }
      }
    }
    for (long id : soft.jobs().idleFor(config.jobTombstoneTimeout(), nowNanos)) {
      if (state.jobs().contains(id)
          && !state.jobs().get(id).anonymous()
          && state.iterations().ofJob(id).isEmpty()) {
        records.add(JournalRecords.jobForgotten(id));
      }
    }
  }

  private void forgetDatasets(
      DispatcherState state, SoftState soft, long nowNanos, List<JournalRecord> records) {
    Set<String> forgotten = new LinkedHashSet<>();
    for (String id : soft.datasets().idleFor(config.datasetGcTimeout(), nowNanos)) {
      if (!state.jobs().isDatasetInUse(id)) {
        forgotten.add(id);
      }
    }
    addExcess(state, soft, nowNanos, forgotten);
    forgotten.forEach(id -> records.add(JournalRecords.datasetForgotten(id)));
  }

  /**
   * Forgets idle datasets, longest idle first, while they exceed half of the limits. This protects
   * the memory against a client that registers datasets in a loop. Datasets idle for less than the
   * job timeout stay, as their client has had no time to read them.
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
      if (!state.jobs().isDatasetInUse(id) && forgotten.add(id)) {
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
        records.add(JournalRecords.workerRemoved(address));
      }
    }
  }
}
