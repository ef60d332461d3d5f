package io.headrace.dataset.execute.pass;

import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.FileAttributes;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A file that is a split of a source, in its state at the start of a pass over the dataset. Equal
 * size and modification time count as unchanged.
 *
 * @param name the name by which it is opened
 * @param size in bytes; {@link #UNSEEN} if it could not be looked up, because only workers see it
 *     or its file system is not supported here
 * @param modifiedMillis the modification time in milliseconds since 1970 (UTC); 0 if unseen
 */
public record SourceFile(String name, long size, long modifiedMillis) {
  /** The size of a file that could not be looked up. */
  public static final long UNSEEN = -1;

  private static final int MILLIS_OF_SECOND = 1000;

  /**
   * The names that one thread looks up, and the most threads: shared disks are bound by latency.
   */
  private static final int FILES_PER_THREAD = 512;

  private static final int MAX_THREADS = 16;

  /** The same for names of a service, where each is a request. */
  private static final int REMOTE_FILES_PER_THREAD = 8;

  private static final int MAX_REMOTE_THREADS = 64;

  /** The current state of the file {@code name}. */
  public static SourceFile of(String name) {
    try {
      FileAttributes now = DataFiles.attributes(name);
      return now.isFile() ? new SourceFile(name, now.size(), now.modifiedMillis()) : unseen(name);
    } catch (StatusException _) {
      return unseen(name);
    }
  }

  private static SourceFile unseen(String name) {
    return new SourceFile(name, UNSEEN, 0);
  }

  /** The current states of the files {@code names}, in order. Blocks. */
  public static List<SourceFile> of(List<String> names) {
    boolean remote = !names.stream().allMatch(DataFiles::isLocal);
    int threads =
        remote
            ? Math.min(MAX_REMOTE_THREADS, Math.ceilDiv(names.size(), REMOTE_FILES_PER_THREAD))
            : Math.min(MAX_THREADS, Math.ceilDiv(names.size(), FILES_PER_THREAD));
    if (threads <= 1) {
      return names.stream().map(SourceFile::of).toList();
    }
    int part = Math.ceilDiv(names.size(), threads);
    List<CompletableFuture<List<SourceFile>>> parts = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      for (int from = 0; from < names.size(); from += part) {
        List<String> some = names.subList(from, Math.min(names.size(), from + part));
        parts.add(
            CompletableFuture.supplyAsync(
                () -> some.stream().map(SourceFile::of).toList(), executor));
      }
    }
    return parts.stream().flatMap(found -> found.join().stream()).toList();
  }

  /** Whether size and modification time are known. */
  public boolean isSeen() {
    return size != UNSEEN;
  }

  /**
   * Checks that the file is unchanged; does nothing for an unseen file. Blocks.
   *
   * @throws StatusException NOT_FOUND if the file was removed, DATA_LOSS if it has changed, both
   *     naming it
   */
  public void requireUnchanged() {
    if (!isSeen()) {
      return;
    }
    SourceFile now;
    try {
      FileAttributes attributes = DataFiles.attributes(name);
      now = new SourceFile(name, attributes.size(), attributes.modifiedMillis());
    } catch (StatusException e) {
      if (e.code() == StatusCode.NOT_FOUND) {
        throw new StatusException(
            StatusCode.NOT_FOUND,
            name + " is not there, and was when this pass over the dataset began; put it back",
            e);
      }
      return; // opening the file reports the failure
    }
    if (size != now.size || !isSameTime(modifiedMillis, now.modifiedMillis)) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "%s is not the file that it was when this pass over the dataset began: it had %s, and has"
              + " %s; files must stay as they are while they are read, and copies of them on other"
              + " machines must keep their modification times",
          name,
          description(),
          now.description());
    }
  }

  /** Some file systems and copy tools keep whole seconds only. */
  private static boolean isSameTime(long one, long other) {
    boolean whole = one % MILLIS_OF_SECOND == 0 || other % MILLIS_OF_SECOND == 0;
    return whole
        ? Math.floorDiv(one, MILLIS_OF_SECOND) == Math.floorDiv(other, MILLIS_OF_SECOND)
        : one == other;
  }

  private String description() {
    return "%d bytes, modified at %s".formatted(size, Instant.ofEpochMilli(modifiedMillis));
  }
}
