package io.headrace.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.PendingChunk;
import io.headrace.proto.headrace.StreamCheckpoint;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a stream of a distributed snapshot, with TensorFlow's names
 * (tensorflow/core/data/service/snapshot/path_utils.h). Chunks are committed by a checkpoint, which
 * lists them: once it is on disk, they get their names among the committed ones, if need be after a
 * restart. Used by one thread.
 *
 * <p>Of two processes that take themselves for the stream's writer, one can commit. Checkpoints are
 * numbered, and each is created only where none has its number; a writer begins with one of its
 * own, without chunks. So the next commit of an earlier writer fails (ABORTED), and the chunks that
 * it has not committed are nobody's.
 */
final class StreamFiles {
  private static final byte[] MAGIC = "Headrace stream checkpoint 1\n".getBytes(UTF_8);
  private static final Pattern CHECKPOINT = Pattern.compile("checkpoint_(\\d{1,18})_-?\\d{1,18}");
  private static final Pattern REPETITION = Pattern.compile("repetition_(\\d{1,18})");
  private static final Pattern SPLIT = Pattern.compile("split_(\\d{1,18})_\\d{1,18}");

  /** Each fails only if another process has gone on with the stream meanwhile. */
  private static final int MAX_ATTEMPTS = 10;

  /** The checkpoints that are kept: a list of names that is read meanwhile must not miss them. */
  private static final int KEPT = 3;

  private final String base;
  private final String stream;
  private final String checkpoints;
  private final String uncommitted;
  private final String chunks;

  /** The number of the last checkpoint that was read, or created here. */
  private long sequence = -1;

  private boolean isOpen;

  /** The files of the stream {@code index} of the snapshot in the folder {@code base}. */
  StreamFiles(String base, long index) {
    this.base = base;
    stream = base + "/streams/stream_" + index;
    checkpoints = stream + "/checkpoints";
    uncommitted = stream + "/uncommitted_chunks";
    chunks = base + "/chunks";
  }

  /** The file of a split that the stream was given. */
  record SplitFile(long repetition, String name) {}

  /** Whether the stream is written to its end. */
  boolean isDone() {
    return DataFiles.exists(stream + "/DONE");
  }

  /** The dataset that is saved. */
  DatasetDef dataset() {
    String file = base + "/dataset_def.proto";
    try {
      return DatasetDef.parseFrom(DataFiles.read(file));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(StatusCode.DATA_LOSS, file + " is no dataset", e);
    }
  }

