package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.CompressionDecided;
import io.headrace.proto.headrace.journal.DatasetRegistered;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The registered datasets, one of the tables of {@link DispatcherState}. */
public final class Datasets {
  private static final long FIRST_ID = 1000;

  private final Map<String, RegisteredDataset> byId = new LinkedHashMap<>();
  private long nextId = FIRST_ID;
  private long totalBytes;

  public Optional<RegisteredDataset> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * The dataset with {@code id}.
   *
   * @throws StatusException NOT_FOUND, with TensorFlow's message
   */
  public RegisteredDataset get(String id) {
    @Nullable RegisteredDataset dataset = byId.get(id);
    if (dataset == null) {
      throw StatusException.of(StatusCode.NOT_FOUND, "Dataset id %s not found", id);
    }
    return dataset;
  }

  public int size() {
    return byId.size();
  }

  /** Total size of the registered graphs in bytes. */
  public long totalBytes() {
    return totalBytes;
  }

  /** The id for the next dataset that is registered without one. */
  public long nextId() {
    return nextId;
  }

  void apply(DatasetRegistered change) {
    RegisteredDataset dataset =
        new RegisteredDataset(
            change.getDatasetId(),
            change.getDatasetDef(),
            change.getMetadata(),
            List.copyOf(change.getOpsInUseList()),
            Optional.empty());
    if (byId.putIfAbsent(dataset.id(), dataset) != null) {
      throw new IllegalStateException("dataset " + dataset.id() + " is registered already");
    }
    totalBytes += dataset.def().size();
    useIdsTo(nextId);
  }

  void apply(CompressionDecided change) {
    byId.put(change.getDatasetId(), get(change.getDatasetId()).with(change));
  }

  void forget(String id) {
    totalBytes -= get(id).def().size();
    byId.remove(id);
  }

  public Collection<RegisteredDataset> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  /** Sets the next id to the first free one at or after {@code id}. */
  void useIdsTo(long id) {
    nextId = id;
    while (byId.containsKey(Long.toString(nextId))) {
      nextId++;
    }
  }

  void snapshot(List<JournalRecord> records) {
    for (RegisteredDataset dataset : byId.values()) {
      records.add(
          JournalRecords.of(
              DatasetRegistered.newBuilder()
                  .setDatasetId(dataset.id())
                  .setDatasetDef(dataset.def())
                  .setMetadata(dataset.metadata())
                  .addAllOpsInUse(dataset.opsInUse())
                  .build()));
      dataset.compression().ifPresent(decided -> records.add(JournalRecords.of(decided)));
    }
  }
}
