package io.headrace.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ManagedChannel;
import io.headrace.proto.data.TaskInfo;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads one task, reopening its source when that breaks. Removes duplicates after a reconnect, and
 * still delivers rows that arrived from a worker before it was lost. Used by the reading thread,
 * except for {@link #close}, {@link #finish}, {@link #suspend} and {@link #resume}.
 */
final class TaskReader implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(TaskReader.class.getName());

  /** The attempt at which a warning is logged, after about ten seconds of retries. */
  private static final int WARN_AT_ATTEMPT = 30;

  private final TaskInfo task;
  private final ConnectionPool.Connection connection;
  private final BiFunction<ManagedChannel, TaskOpening, TaskSource> opener;
  private final long readerId;
  private final String trainerId;
  private final ScheduledExecutorService timer;
  private final Backoff backoff;
  private final Runnable onArrival;

  @GuardedBy("this")
  private final PositionSet consumed = new PositionSet();

  @GuardedBy("this")
  private CopyProgress.Taken passedOver = new CopyProgress.Taken(LongSet.EMPTY, 0);

  @GuardedBy("this")
  private @Nullable TaskSource source;

  @GuardedBy("this")
  private @Nullable StreamItem pending;

  @GuardedBy("this")
  private final Deque<StreamItem> unread = new ArrayDeque<>();

  @GuardedBy("this")
  private final Deque<StreamItem> orphans = new ArrayDeque<>();

  @GuardedBy("this")
  private boolean orphaned;

  /** The rows of the last polled item that were not consumed yet, if it was no orphan. */
  @GuardedBy("this")
  private int begunRows;

  @GuardedBy("this")
  private long begunPosition;

  @GuardedBy("this")
  private long reached;

  @GuardedBy("this")
  private long incarnation;

  @GuardedBy("this")
  private final IgnoredErrorCount ignored = new IgnoredErrorCount();

  @GuardedBy("this")
  private int attempt;

  @GuardedBy("this")
  private boolean ended;

  @GuardedBy("this")
  private boolean finished;

  @GuardedBy("this")
  private boolean lost;

  @GuardedBy("this")
  private boolean suspended;

  @GuardedBy("this")
  private boolean closed;

  /**
   * A reader of {@code task}.
   *
   * @param trainerId the trainer that reads, with a cross-trainer cache; otherwise empty
   */
  TaskReader(
      TaskInfo task,
      ConnectionPool.Connection connection,
      long readerId,
      String trainerId,
      BiFunction<ManagedChannel, TaskOpening, TaskSource> opener,
      ScheduledExecutorService timer,
      Backoff backoff,
      Runnable onArrival) {
    this.task = task;
    this.connection = connection;
    this.opener = opener;
    this.readerId = readerId;
    this.trainerId = trainerId;
    this.timer = timer;
    this.backoff = backoff;
    this.onArrival = onArrival;
  }

  TaskInfo task() {
    return task;
  }

  /**
   * Skips rows that were {@code taken} before, in any pass over the dataset. The opening tells the
   * worker to skip the leading ones.
   */
  synchronized void passOver(CopyProgress.Taken taken) {
    passedOver = taken;
    consumed.addAll(taken.positions());
  }

  /**
   * How many more elements of the task than at the last call failed and were left out by
   * ignore_errors. Those of a pass that a restarted worker began anew count again.
   */
  synchronized long newErrorsIgnored() {
    noteErrorsIgnored();
    return ignored.takeNew();
  }

  @GuardedBy("this")
  private void noteErrorsIgnored() {
    TaskSource open = source;
    if (open != null) {
      ignored.follow(open.errorsPass(), open.errorsIgnored());
    }
  }

  /** The position after the last delivered row, in the current pass. */
  synchronized long reached() {
    return reached;
  }

  synchronized void open() {
    if (!closed && !ended && !lost && !suspended && source == null) {
      source =
          opener.apply(
              connection.channel(),
              new TaskOpening(
                  task.getTaskId(),
                  readerId,
                  incarnation,
                  consumed.toSet(),
                  passedOver.positions().leading(),
                  passedOver.withoutError(),
                  trainerId));
    }
    onArrival.run();
  }

  /**
   * Disconnects from the worker until {@link #resume}, as a broken connection would: the rows in
   * flight go to other readers if this one does not return.
   */
  synchronized void suspend() {
    suspended = true;
    if (source != null) {
      source.abandon();
    }
  }

  /** Reconnects after {@link #suspend}. */
  synchronized void resume() {
    suspended = false;
    open();
  }

  /** Whether there are no more rows. */
  synchronized boolean hasEnded() {
    return ended;
  }

  /**
   * Records that the dispatcher reports the task as finished: its readers have taken every row. If
   * the worker is gone, too, this reader ends.
   */
  synchronized void finish() {
    finished = true;
  }

  /**
   * Records that the dispatcher has declared the worker lost: rows that arrived are still
   * delivered.
   */
  synchronized void lose() {
    lost = true;
    if (source == null) {
      orphans.addAll(unread);
      unread.clear();
    }
  }

  /**
   * Stops reading the task, whose worker was lost: the rows that have not arrived by now are
   * produced again.
   *
   * @return the rows that have arrived and are still to be delivered
   */
  synchronized List<StreamItem> settle() {
    lost = true;
    try {
      keepArrived();
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, "a lost task could not be read to what had arrived", e);
    }
    leaveSource();
    orphans.addAll(unread);
    unread.clear();
    onArrival.run();
    return List.copyOf(orphans);
  }

  @GuardedBy("this")
  private void keepArrived() {
    TaskSource open = source;
    while (open != null && !ended) {
      StreamItem item = pending != null ? pending : pollSource(open);
      pending = null;
      if (item == null || item instanceof StreamItem.End) {
        return;
      }
      noteIncarnation(open.incarnation());
      StreamItem fresh = dropConsumed(item);
      if (fresh != null) {
        orphans.add(fresh);
      }
      open = source;
    }
  }

  /**
   * The next rows, or a row's failure; null if nothing has arrived or the task has ended. Throws
   * permanent failures of the source.
   */
  synchronized @Nullable StreamItem poll() {
    while (!ended) {
      StreamItem orphan = orphans.poll();
      orphaned = orphan != null;
      if (orphan != null) {
        reached = Math.max(reached, orphan.position() + orphan.rows());
        return orphan;
      }
      TaskSource open = source;
      StreamItem item = open == null ? null : pending != null ? pending : pollSource(open);
      pending = null;
      if (open == null || item == null) {
        if (!endWithoutSource()) {
          return null;
        }
        continue;
      }
      noteIncarnation(open.incarnation());
      if (!orphans.isEmpty()) {
        pending = item;
        continue;
      }
      if (item instanceof StreamItem.End) {
        ended = true;
        return null;
      }
      attempt = 0;
      StreamItem fresh = dropConsumed(item);
      if (fresh != null) {
        reached = Math.max(reached, fresh.position() + fresh.rows());
        begunPosition = fresh.position();
        begunRows = fresh.rows();
        return fresh;
      }
    }
    return null;
  }

  /**
   * Called without an item: whether to stop waiting for the source, because the task is over except
   * for orphans.
   */
  @GuardedBy("this")
  private boolean endWithoutSource() {
    if (lost) {
      leaveSource();
      orphans.addAll(unread);
      unread.clear();
    }
    if (source != null || (!lost && !finished)) {
      return false;
    }
    ended = orphans.isEmpty();
    return true;
  }

  /**
   * Handles the incarnation of the current source. Rows that were unread when the previous source
   * broke are sent again, unless the worker was restarted and with it the pass: then they are
   * delivered as orphans, and positions restart.
   */
  @GuardedBy("this")
  private void noteIncarnation(long now) {
    if (now != incarnation && now != 0) {
      incarnation = now;
      orphans.addAll(unread);
      consumed.clear();
      consumed.addAll(passedOver.positions());
      reached = 0;
    }
    unread.clear();
  }

  @GuardedBy("this")
  private @Nullable StreamItem pollSource(TaskSource open) {
    try {
      return open.poll();
    } catch (StatusException e) {
      if (closed) {
        return null;
      }
      unread.addAll(open.unread());
      leaveSource();
      connection.renew();
      if (!e.code().isRetriable()) {
        throw e.in("Failed to get element from worker " + task.getWorkerAddress());
      }
      retry(e);
      return null;
    }
  }

  @GuardedBy("this")
  private void retry(StatusException failure) {
    if (finished || lost) {
      return;
    }
    LOGGER.log(
        attempt == WARN_AT_ATTEMPT ? Level.WARNING : Level.DEBUG,
        () ->
            "task %d of worker %s is tried again: %s"
                .formatted(task.getTaskId(), task.getWorkerAddress(), failure.getMessage()));
    try {
      var _ = timer.schedule(this::open, backoff.nanos(attempt++), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOGGER.log(Level.TRACE, "the reader is being closed", e);
    }
  }

  /** The part of an item before the next consumed row; the rest is kept for the next poll. */
  @GuardedBy("this")
  private @Nullable StreamItem dropConsumed(StreamItem item) {
    int old = consumed.leading(item.position(), item.rows());
    if (old > 0 && source != null) {
      source.consumed(old);
    }
    if (old == item.rows()) {
      return null;
    }
    if (!(item instanceof StreamItem.Rows(var chunk))) {
      return item;
    }
    var fresh = chunk.slice(old, chunk.rows());
    int absent = consumed.leadingAbsent(fresh.position(), fresh.rows());
    if (absent < fresh.rows()) {
      pending = new StreamItem.Rows(fresh.slice(absent, fresh.rows()));
      fresh = fresh.slice(0, absent);
    }
    return new StreamItem.Rows(fresh);
  }

  /** Whether the rows that have arrived keep another reader from the end of the task. */
  synchronized boolean holdsUpOthers() {
    TaskSource open = source;
    return open != null && !closed && open.holdsUpOthers();
  }

  /** Tells the worker which rows have arrived, if it can't know that. */
  synchronized void confirm() {
    if (source != null && !closed && !suspended) {
      source.confirm();
    }
  }

  /**
   * Takes the rows that have arrived for good: acknowledges them, and keeps them for the user, whom
   * the task's end does not wait for any more.
   *
   * @return the items that were not polled before
   */
  synchronized List<StreamItem> claim() {
    TaskSource open = source;
    if (open == null || closed || suspended) {
      return List.of();
    }
    if (begunRows > 0) {
      acknowledge(begunPosition, begunRows);
      begunRows = 0;
      orphaned = true;
    }
    List<StreamItem> claimed = new ArrayList<>();
    try {
      for (StreamItem item = next(open); item != null; item = next(open)) {
        noteIncarnation(open.incarnation());
        StreamItem fresh = dropConsumed(item);
        if (fresh != null) {
          acknowledge(fresh.position(), fresh.rows());
          claimed.add(fresh);
        }
      }
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, "the next poll finds that the source broke", e);
    }
    orphans.addAll(claimed);
    onArrival.run();
    return claimed;
  }

  /** The next item that has arrived; null if there is none but the end. */
  @GuardedBy("this")
  private @Nullable StreamItem next(TaskSource open) {
    StreamItem item = pending != null ? pending : open.poll();
    pending = null;
    return item instanceof StreamItem.End ? null : item;
  }

  /** Records that {@code rows} rows from {@code position} on were returned to the user. */
  synchronized void consumed(long position, int rows) {
    if (orphaned) {
      return; // acknowledged before, or positions of a lost pass, which mean nothing to this one
    }
    begunPosition = position + rows;
    begunRows -= rows;
    acknowledge(position, rows);
  }

  @GuardedBy("this")
  private void acknowledge(long position, int rows) {
    if (trainerId.isEmpty()) {
      consumed.add(position, rows);
    } else {
      consumed.addUpTo(position + rows); // the trainer does not come back to the rows that it skips
    }
    if (source != null) {
      source.consumed(rows);
    }
  }

  /**
   * Leaves the task, which is over, except for rows that are this reader's for good.
   *
   * @return whether there are any
   */
  synchronized boolean retire() {
    if (orphans.isEmpty()) {
      return false;
    }
    finished = true;
    leaveSource();
    return true;
  }

  /** Leaves the task to its other readers. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    leaveSource();
    connection.close();
    ended = true;
  }

  @GuardedBy("this")
  private void leaveSource() {
    if (source != null) {
      noteErrorsIgnored();
      source.close();
      source = null;
    }
  }
}