  /**
   * Takes the stream over: finishes the commit that a kill interrupted, and deletes the chunks that
   * were not committed.
   *
   * @return the last checkpoint, an empty one at the beginning
   */
  StreamCheckpoint open() {
    List.of(checkpoints, uncommitted, chunks).forEach(DataFiles::createFolders);
    DataFiles.syncFolder(stream);
    DataFiles.syncFolder(DataFiles.folderOf(stream));
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Optional<String> name = last();
      sequence = name.map(StreamFiles::number).orElse(-1L);
      Optional<StreamCheckpoint> last = name.flatMap(this::find);
      if (name.isPresent() && last.isEmpty()) {
        continue; // another process has created the next one, and deleted it
      }
      StreamCheckpoint found = last.orElse(StreamCheckpoint.getDefaultInstance());
      nameChunks(found);
      if (found.getFinished() || create(found.toBuilder().clearChunks().build())) {
        DataFiles.names(uncommitted).forEach(file -> DataFiles.delete(uncommitted(file)));
        isOpen = true;
        return found;
      }
    }
    throw superseded();
  }

  /** The name of the last checkpoint. */
  private Optional<String> last() {
    return DataFiles.names(checkpoints).stream()
        .filter(name -> number(name) >= 0)
        .max(Comparator.comparingLong(StreamFiles::number));
  }

  private Optional<StreamCheckpoint> find(String name) {
    try {
      return Optional.of(read(checkpoints + "/" + name));
    } catch (StatusException e) {
      if (e.code() == StatusCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The number of the checkpoint {@code name}; -1 for another file. */
  private static long number(String name) {
    return number(CHECKPOINT, name);
  }

  private StatusException superseded() {
    return StatusException.of(
        StatusCode.ABORTED, "another process has gone on with the stream in %s", stream);
  }

  private static long number(Pattern pattern, String name) {
    Matcher matcher = pattern.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
  }

  private static StreamCheckpoint read(String file) {
    byte[] content = DataFiles.read(file);
    int end = content.length - Integer.BYTES;
    if (end < MAGIC.length || !Arrays.equals(content, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "%s is not a checkpoint of a Headrace worker: a worker of the kind that began the stream"
              + " must go on with it",
          file);
    }
    if (ByteBuffer.wrap(content).getInt(end) != MaskedCrc32c.of(content, 0, end)) {
      throw StatusException.of(StatusCode.DATA_LOSS, "%s is damaged: its checksum differs", file);
    }
    try {
      return StreamCheckpoint.parseFrom(Arrays.copyOfRange(content, MAGIC.length, end));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(StatusCode.DATA_LOSS, file + " is damaged", e);
    }
  }

  /** The file of an uncommitted chunk. */
  String uncommitted(String name) {
    return uncommitted + "/" + name;
  }

  /**
   * Commits the chunks that {@code checkpoint} lists. ABORTED if another process has taken the
   * stream over.
   */
  void commit(StreamCheckpoint checkpoint) {
    DataFiles.syncFolder(uncommitted);
    if (!create(checkpoint)) {
      throw superseded();
    }
    nameChunks(checkpoint);
  }

  /**
   * Creates the next checkpoint, and deletes those before it. Returns false if another process has
   * created it, or a later one.
   */
  private boolean create(StreamCheckpoint content) {
    byte[] all = withChecksum(content.toByteArray());
    String file = "%s/checkpoint_%d_0".formatted(checkpoints, sequence + 1);
    String temporary = temporary(file);
    try {
      if (!DataFiles.createNew(temporary, all) || !DataFiles.link(temporary, file)) {
        return false;
      }
    } finally {
      DataFiles.delete(temporary);
    }
    DataFiles.syncFolder(checkpoints);
    // A writer that fell behind finds its number free again, but later ones beside it.
    if (last().map(StreamFiles::number).orElse(-1L) != sequence + 1) {
      return false;
    }
    sequence++;
    DataFiles.names(checkpoints).stream()
        .filter(name -> number(name) <= sequence - KEPT)
        .forEach(name -> DataFiles.delete(checkpoints + "/" + name));
    return true;
  }

  private static byte[] withChecksum(byte[] message) {
    int end = MAGIC.length + message.length;
    ByteBuffer all = ByteBuffer.allocate(end + Integer.BYTES).put(MAGIC).put(message);
    return all.putInt(MaskedCrc32c.of(all.array(), 0, end)).array();
  }

  /** Whether another process has gone on with the stream since {@link #open}. */
  boolean isSuperseded() {
    try {
      return isOpen && last().map(StreamFiles::number).orElse(-1L) != sequence;
    } catch (StatusException e) {
      return e.code() == StatusCode.NOT_FOUND; // it is written to its end
    }
  }

  private void nameChunks(StreamCheckpoint checkpoint) {
    for (PendingChunk chunk : checkpoint.getChunksList()) {
      String file = uncommitted(chunk.getFile());
      String name = chunks + "/" + chunk.getName();
      if (!DataFiles.exists(name)) {
        name(file, name);
      }
    }
    DataFiles.syncFolder(chunks);
  }

  private static void name(String file, String name) {
    try {
      DataFiles.rename(file, name);
    } catch (StatusException e) {
      if (e.code() != StatusCode.NOT_FOUND) {
        throw e;
      }
      if (!DataFiles.exists(name)) { // another process may have renamed it
        throw new StatusException(
            StatusCode.DATA_LOSS, "the committed chunk " + name + " is missing", e);
      }
    }
  }

  /** Says that the stream is written to its end, which the last checkpoint says, too. */
  void finish() {
    write(stream + "/DONE", new byte[0]);
    Stream.of(checkpoints, uncommitted)
        .filter(DataFiles::exists)
        .forEach(folder -> {
          DataFiles.names(folder).forEach(name -> DataFiles.delete(folder + "/" + name));
          DataFiles.delete(folder);
        });
  }

  /** Says why the stream was given up; does nothing if that can't be written, either. */
  void fail(StatusException reason) {
    try {
      write(stream + "/ERROR", (reason.code() + ": " + reason.message()).getBytes(UTF_8));
    } catch (StatusException _) {
      return; // the dispatcher is told
    }
  }

  /** The splits of {@code source} that the stream was given, by their numbers. */
  Map<Long, SplitFile> splits(int source) {
    String folder = "%s/splits/source_%d".formatted(stream, source);
    Map<Long, SplitFile> splits = new TreeMap<>();
    for (String repetition : names(folder)) {
      long number = number(REPETITION, repetition);
      for (String name : number < 0 ? List.<String>of() : names(folder + "/" + repetition)) {
        long split = number(SPLIT, name);
        if (split >= 0) {
          splits.put(split, new SplitFile(number, folder + "/" + repetition + "/" + name));
        }
      }
    }
    return splits;
  }

  private static List<String> names(String folder) {
    return Optional.of(folder).filter(DataFiles::exists).map(DataFiles::names).orElse(List.of());
  }

  private static String temporary(String file) {
    long number = ThreadLocalRandom.current().nextLong();
    return "%s__%s.tmp".formatted(file, Long.toUnsignedString(number));
  }

  private static void write(String file, byte[] content) {
    String temporary = temporary(file);
    try {
      var _ = DataFiles.createNew(temporary, content);
      DataFiles.rename(temporary, file);
    } catch (StatusException e) {
      DataFiles.delete(temporary);
      throw e;
    }
    DataFiles.syncFolder(DataFiles.folderOf(file));
  }
}
