package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.MetadataComparison;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Records;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.headrace.journal.DatasetRegistered;
import java.util.List;
import java.util.Optional;

/** What requests about datasets come to. */
public final class DatasetDecisions {
  private final DispatcherLimits limits;

  public DatasetDecisions(DispatcherLimits limits) {
    this.limits = limits;
  }

  /**
   * Registers a dataset.
   *
   * @param requestedId the id it shall have; empty for one that is made up. An id that is taken
   *     gives the dataset that has it, if the metadata agree
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
    return new Decision<>(List.of(Records.of(change)), registered(id));
  }

  /** The first to ask whether to go without compression decides it for all. */
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
    boolean disable = request.getDisableCompressionAtRuntime();
    return new Decision<>(
        List.of(Records.compressionDecided(dataset.id(), disable)), decided(disable));
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
