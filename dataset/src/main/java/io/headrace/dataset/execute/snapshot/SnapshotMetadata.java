package io.headrace.dataset.execute.snapshot;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The file {@code snapshot.metadata}, which names the run to read. It is written once the run is
 * whole and on disk, so whoever finds a run by it finds all of it. (TensorFlow also writes one,
 * without {@code finalized}, when a run begins.)
 */
final class SnapshotMetadata {
  /** The version of chunk files that are written: TFRecords of TensorProtos. */
  static final int VERSION = 2;

  private static final String NAME = "snapshot.metadata";

  private SnapshotMetadata() {}

  static String file(String folder) {
    return SnapshotNames.join(folder, NAME);
  }

  /** The metadata in {@code folder}, if there is some; DATA_LOSS if it cannot be parsed. */
  static Optional<SnapshotMetadataRecord> find(String folder) {
    String file = file(folder);
    if (!DataFiles.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(SnapshotMetadataRecord.parseFrom(DataFiles.read(file)));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS, file + " is no metadata of a snapshot, or is damaged", e);
    }
  }

  /** The metadata of a whole run, of elements with {@code types}. */
  static SnapshotMetadataRecord.Builder of(String runId, List<DataType> types, Instant now) {
    SnapshotMetadataRecord.Builder metadata =
        SnapshotMetadataRecord.newBuilder()
            .setRunId(runId)
            .setCreationTimestamp(
                TimeUnit.SECONDS.toMicros(now.getEpochSecond())
                    + TimeUnit.NANOSECONDS.toMicros(now.getNano()))
            .setVersion(VERSION)
            .setFinalized(true);
    types.forEach(type -> metadata.addDtypeValue(type.number()));
    return metadata;
  }

  /** Writes the metadata in {@code folder}, which the caller syncs. */
  static void write(String folder, SnapshotMetadataRecord metadata) {
    byte[] bytes = metadata.toByteArray();
    try (AtomicFile file = AtomicFile.create(file(folder))) {
      file.write(bytes, 0, bytes.length);
      file.commit();
    }
  }

  /** INVALID_ARGUMENT, naming the folder, unless the snapshot holds elements of {@code types}. */
  static void checkTypes(String folder, SnapshotMetadataRecord metadata, List<DataType> types) {
    List<DataType> saved = metadata.getDtypeValueList().stream().map(DataType::ofNumber).toList();
    if (!saved.equals(types)) {
      throw StatusException.invalidArgument(
          "the snapshot in %s has elements of %s, and elements of %s are to be read from it",
          folder, names(saved), names(types));
    }
  }

  /** The names of {@code types}, for messages. */
  static List<String> names(List<DataType> types) {
    return types.stream().map(DataType::tfName).toList();
  }
}
