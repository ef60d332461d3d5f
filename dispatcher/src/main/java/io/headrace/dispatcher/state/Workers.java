package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The registered workers in the order of registration, one of the tables of {@link
 * DispatcherState}. Liveness is soft state (see {@code WorkerLiveness}).
 */
public final class Workers {
  private final Map<String, RegisteredWorker> byAddress = new LinkedHashMap<>();

  public Optional<RegisteredWorker> find(String address) {
    return Optional.ofNullable(byAddress.get(address));
  }

  public boolean contains(String address) {
    return byAddress.containsKey(address);
  }

  public Collection<RegisteredWorker> all() {
    return Collections.unmodifiableCollection(byAddress.values());
  }

  public int size() {
    return byAddress.size();
  }

  void register(WorkerRegistered change) {
    byAddress.put(change.getWorkerAddress(), worker(change));
  }

  void remove(String address) {
    byAddress.remove(address);
  }

  void snapshot(List<JournalRecord> records) {
    byAddress.values().forEach(worker -> records.add(JournalRecords.of(registration(worker))));
  }

  public static RegisteredWorker worker(WorkerRegistered change) {
    return new RegisteredWorker(
        change.getWorkerAddress(),
        List.copyOf(change.getTransferServersList()),
        List.copyOf(change.getWorkerTagsList()),
        change.getWorkerUid(),
        Set.copyOf(change.getKnownOpsList()),
        change.getIncarnation(),
        change.getTracksOrigins(),
        change.hasWorkerIndex() ? OptionalLong.of(change.getWorkerIndex()) : OptionalLong.empty(),
        change.getHost(),
        change.getDraining());
  }

  public static WorkerRegistered registration(RegisteredWorker worker) {
    WorkerRegistered.Builder change =
        WorkerRegistered.newBuilder()
            .setWorkerAddress(worker.address())
            .addAllTransferServers(worker.transferServers())
            .addAllWorkerTags(worker.tags())
            .setWorkerUid(worker.uid())
            .addAllKnownOps(worker.knownOps().stream().sorted().toList())
            .setIncarnation(worker.incarnation())
            .setTracksOrigins(worker.tracksOrigins())
            .setHost(worker.host())
            .setDraining(worker.draining());
    worker.index().ifPresent(change::setWorkerIndex);
    return change.build();
  }
}
