package io.headrace.client;

import io.grpc.ManagedChannel;
import io.headrace.proto.data.TaskInfo;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads one task, through one source after the other when they break. Rows that came twice are
 * given once. Used by the reading thread, but for {@link #close} and {@link #finish}.
 */
final class TaskReader implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(TaskReader.class.getName());

  /** By then about ten seconds have gone by. */
  private static final int SAY_AT_ATTEMPT = 30;

  private final TaskInfo task;
  private final ManagedChannel channel;
  private final Function<ManagedChannel, TaskSource> opener;
  private final ScheduledExecutorService timer;
  private final Backoff backoff;
  private final Runnable onArrival;
  private final PositionSet consumed = new PositionSet();

  private @Nullable TaskSource source;
  private @Nullable StreamItem pending;
  private int attempt;
  private boolean ended;
  private boolean finished;
  private boolean closed;

  TaskReader(
      TaskInfo task,
      ManagedChannel channel,
      Function<ManagedChannel, TaskSource> opener,
      ScheduledExecutorService timer,
      Backoff backoff,
      Runnable onArrival) {
    this.task = task;
    this.channel = channel;
    this.opener = opener;
    this.timer = timer;
    this.backoff = backoff;
    this.onArrival = onArrival;
  }

  TaskInfo task() {
    return task;
  }

  synchronized void open() {
    if (!closed && source == null && !ended) {
      channel.resetConnectBackoff();
      source = opener.apply(channel);
    }
    onArrival.run();
  }

  /** Whether no more rows will come. */
  synchronized boolean hasEnded() {
    return ended;
  }

  /** The dispatcher says that the task is at its end: if its worker is gone, so is it here. */
  synchronized void finish() {
    finished = true;
    if (source == null) {
      ended = true;
    }
  }

  /**
   * The next rows, or a row's failure; null if nothing has arrived or none will. Throws a failure
   * that trying again does not help.
   */
  synchronized @Nullable StreamItem poll() {
    while (!ended && source != null) {
      StreamItem item = pending != null ? pending : pollSource();
      pending = null;
      if (item == null) {
        return null;
      }
      if (item instanceof StreamItem.End) {
        ended = true;
        return null;
      }
      attempt = 0;
      StreamItem fresh = dropConsumed(item);
      if (fresh != null) {
        return fresh;
      }
    }
    return null;
  }

  private @Nullable StreamItem pollSource() {
    TaskSource open = source;
    if (open == null) {
      return null;
    }
    try {
      return open.poll();
    } catch (StatusException e) {
      if (closed) {
        return null;
      }
      open.close();
      source = null;
      if (!e.code().isRetriable()) {
        throw e.in("Failed to get element from worker " + task.getWorkerAddress());
      }
      retry(e);
      return null;
    }
  }

  private void retry(StatusException failure) {
    if (finished) {
      ended = true;
      return;
    }
    LOG.log(
        attempt == SAY_AT_ATTEMPT ? Level.WARNING : Level.DEBUG,
        () ->
            "task %d of worker %s is tried again: %s"
                .formatted(task.getTaskId(), task.getWorkerAddress(), failure.getMessage()));
    try {
      var _ = timer.schedule(this::open, backoff.nanos(attempt++), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.TRACE, "the reader is being closed", e);
    }
  }

  /** What of an item was not consumed before; the rest of it is kept for the next poll. */
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
    consumed.add(position, rows);
    if (source != null) {
      source.consumed(rows);
    }
  }

  /** Leaves the task to others. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    if (source != null) {
      source.close();
      source = null;
    }
    ended = true;
  }
}
