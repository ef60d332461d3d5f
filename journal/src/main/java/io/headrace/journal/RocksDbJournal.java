package io.headrace.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.journal.WriteQueue.Write;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * A journal in a local directory, kept by RocksDB. An append completes once it has been flushed to
 * disk (fdatasync), on the appending thread if no other thread writes; concurrent appends share a
 * flush (group commit).
 *
 * <p>The directory belongs to one journal at a time, of any process (see {@link WorkDir}). While
 * the disk is full or failing, appends fail with UNAVAILABLE and replays work; each append retries,
 * so the journal recovers by itself. Thread-safe.
 */
public final class RocksDbJournal implements Journal {
  /*
   * Lock order: `storage`, then `queue`. A thread that appends while no other thread writes becomes
   * the writer, and writes until the queue is empty. The dispatcher waits for each of its batches,
   * so this saves a thread hand-over. The writer holds `storage` for each group, and so does a
   * replay, which keeps RocksDB open under its iterator. Futures complete under neither lock.
   *
   * After a failed write the content of RocksDB's log is unknown, so RocksDB is closed and
   * reopened. That may fail for the same reason; until it works, a read-only handle serves replays.
   * Records beyond the last acknowledged one were reported as failed: a replay omits them, and
   * reopening RocksDB cuts them.
   */

  private static final Logger LOGGER = System.getLogger(RocksDbJournal.class.getName());

  private final WorkDir work;
  private final Object storage = new Object();
  private final WriteQueue queue = new WriteQueue();
  private final AcknowledgedFile acknowledgedFile;

  /** Held by the writer. Not a lock: completing a write may append again on the same thread. */
  private final Semaphore writing = new Semaphore(1);

  private final UUID id;
  private final long epoch;

  /** Null only while RocksDB can't be opened at all. */
  @GuardedBy("storage")
  private @Nullable RocksDbStore store;

  @GuardedBy("storage")
  private boolean writable = true;

  @GuardedBy("storage")
  private long acknowledged;

  @GuardedBy("storage")
  private boolean released;

  /** Compacts RocksDB's files after a snapshot. */
  @GuardedBy("storage")
  private Thread shrinker = Thread.ofPlatform().unstarted(() -> {});

  private RocksDbJournal(
      WorkDir work, RocksDbStore store, AcknowledgedFile acknowledgedFile, long acknowledged) {
    this.work = work;
    this.store = store;
    this.acknowledgedFile = acknowledgedFile;
    this.acknowledged = acknowledged;
    id = store.header().id();
    epoch = store.header().epoch();
  }

  /**
   * Opens the journal of {@code workDir}, creating it if the directory is empty or missing. A
   * failed open changes nothing.
   *
   * @param workDir the directory
   * @param takeOver whether to use a directory that another host used last; safe only if no
   *     dispatcher runs there any more
   * @throws StatusException FAILED_PRECONDITION if the directory is held by another journal or of
   *     another host, holds something else, or can't be written to; DATA_LOSS, naming record and
   *     file, if acknowledged records are damaged or missing
   */
  public static RocksDbJournal open(Path workDir, boolean takeOver) {
    return open(workDir, WorkDirOwner.current(), takeOver);
  }

  /** Opens a journal as a test's process. */
  static RocksDbJournal open(Path workDir, WorkDirOwner me, boolean takeOver) {
    RocksDbLibrary.load();
    WorkDir work = WorkDir.claim(workDir, me, takeOver);
    try {
      return open(work);
    } catch (IOException | RocksDBException e) {
      throw abandon(
          work,
          new StatusException(
              StatusCode.FAILED_PRECONDITION,
              "the journal in work_dir " + workDir + " can't be opened: " + e.getMessage(),
              e));
    } catch (StatusException e) {
      throw abandon(work, e);
    }
  }

