package io.headrace.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.journal.GcsLog.Superseded;
import io.headrace.journal.WriteQueue.Write;
import io.headrace.runtime.file.ReservedFolders;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A journal in a bucket of Google Cloud Storage. An append completes once its object has been
 * created; concurrent appends share an object (group commit).
 *
 * <p>The journal opened last takes over. Its predecessor is {@linkplain #lost lost}, which it
 * learns at its next append or within seconds. During an outage of the bucket, appends fail with
 * UNAVAILABLE and replays work; afterwards the journal recovers by itself. Thread-safe.
 */
public final class GcsJournal implements Journal {
  /*
   * Only the writer thread uses the log. The records are also kept in memory, so a replay needs no
   * bucket and shares their bytes.
   *
   * After a failed append its object may still come to exist. The callers of this append and of all
   * later ones get UNAVAILABLE. The writer retries by itself to fill the object's number with an
   * empty object, or to put one behind it (GcsLog.settle), so the failed batch never counts. Until
   * then the journal refuses appends immediately.
   */

  private static final Logger LOGGER = System.getLogger(GcsJournal.class.getName());
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final int CLEANERS = 4;
  private static final Duration CLEAN_GRACE = Duration.ofSeconds(5);

  private final GcsBucket bucket;
  private final GcsLog log;
  private final GcsSettings settings;
  private final Ticker ticker;
  private final WriteQueue queue = new WriteQueue();
  private final CompletableFuture<StatusException> lost = new CompletableFuture<>();
  private final Thread writer;
  private final ExecutorService cleaners =
      Executors.newFixedThreadPool(
          CLEANERS, Thread.ofPlatform().daemon().name("journal-cleaner-", 0).factory());
  private final Object lock = new Object();
  private final UUID id;
  private final long epoch;
  private final ReservedFolders.RemoteReservation reservation;

  /** All records in the log; modified by the writer only. */
  @GuardedBy("lock")
  private List<byte[]> records;

  @GuardedBy("lock")
  private List<Future<?>> cleaning = List.of();

  @GuardedBy("lock")
  private boolean released;

  /** Used by the writer only: the time of the last hint, and whether the log has grown since. */
  private long hintedNanos;

  private boolean isHintDue = true;

  private GcsJournal(
      GcsBucket bucket, GcsLog log, List<byte[]> records, GcsSettings settings, Ticker ticker) {
    this.bucket = bucket;
    this.log = log;
    this.records = new ArrayList<>(records);
    this.settings = settings;
    this.ticker = ticker;
    id = log.journal();
    epoch = log.epoch();
    reservation = ReservedFolders.reserveRemote(bucket.location().toString());
    hintedNanos = ticker.nanoTime();
    writer = Thread.ofPlatform().daemon().name("journal-writer").unstarted(this::writeAll);
  }

  /**
   * Opens the journal at {@code location}, creating it if nothing is there, and takes it over from
   * its present owner. A failed open changes nothing.
   *
   * @throws StatusException FAILED_PRECONDITION if the bucket does not exist, can't be read or
   *     written, or holds something else there; UNAVAILABLE if it can't be reached; DATA_LOSS,
   *     naming record and object, if acknowledged records are damaged or missing
   */
  public static GcsJournal open(GcsLocation location) {
    return open(location, GcsSettings.defaults(), SystemTicker.INSTANCE, WorkDirOwner.current());
  }

  /** Opens a journal with a test's settings, clock and process. */
  static GcsJournal open(
      GcsLocation location, GcsSettings settings, Ticker ticker, WorkDirOwner me) {
    GcsBucket bucket = GcsBucket.connect(location, settings.timeout());
    try {
      GcsRetry retry = new GcsRetry(ticker, settings.patience());
      GcsLog.Opened opened = GcsLog.open(bucket, retry, settings, me);
      GcsJournal journal = new GcsJournal(bucket, opened.log(), opened.records(), settings, ticker);
      journal.clean(opened.garbage());
      journal.writer.start();
      return journal;
    } catch (GcsFailure e) {
      bucket.close();
      throw refusal(location, e);
    } catch (RuntimeException e) {
      bucket.close();
      throw e;
    }
  }

  static StatusException refusal(GcsLocation location, GcsFailure e) {
    String what =
        switch (e.status()) {
          case 404 -> "bucket " + location.bucket() + " does not exist";
          case 401, 403 -> "it may not be used with the credentials that there are";
          default -> e.isTransient() ? "it can't be reached" : "it can't be used";
        };
    return new StatusException(
        e.isTransient() ? StatusCode.UNAVAILABLE : StatusCode.FAILED_PRECONDITION,
        "work_dir " + location + ": " + what + " (" + e.getMessage() + ")",
        e);
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
    @Nullable StatusException reason = lost.getNow(null);
    if (reason != null) {
      throw reason;
    }
    List<byte[]> all;
    synchronized (lock) {
      if (released) {
        throw WriteQueue.closed();
      }
      all = List.copyOf(records);
    }
    all.forEach(reader);
    queue.endDoubt();
  }

  @Override
  public CompletableFuture<Long> append(List<byte[]> batch) {
    return queue.add(batch, false);
  }

  @Override
  public void resume() {
    queue.endDoubt();
  }

  @Override
  public CompletableFuture<Long> compact(List<byte[]> batch) {
    return queue.add(batch, true);
  }

  @Override
  public CompletableFuture<StatusException> lost() {
    return lost;
  }

  /** Completes the queued appends as far as its retry limit allows, then releases all resources. */
  @Override
  public void close() {
    queue.close();
    joinWriter();
    synchronized (lock) {
      if (released) {
        return;
      }
      released = true;
    }
    cleaners.shutdown();
    try {
      var _ = cleaners.awaitTermination(CLEAN_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cleaners.shutdownNow();
    bucket.close();
    reservation.close();
  }

  private void joinWriter() {
    boolean interrupted = false;
    while (writer.isAlive()) {
      try {
        writer.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The writer thread's loop. Errors count as failures: without a writer, appends never end. */
  private void writeAll() {
    while (!queue.isDone() && !lost.isDone()) {
      List<Write> group = queue.take(settings.checkEvery());
      try {
        if (group.isEmpty() && !queue.isDone()) {
          check();
        } else if (!group.isEmpty()) {
          answer(group, write(group));
        }
        writeHint(false);
      } catch (GcsFailure | RuntimeException | Error e) {
        fail(group, unavailable(e));
        LOGGER.log(Level.WARNING, unavailable(e).message() + "; retrying");
        settle();
      } catch (Superseded e) {
        lose(group, e);
      }
    }
    if (!lost.isDone()) {
      writeHint(true);
    }
  }

  /** Writes a group; returns the number of each batch's last record. */
  private long[] write(List<Write> group) throws GcsFailure, Superseded {
    long[] numbers = new long[group.size()];
    long last = log.lastRecord();
    for (int i = 0; i < numbers.length; i++) {
      last += group.get(i).records().size();
      numbers[i] = last;
    }
    List<byte[]> written = group.stream().flatMap(write -> write.records().stream()).toList();
    if (group.getFirst().isSnapshot()) {
      clean(log.replace(written));
      setRecords(new ArrayList<>(written));
    } else if (!written.isEmpty()) {
      rollUp();
      log.append(written);
      synchronized (lock) {
        records.addAll(written);
      }
    }
    isHintDue = true;
    return numbers;
  }

  /**
   * Rolls the log up when it is due, which bounds the number of objects and the time of a start.
   */
  private void rollUp() throws GcsFailure, Superseded {
    if (log.needsRollUp()) {
      List<byte[]> all;
      synchronized (lock) {
        all = List.copyOf(records);
      }
      clean(log.rollUp(all));
    }
  }

  /** Checks, while there are no writes, whether a successor has taken over. */
  private void check() throws Superseded {
    try {
      log.check();
    } catch (GcsFailure e) {
      LOGGER.log(Level.DEBUG, "could not check the journal in " + where(), e);
    }
  }

  /** Writes the hint of the log's end, at intervals. A failure is harmless. */
  private void writeHint(boolean now) {
    if (!isHintDue || (!now && ticker.nanoTime() - hintedNanos < settings.checkEvery().toNanos())) {
      return;
    }
    hintedNanos = ticker.nanoTime();
    try {
      log.writeHint();
      isHintDue = false;
    } catch (GcsFailure e) {
      LOGGER.log(Level.DEBUG, "could not write the hint of the journal in " + where(), e);
    }
  }

  private static void answer(List<Write> group, long[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
      group.get(i).result().complete(numbers[i]);
    }
  }

  /** Fails the group, all queued writes, and all later ones. */
  private void fail(List<Write> group, StatusException failure) {
    queue.refuse(() -> new StatusException(failure.code(), failure.message(), failure));
    List<Write> failed = new ArrayList<>(group);
    failed.addAll(queue.enterDoubt());
    failed.forEach(write -> write.result().completeExceptionally(failure));
  }

  /** Retries until the log is in order, or the journal is closed or lost. */
  private void settle() {
    Duration pause = Duration.ofMillis(100);
    while (!queue.awaitClosed(pause)) {
      try {
        log.settle();
        queue.refuse(null);
        LOGGER.log(Level.INFO, "the journal in " + where() + " can be written to again");
        return;
      } catch (Superseded e) {
        lose(List.of(), e);
        return;
      } catch (GcsFailure | RuntimeException | Error e) {
        LOGGER.log(Level.DEBUG, "the journal in " + where() + " can't be written", e);
        pause = pause.multipliedBy(2);
        pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
      }
    }
    // Closed during an outage: no last hint.
    isHintDue = false;
  }

  private void lose(List<Write> group, Superseded e) {
    fail(group, e.status());
    lost.complete(e.status());
  }

  private void setRecords(List<byte[]> replacement) {
    synchronized (lock) {
      records = replacement;
    }
  }

  /** Deletes objects in the background; the next start deletes those that remain. */
  private void clean(List<String> names) {
    AtomicBoolean logged = new AtomicBoolean();
    List<Future<?>> tasks = new ArrayList<>();
    for (String name : names) {
      tasks.add(cleaners.submit(() -> delete(name, logged)));
    }
    synchronized (lock) {
      cleaning = tasks;
    }
  }

  private void delete(String name, AtomicBoolean logged) {
    try {
      bucket.delete(name);
    } catch (GcsFailure e) {
      Level level = logged.getAndSet(true) ? Level.DEBUG : Level.INFO;
      LOGGER.log(level, "not deleted before the next start: " + e.getMessage());
    }
  }

  /** Waits for the deletions after a snapshot; for tests. */
  void awaitClean() throws InterruptedException, ExecutionException {
    List<Future<?>> tasks;
    synchronized (lock) {
      tasks = cleaning;
    }
    for (Future<?> task : tasks) {
      task.get();
    }
  }

  private StatusException unavailable(Throwable e) {
    return new StatusException(
        StatusCode.UNAVAILABLE,
        "the journal in " + where() + " can't be written: " + e.getMessage(),
        e);
  }

  private GcsLocation where() {
    return bucket.location();
  }
}
