package io.headrace.dataset.execute.snapshot;

import com.google.protobuf.TextFormat;
import com.google.protobuf.TextFormat.ParseException;
import io.headrace.proto.tensorflow.StatusProto;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The committed chunks of a distributed snapshot: the files {@code chunks/chunk_S_C_N}, of stream S
 * and with N elements. While the snapshot is written there may be more of them later; the file
 * {@code DONE} says that there will not be, and {@code ERROR} why it was given up.
 */
final class SnapshotChunks {
  private static final Pattern NAME = Pattern.compile("chunk_(\\d{1,18})_(\\d{1,18})_-?\\d{1,18}");

  /** By chunk, then by stream. */
  private static final Comparator<String> ORDER =
      Comparator.<String>comparingLong(name -> number(name, 2))
          .thenComparingLong(name -> number(name, 1))
          .thenComparing(Comparator.naturalOrder());

  private SnapshotChunks() {}

  private static long number(String name, int group) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(group)) : Long.MAX_VALUE;
  }

  /**
   * Whether the snapshot in {@code path} is finished; look before its chunks are listed. Throws the
   * error with which its writer gave up.
   */
  static boolean isDone(String path) {
    String error = SnapshotNames.join(path, "ERROR");
    if (DataFiles.exists(error)) {
      throw writerError(error);
    }
    return DataFiles.exists(SnapshotNames.join(path, "DONE"));
  }

  private static StatusException writerError(String file) {
    StatusProto.Builder status = StatusProto.newBuilder();
    try {
      TextFormat.merge(new String(DataFiles.read(file), StandardCharsets.UTF_8), status);
    } catch (ParseException e) {
      return new StatusException(StatusCode.DATA_LOSS, file + " is no status: " + e, e);
    }
    StatusCode code = StatusCode.ofNumber(status.getCodeValue());
    return code == StatusCode.OK
        ? StatusException.of(
            StatusCode.INTERNAL,
            "Unexpected snapshot ERROR file contains an OK status at %s.",
            file)
        : new StatusException(code, status.getMessage());
  }

  /** The files of the committed chunks, in the order in which they are read. */
  static List<String> committed(String path) {
    String folder = SnapshotNames.join(path, "chunks");
    if (!DataFiles.exists(folder)) {
      return List.of();
    }
    return DataFiles.names(folder).stream()
        .sorted(ORDER)
        .map(name -> SnapshotNames.join(folder, name))
        .toList();
  }
}
