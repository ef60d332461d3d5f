package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.MetadataComparison;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.headrace.journal.CompressionDecided;
import io.headrace.proto.headrace.journal.DatasetRegistered;
import java.util.List;
import java.util.Optional;

/** Decisions on dataset requests. */
public final class DatasetDecisions {
  private final DispatcherLimits limits;

  public DatasetDecisions(DispatcherLimits limits) {
    this.limits = limits;
  }

  /**
   * Registers a dataset.
   *
   * @param state the dispatcher's state
   * @param requestedId the id to register under; empty for a new one. An id in use yields the
   *     existing dataset if its metadata are the same
   * @param metadata the dataset's metadata
   * @param prepared the dataset's prepared graph
   */
  public Decision<GetOrRegisterDatasetResponse> getOrRegister(
      DispatcherState state,
      String requestedId,
      DataServiceMetadata metadata,
      PreparedDataset prepared) {
    Optional<RegisteredDataset> existing = state.datasets().find(requestedId);
    if (existing.isPresent()) {
      MetadataComparison.requireSame(requestedId, existing.get().metadata(), metadata);
      return Decision.answer(registered(requestedId));
    }
    limits.requireRoomForDataset(state.datasets(), prepared.def().size());
    String id = requestedId.isEmpty() ? Long.toString(state.datasets().nextId()) : requestedId;
    DatasetRegistered change =
        DatasetRegistered.newBuilder()
            .setDatasetId(id)
            .setDatasetDef(prepared.def())
            .setMetadata(metadata)
            .addAllOpsInUse(prepared.opsInUse())
            .build();
    return new Decision<>(List.of(JournalRecords.of(change)), registered(id));
  }

  /**
   * Decides whether readers of a dataset go without compression: if the first request wants it so,
   * or {@link RuntimeCompression} finds it needless. The decision is for good.
   */
  public Decision<DisableCompressionAtRuntimeResponse> disableCompression(
      DispatcherState state, DisableCompressionAtRuntimeRequest request) {
    RegisteredDataset dataset = state.datasets().get(request.getDatasetId());
    if (dataset.metadata().getCompression() == Compression.COMPRESSION_OFF) {
      return Decision.answer(
          DisableCompressionAtRuntimeResponse.newBuilder().setNoCompressionToDisable(true).build());
    }
    if (dataset.compressionDisabled().isPresent()) {
      return Decision.answer(decided(dataset.compressionDisabled().get()));
    }
    boolean needless = RuntimeCompression.isNeedless(state, dataset);
    boolean requested = request.getDisableCompressionAtRuntime() && !needless;
    CompressionDecided change =
        CompressionDecided.newBuilder()
            .setDatasetId(dataset.id())
            .setDisabled(needless || requested)
            .setRequested(requested)
            .build();
    return new Decision<>(List.of(JournalRecords.of(change)), decided(change.getDisabled()));
  }

  private static GetOrRegisterDatasetResponse registered(String id) {
    return GetOrRegisterDatasetResponse.newBuilder().setDatasetId(id).build();
  }

  private static DisableCompressionAtRuntimeResponse decided(boolean disabled) {
    return DisableCompressionAtRuntimeResponse.newBuilder()
        .setCompressionDisabledAtRuntime(disabled)
        .build();
  }
}
