package io.headrace.dispatcher;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.TextFormat;
import io.headrace.dataset.file.TfRecordFrame;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.experimental.DistributedSnapshotMetadata;
import io.headrace.proto.headrace.journal.SnapshotFailed;
import io.headrace.proto.headrace.journal.SnapshotSplitTaken;
import io.headrace.proto.tensorflow.StatusProto;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The files of a distributed snapshot that a dispatcher writes, where workers and readers look for
 * them: TensorFlow's (tensorflow/core/data/service/snapshot/path_utils.h). Each file appears whole
 * or not at all; all but splits are on disk then. A split that a power failure has taken is missed
 * by its worker, which gives the snapshot up. Methods block. Thread-safe.
 */
final class SnapshotFolder {
  private final String path;

  SnapshotFolder(String path) {
    this.path = path;
  }

  /**
   * Creates the folder, with the dataset and its metadata. ALREADY_EXISTS if it is there, unless it
   * is what an earlier call for the same dataset left, before any worker wrote to it.
   */
  void create(DatasetDef dataset, DistributedSnapshotMetadata metadata) {
    byte[] definition = dataset.toByteArray();
    byte[] text = TextFormat.printer().printToString(metadata).getBytes(UTF_8);
    if (DataFiles.exists(path) && !isUnused(definition, text)) {
      throw StatusException.of(
          StatusCode.ALREADY_EXISTS, "tf.data snapshot at %s already exists.", path);
    }
    DataFiles.createFolders(path + "/chunks");
    DataFiles.createFolders(path + "/streams");
    write("dataset_def.proto", definition);
    write("dataset_spec.pb", metadata.getElementSpec().toByteArray());
    write("snapshot.metadata", text);
    DataFiles.syncFolder(DataFiles.folderOf(path));
  }

  private boolean isUnused(byte[] definition, byte[] metadata) {
    return has("dataset_def.proto", definition)
        && has("snapshot.metadata", metadata)
        && DataFiles.exists(path + "/streams")
        && DataFiles.names(path + "/streams").isEmpty();
  }

  private boolean has(String file, byte[] content) {
    String name = path + "/" + file;
    return DataFiles.exists(name) && Arrays.equals(DataFiles.read(name), content);
  }

  /** Whether it is there. */
  boolean exists() {
    return DataFiles.exists(path);
  }

  /** Creates the folders of a stream and then names its worker, unless that was done before. */
  void createStream(long index, String worker, int sources) {
    String stream = "streams/stream_" + index;
    byte[] owner = worker.getBytes(UTF_8);
    if (has(stream + "/owner_worker", owner)) {
      return;
    }
    for (int source = 0; source < sources; source++) {
      DataFiles.createFolders(
          "%s/%s/splits/source_%d/repetition_0".formatted(path, stream, source));
    }
    write(stream + "/owner_worker", owner);
  }

  /** Whether a split is written. */
  boolean hasSplit(SnapshotSplitTaken taken) {
    return DataFiles.exists(path + "/" + split(taken));
  }

  private static String split(SnapshotSplitTaken taken) {
    return "%s/split_%d_%d".formatted(splits(taken), taken.getLocalIndex(), taken.getGlobalIndex());
  }

  private static String splits(SnapshotSplitTaken taken) {
    return "streams/stream_%d/splits/source_%d/repetition_%d"
        .formatted(taken.getStreamIndex(), taken.getSourceIndex(), taken.getRepetition());
  }

  /** Writes a split for its stream, unless that was done before. */
  void writeSplit(SnapshotSplitTaken taken, TensorProto value) {
    String file = split(taken);
    if (!DataFiles.exists(path + "/" + file)) {
      DataFiles.createFolders(path + "/" + splits(taken));
      String temporary = temporary();
      try {
        DataFiles.write(temporary, framed(value.toByteArray()));
        DataFiles.rename(temporary, path + "/" + file);
      } catch (StatusException e) {
        DataFiles.delete(temporary);
        throw e;
      }
    }
  }

  /** The record as it stands in a TFRecord file. */
  private static byte[] framed(byte[] record) {
    TfRecordFrame frame = new TfRecordFrame();
    ByteArrayOutputStream framed = new ByteArrayOutputStream();
    framed.writeBytes(frame.header(record));
    framed.writeBytes(record);
    framed.writeBytes(frame.footer(record));
    return framed.toByteArray();
  }

  /** Says that a snapshot has come to its end, or why it was given up. */
  void end(Optional<SnapshotFailed> failure) {
    String file = failure.isPresent() ? "ERROR" : "DONE";
    if (!DataFiles.exists(path + "/" + file)) {
      write(file, failure.map(SnapshotFolder::text).orElse(new byte[0]));
    }
  }

  private static byte[] text(SnapshotFailed failure) {
    StatusProto status =
        StatusProto.newBuilder()
            .setCodeValue(failure.getCode())
            .setMessage(failure.getMessage())
            .build();
    return TextFormat.printer().printToString(status).getBytes(UTF_8);
  }

  /** In the folder of the snapshot, as those of splits are listed. */
  private String temporary() {
    long number = ThreadLocalRandom.current().nextLong();
    return "%s/%s.tmp".formatted(path, Long.toUnsignedString(number));
  }

  private void write(String file, byte[] content) {
    String target = path + "/" + file;
    String temporary = temporary();
    try {
      var _ = DataFiles.createNew(temporary, content);
      DataFiles.rename(temporary, target);
    } catch (StatusException e) {
      DataFiles.delete(temporary);
      throw e;
    }
    DataFiles.syncFolder(DataFiles.folderOf(target));
  }
}