  private static StatusException abandon(WorkDir work, StatusException failure) {
    try (work) {
      work.restoreOwner();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  @SuppressWarnings("MustBeClosedChecker") // closed with the journal
  private static RocksDbJournal open(WorkDir work) throws IOException, RocksDBException {
    if (work.isNew()) {
      create(work);
    }
    RocksDbIntegrityCheck.Whole whole = RocksDbIntegrityCheck.check(work);
    RocksDbStore store = RocksDbStore.openToWrite(work.journal());
    try {
      store
          .dropped()
          .forEach(line ->
              LOGGER.log(Level.WARNING, "cut a write that was never acknowledged: " + line));
      store.cut(whole.last());
      store.beginEpoch();
      work.writeOwner(store.header().epoch());
      AcknowledgedFile file = AcknowledgedFile.open(work.acknowledged(), whole.header().id());
      file.set(store.header().first(), whole.last());
      return new RocksDbJournal(work, store, file, whole.last());
    } catch (IOException | RocksDBException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Creates a journal under a temporary name, and renames it once it is complete. */
  private static void create(WorkDir work) throws IOException, RocksDBException {
    deleteAll(work.newJournal());
    Files.createDirectory(work.newJournal());
    RocksDbStore.create(work.newJournal());
    try (RocksDbStore created = RocksDbStore.openToRead(work.newJournal())) {
      AcknowledgedFile.create(work.acknowledged(), created.header().id());
    }
    Files.move(work.newJournal(), work.journal(), StandardCopyOption.ATOMIC_MOVE);
    work.force();
  }

  /** Deletes a flat directory. */
  private static void deleteAll(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Override
  public UUID id() {
    return id;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public void replay(Consumer<byte[]> reader) {
    synchronized (storage) {
      RocksDbStore readable = readable();
      try {
        long last = readable.read(acknowledged, reader);
        if (last < acknowledged) {
          throw new DamagedRecordException(last + 1, "is missing");
        }
      } catch (DamagedRecordException e) {
        throw RocksDbIntegrityCheck.report(work.journal(), String.valueOf(e.getMessage()));
      }
      queue.endDoubt();
    }
  }

  @Override
  public CompletableFuture<Long> append(List<byte[]> records) {
    CompletableFuture<Long> result = queue.add(records, false);
    writeAll();
    return result;
  }

  @Override
  public void resume() {
    queue.endDoubt();
  }

  @Override
  public CompletableFuture<Long> compact(List<byte[]> records) {
    CompletableFuture<Long> result = queue.add(records, true);
    writeAll();
    return result;
  }

  /** Completes the queued appends, then releases all resources. */
  @Override
  public void close() {
    queue.close();
    writing.acquireUninterruptibly();
    try {
      writeGroups();
    } finally {
      writing.release();
    }
    synchronized (storage) {
      if (released) {
        return;
      }
      released = true;
      if (store != null) {
        store.close();
        store = null;
      }
      try (work) {
        acknowledgedFile.close();
      } catch (IOException e) {
        LOGGER.log(Level.WARNING, work.acknowledged() + " was not flushed: " + e);
      }
    }
  }

  /** Writes all queued groups, unless another thread is writing. */
  private void writeAll() {
    // The loop covers a write added while the writer finishes: one of both threads sees it.
    while (queue.hasWaiting() && writing.tryAcquire()) {
      try {
        writeGroups();
      } finally {
        writing.release();
      }
    }
  }

  private void writeGroups() {
    for (List<Write> group = queue.poll(); !group.isEmpty(); group = queue.poll()) {
      write(group);
    }
  }

  private void write(List<Write> group) {
    @Nullable StatusException failure = null;
    long[] numbers = new long[group.size()];
    synchronized (storage) {
      try {
        commit(group, numbers);
      } catch (IOException | RocksDBException | RuntimeException | OutOfMemoryError e) {
        failure = failed(e);
        giveUpWriting();
        group = new ArrayList<>(group);
        group.addAll(queue.enterDoubt());
      }
    }
    for (int i = 0; i < group.size(); i++) {
      if (failure != null) {
        group.get(i).result().completeExceptionally(failure);
      } else {
        group.get(i).result().complete(numbers[i]);
      }
    }
    if (failure == null && group.getFirst().isSnapshot()) {
      shrink();
    }
  }

  @GuardedBy("storage")
  private void commit(List<Write> group, long[] numbers) throws IOException, RocksDBException {
    RocksDbStore writing = writable();
    long last = acknowledged;
    for (int i = 0; i < numbers.length; i++) {
      last += group.get(i).records().size();
      numbers[i] = last;
    }
    if (group.getFirst().isSnapshot()) {
      writing.replace(acknowledged + 1, group.getFirst().records());
    } else {
      writing.append(acknowledged + 1, group.stream().map(Write::records).toList());
    }
    acknowledgedFile.set(writing.header().first(), last);
    acknowledged = last;
  }

  /** The store for writing, reopened after a failure. */
  @GuardedBy("storage")
  private RocksDbStore writable() throws RocksDBException {
    if (writable && store != null) {
      return store;
    }
    RocksDbStore opened = RocksDbStore.openToWrite(work.journal());
    try {
      long last = opened.read(acknowledged, _ -> {});
      if (last < acknowledged) {
        throw new DamagedRecordException(last + 1, "is missing");
      }
      opened.cut(acknowledged);
    } catch (RocksDBException | DamagedRecordException e) {
      opened.close();
      throw e;
    }
    if (store != null) {
      store.close();
    }
    store = opened;
    writable = true;
    LOGGER.log(Level.INFO, "the journal in " + work.journal() + " can be written to again");
    return opened;
  }

  @GuardedBy("storage")
  private RocksDbStore readable() {
    if (store != null) {
      return store;
    }
    if (released) {
      throw WriteQueue.closed();
    }
    try {
      RocksDbStore opened = RocksDbStore.openToRead(work.journal());
      store = opened;
      return opened;
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @GuardedBy("storage")
  private void giveUpWriting() {
    if (!writable) {
      return;
    }
    writable = false;
    if (store != null) {
      store.close();
      store = null;
    }
  }

  /** Deletes what a compaction replaced. A failure is harmless: the next compaction tries again. */
  private void shrink() {
    synchronized (storage) {
      if (!writable || store == null) {
        return;
      }
      RocksDbStore large = store;
      try {
        large.cut(acknowledged);
      } catch (RocksDBException e) {
        LOGGER.log(Level.WARNING, "what a compaction replaced was not deleted: " + e.getMessage());
        giveUpWriting();
        return;
      }
      shrinker = Thread.ofPlatform().daemon().name("journal-shrinker").start(() -> shrink(large));
    }
  }

  private static void shrink(RocksDbStore large) {
    try {
      large.shrink();
    } catch (RocksDBException e) {
      LOGGER.log(Level.INFO, "the journal's files were not made smaller: " + e.getMessage());
    }
  }

  /** Waits for the end of shrinking after a compaction; for tests. */
  void awaitShrunk() throws InterruptedException {
    // A write after the compaction completes after the shrinker has started.
    append(List.of()).join();
    Thread running;
    synchronized (storage) {
      running = shrinker;
    }
    running.join();
  }

  private StatusException failed(Throwable e) {
    String message = "the journal in " + work.journal() + " can't be written: " + e.getMessage();
    return new StatusException(StatusCode.UNAVAILABLE, message, e);
  }
}
