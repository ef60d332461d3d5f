package io.headrace.journal;

import io.headrace.runtime.file.ReservedFolders;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory for the state of one dispatcher at a time, held from {@link #claim} to {@link #close}
 * by a file lock on its file {@code owner}.
 *
 * <p>The operating system releases the lock when the process ends. The lock works between processes
 * of one host, but not reliably between hosts that share a disk. So a directory last used by
 * another host is refused unless the caller vouches that no process there uses it any more. No op
 * of this process may touch a held directory ({@link ReservedFolders}). Not thread-safe.
 */
final class WorkDir implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(WorkDir.class.getName());
  private static final String OWNER = "owner";
  private static final String JOURNAL = "journal";
  private static final String NEW_JOURNAL = "journal.new";
  private static final String ACKNOWLEDGED = "acknowledged";
  private static final String STOCK_JOURNAL = "tf_data_dispatcher_journal";

  /** Names that may exist in a directory without a journal. */
  private static final Set<String> ALLOWED_WITHOUT_JOURNAL =
      Set.of(OWNER, NEW_JOURNAL, ACKNOWLEDGED, "lost+found");

  /**
   * The directories that this process holds: POSIX locks don't exclude the process itself, and
   * closing any other channel of the locked file would release the lock.
   */
  private static final Map<Object, WorkDirOwner> HELD = new ConcurrentHashMap<>();

  private final Path directory;
  private final Object key;
  private final FileChannel channel;
  private final ReservedFolders.Reservation reservation;
  private final WorkDirOwner me;
  private final @Nullable WorkDirOwner previous;
  private boolean closed;

  private WorkDir(
      Path directory,
      Object key,
      FileChannel channel,
      ReservedFolders.Reservation reservation,
      WorkDirOwner me,
      @Nullable WorkDirOwner previous) {
    this.directory = directory;
    this.key = key;
    this.channel = channel;
    this.reservation = reservation;
    this.me = me;
    this.previous = previous;
  }

  /**
   * Claims {@code directory}, created if it is missing, for {@code me}.
   *
   * @param directory the directory
   * @param me the claiming process
   * @param takeOver whether the directory may be another host's
   * @throws StatusException FAILED_PRECONDITION, with nothing changed, if it is held, foreign, of
   *     another host, or can't be written to
   */
  static WorkDir claim(Path directory, WorkDirOwner me, boolean takeOver) {
    try {
      prepare(directory);
      Object key = key(directory);
      @Nullable WorkDirOwner holder = HELD.putIfAbsent(key, me);
      if (holder != null) {
        throw held(directory, holder);
      }
      return lockOrForget(directory, key, me, takeOver);
    } catch (IOException e) {
      throw unusable(directory, e);
    }
  }

  /**
   * A directory whose journal is read and not changed, held against dispatchers meanwhile.
   *
   * @param journal the journal's directory
   * @param acknowledged the file beside it
   * @param owner its last user
   * @param channel holds the lock
   */
  record Reading(Path journal, Path acknowledged, WorkDirOwner owner, FileChannel channel)
      implements AutoCloseable {
    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /**
   * Holds {@code directory} for reading.
   *
   * @throws StatusException FAILED_PRECONDITION if a dispatcher uses it, or it holds no journal
   */
  @SuppressWarnings("MustBeClosedChecker") // the channel is closed with the Reading
  static Reading read(Path directory) {
    Path file = directory.resolve(OWNER);
    if (!Files.exists(file) || !Files.exists(directory.resolve(JOURNAL))) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "work_dir %s holds no journal of Headrace", directory);
    }
    try {
      @Nullable WorkDirOwner holder = HELD.get(key(directory));
      if (holder != null) {
        throw held(directory, holder);
      }
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      try {
        boolean free = channel.tryLock(0, Long.MAX_VALUE, true) != null;
        @Nullable WorkDirOwner owner = read(file, channel);
        if (!free) {
          throw held(directory, owner);
        }
        return new Reading(
            directory.resolve(JOURNAL),
            directory.resolve(ACKNOWLEDGED),
            owner == null ? new WorkDirOwner("unknown", 0, "unknown", 0) : owner,
            channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw unusable(directory, e);
    }
  }

  Path journal() {
    return directory.resolve(JOURNAL);
  }

  /** The temporary name of a journal that is being created. */
  Path newJournal() {
    return directory.resolve(NEW_JOURNAL);
  }

  Path acknowledged() {
    return directory.resolve(ACKNOWLEDGED);
  }

  /** Whether no journal was ever kept here. */
  boolean isNew() {
    return !Files.exists(journal()) && (previous == null || previous.epoch() == 0);
  }

  /** Writes the owner file, durably. */
  void writeOwner(long epoch) throws IOException {
    write(channel, me.withEpoch(epoch).toBytes());
    channel.force(true);
  }

  /** Restores the owner file after a failed open. */
  void restoreOwner() throws IOException {
    if (previous == null) {
      channel.truncate(0);
    } else {
      write(channel, previous.toBytes());
    }
  }

  /** Flushes the directory's entries. */
  void force() throws IOException {
    force(directory);
  }

  /** Releases the directory. Further calls do nothing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      channel.close();
    } catch (IOException e) {
      // The lock ends with the process at the latest.
      LOGGER.log(Level.WARNING, directory + " was not let go of in order: " + e);
    } finally {
      reservation.close();
      HELD.remove(key);
    }
  }

  private static void prepare(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
      force(directory.toAbsolutePath().getParent());
    }
    if (!Files.isWritable(directory)) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "work_dir %s can't be written to", directory);
    }
    if (!Files.exists(directory.resolve(OWNER)) && !looksLikeOurs(directory)) {
      requireEmpty(directory);
    }
  }

  /** A journal without its owner file is accepted. */
  private static boolean looksLikeOurs(Path directory) {
    return Files.isDirectory(directory.resolve(JOURNAL))
        && Files.isRegularFile(directory.resolve(ACKNOWLEDGED));
  }

  private static void requireEmpty(Path directory) throws IOException {
    List<String> names;
    try (Stream<Path> files = Files.list(directory)) {
      names = files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
    if (names.contains(STOCK_JOURNAL)) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "work_dir %s holds the journal of a TensorFlow dispatcher (%s), which Headrace does not"
              + " read; give another directory",
          directory,
          STOCK_JOURNAL);
    }
    for (String name : names) {
      if (!ALLOWED_WITHOUT_JOURNAL.contains(name)) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "work_dir %s holds no journal of Headrace, but other files (%s); give an empty"
                + " directory, or one that Headrace has written",
            directory,
            name);
      }
    }
  }

  private static Object key(Path directory) throws IOException {
    Path real = directory.toRealPath();
    @Nullable Object key = Files.readAttributes(real, BasicFileAttributes.class).fileKey();
    return key == null ? real : key;
  }

  private static WorkDir lockOrForget(Path directory, Object key, WorkDirOwner me, boolean takeOver)
      throws IOException {
    @Nullable WorkDir claimed = null;
    try {
      claimed = lock(directory, key, me, takeOver);
      return claimed;
    } finally {
      if (claimed == null) {
        HELD.remove(key);
      }
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // the channel is closed with the WorkDir
  private static WorkDir lock(Path directory, Object key, WorkDirOwner me, boolean takeOver)
      throws IOException {
    Path file = directory.resolve(OWNER);
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    ReservedFolders.@Nullable Reservation reservation = null;
    try {
      reservation = ReservedFolders.reserve(directory);
      boolean free = channel.tryLock() != null;
      @Nullable WorkDirOwner named = read(file, channel);
      if (!free) {
        throw held(directory, named);
      }
      if (named != null && !named.host().equals(me.host()) && !takeOver) {
        throw otherHost(directory, named);
      }
      WorkDir claimed = new WorkDir(directory, key, channel, reservation, me, named);
      claimed.writeOwner(named == null ? 0 : named.epoch());
      return claimed;
    } catch (IOException | RuntimeException e) {
      if (reservation != null) {
        reservation.close();
      }
      channel.close();
      throw e;
    }
  }

  private static @Nullable WorkDirOwner read(Path file, FileChannel channel) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(WorkDirOwner.BYTES);
    long at = 0;
    for (int n = 0; content.hasRemaining() && n >= 0; at += n) {
      n = channel.read(content, at);
    }
    byte[] bytes = Arrays.copyOf(content.array(), content.position());
    return bytes.length == 0 ? null : WorkDirOwner.parse(file, bytes);
  }

  private static void write(FileChannel channel, byte[] content) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    while (bytes.hasRemaining()) {
      var _ = channel.write(bytes, bytes.position());
    }
  }

  /** Flushes the entries of {@code directory}, where the system supports it. */
  private static void force(@Nullable Path directory) throws IOException {
    if (directory != null && Files.isDirectory(directory)) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static StatusException held(Path directory, @Nullable WorkDirOwner holder) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "work_dir %s is in use by another dispatcher (%s): stop that one, or give this one a folder"
            + " of its own",
        directory,
        holder == null ? "which has not said yet who it is" : holder);
  }

  private static StatusException otherHost(Path directory, WorkDirOwner owner) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "work_dir %s was last used by %s; if no dispatcher runs there any more, --take-over takes"
            + " it",
        directory,
        owner);
  }

  private static StatusException unusable(Path directory, IOException e) {
    return new StatusException(
        StatusCode.FAILED_PRECONDITION,
        "work_dir " + directory + " can't be used: " + reason(directory, e),
        e);
  }

  private static String reason(Path directory, IOException e) {
    return switch (e) {
      case NoSuchFileException missing ->
          "there is no %s, and it can't be created".formatted(missing.getFile());
      case AccessDeniedException denied -> "permission to %s is denied".formatted(denied.getFile());
      case FileAlreadyExistsException file -> "%s is a file".formatted(file.getFile());
      case FileSystemException other when other.getReason() != null ->
          "%s: %s".formatted(other.getFile(), other.getReason());
      default -> e.getMessage() == null ? "an error of " + directory : e.getMessage();
    };
  }
}
