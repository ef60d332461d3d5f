package io.headrace.dispatcher.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.journal.CompressionDecided;
import io.headrace.proto.headrace.journal.OpUse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;

/**
 * A registered dataset.
 *
 * @param id the dataset id
 * @param def its prepared graph, a serialized DatasetDef
 * @param metadata as it was registered
 * @param opsInUse each op that its result needs, once
 * @param compression whether readers get it uncompressed; empty until that is decided
 */
public record RegisteredDataset(
    String id,
    ByteString def,
    DataServiceMetadata metadata,
    List<OpUse> opsInUse,
    Optional<CompressionDecided> compression) {

  RegisteredDataset with(CompressionDecided decided) {
    return new RegisteredDataset(id, def, metadata, opsInUse, Optional.of(decided));
  }

  /** Whether readers get it uncompressed; empty until that is decided. */
  public Optional<Boolean> compressionDisabled() {
    return compression.map(CompressionDecided::getDisabled);
  }

  public DatasetDef parseDef() {
    try {
      return DatasetDef.parseFrom(def);
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS, "the stored graph of dataset " + id + " can't be read", e);
    }
  }
}
