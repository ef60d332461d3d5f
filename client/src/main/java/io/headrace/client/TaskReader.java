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
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads one task, through one source after the other when they break. Rows that came twice are
 * given once; rows that came from a worker before it was lost are given, too. Used by the reading
 * thread, but for {@link #close}, {@link #finish}, {@link #suspend} and {@link #resume}.
 */
final class TaskReader implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(TaskReader.class.getName());

  /** By then about ten seconds have gone by. */
  private static final int SAY_AT_ATTEMPT = 30;

  private final TaskInfo task;
  private final Connections.Connection connection;
  private final BiFunction<ManagedChannel, TaskOpening, TaskSource> opener;
  private final long readerId;
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

  @GuardedBy("this")
  private long reached;

  @GuardedBy("this")
  private long incarnation;

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

  TaskReader(
      TaskInfo task,
      Connections.Connection connection,
      long readerId,
      BiFunction<ManagedChannel, TaskOpening, TaskSource> opener,
      ScheduledExecutorService timer,
      Backoff backoff,
      Runnable onArrival) {
    this.task = task;
    this.connection = connection;
    this.opener = opener;
    this.readerId = readerId;
    this.timer = timer;
    this.backoff = backoff;
    this.onArrival = onArrival;
  }

  TaskInfo task() {
    return task;
  }

  /**
   * Rows that were {@code taken} before are not given, in whichever pass over the dataset they
   * come. The worker is told, so that it need not send the first ones.
   */
  synchronized void passOver(CopyProgress.Taken taken) {
    passedOver = taken;
    consumed.addAll(taken.positions());
  }

  /** The position behind the last of the rows that were given, in the pass that it was of. */
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
                  passedOver.withoutError()));
    }
    onArrival.run();
  }

  /**
   * Leaves the worker until {@link #resume}, as if the connection had broken: others may go on with
   * what was under way, if this reader does not.
   */
  synchronized void suspend() {
    suspended = true;
    if (source != null) {
      source.abandon();
    }
  }

  /** Goes on after {@link #suspend}. */
  synchronized void resume() {
    suspended = false;
    open();
  }

  /** Whether no more rows will come. */
  synchronized boolean hasEnded() {
    return ended;
  }

  /**
   * The dispatcher says that the task is at its end: its readers have taken every row. If its
   * worker is gone, so is it here.
   */
  synchronized void finish() {
    finished = true;
  }

  /** The dispatcher has given the task's worker up: what came from it is still given, no more. */
  synchronized void lose() {
    lost = true;
    if (source == null) {
      orphans.addAll(unread);
      unread.clear();
    }
  }

  /**
   * Takes nothing more from the task, whose worker the dispatcher has given up, for what has not
   * arrived by now is made again. Returns what has arrived and is still to be given.
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
   * The next rows, or a row's failure; null if nothing has arrived or none will. Throws a failure
   * that trying again does not help.
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
        return fresh;
      }
    }
    return null;
  }

  /** With nothing at hand: whether there is nothing to wait for, but perhaps orphans to give. */
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
   * Rows that were unread when a source broke come again, unless their worker was lost with the
   * pass over the dataset that they are of: then they are given now, and positions count anew.
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
        attempt == SAY_AT_ATTEMPT ? Level.WARNING : Level.DEBUG,
        () ->
            "task %d of worker %s is tried again: %s"
                .formatted(task.getTaskId(), task.getWorkerAddress(), failure.getMessage()));
    try {
      var _ = timer.schedule(this::open, backoff.nanos(attempt++), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOGGER.log(Level.TRACE, "the reader is being closed", e);
    }
  }

  /** What of an item was not consumed before; the rest of it is kept for the next poll. */
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

  /** Says that {@code rows} rows from {@code position} on were returned to the reader. */
  synchronized void consumed(long position, int rows) {
    if (orphaned) {
      return; // their worker is gone, and their positions are not those of its successor
    }
    consumed.add(position, rows);
    if (source != null) {
      source.consumed(rows);
    }
  }

  /** Leaves the task to others. Idempotent. */
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
      source.close();
      source = null;
    }
  }
}
