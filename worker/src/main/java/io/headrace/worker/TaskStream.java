package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamSource;
import io.headrace.rpc.TaskOpening;
import io.headrace.rpc.TraceMark;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream's view of a task: connects the stream to the task's {@link RowQueue}. */
final class TaskStream implements StreamSource, RowQueue.Waiter {
  private final RunningTask task;
  private final long reader;
  private final Runnable wakeStream;
  private final Deque<StreamItem> unacknowledgedItems = new ArrayDeque<>();
  private long unacknowledged;
  private volatile @Nullable StatusException failure;

  TaskStream(RunningTask task, TaskOpening opening, Runnable wakeStream) {
    this.task = task;
    this.reader = opening.reader();
    this.wakeStream = wakeStream;
    boolean samePass = opening.incarnation() == task.incarnation();
    task.beginAt(opening);
    task.rows().openStream(reader, samePass ? opening.consumed() : LongSet.EMPTY);
  }

  @Override
  public long incarnation() {
    return task.incarnation();
  }

  @Override
  public @Nullable StreamItem take() {
    @Nullable StatusException reason = failure;
    if (reason != null) {
      throw reason;
    }
    @Nullable StreamItem item = task.rows().takeFrame(this, unacknowledged);
    if (item == null) {
      // Start after registering as a waiter, so that a failure to load the dataset reaches it.
      task.ensureStarted();
      return null;
    }
    unacknowledged += item.rows();
    if (task.rows().deliveries() != null && item.rows() > 0) {
      unacknowledgedItems.addLast(item);
    }
    return item;
  }

  @Override
  public @Nullable TraceMark mark(StreamItem item) {
    @Nullable RowTrace trace = task.trace();
    return trace == null ? null : trace.mark(item);
  }

  @Override
  public void sent(TraceMark mark) {
    @Nullable RowTrace trace = task.trace();
    if (trace != null && trace.id() == mark.trace()) {
      trace.streamed();
    }
  }

  @Override
  public long errorsIgnored() {
    return task.errorsIgnored();
  }

  @Override
  public boolean isShared() {
    return task.rows().isShared();
  }

  @Override
  public boolean holdsUpOthers() {
    return task.rows().isHeldUpBy(this, unacknowledged);
  }

  @Override
  public void acknowledge(long rows) {
    unacknowledged -= rows;
    @Nullable UnreportedDeliveries deliveries = task.rows().deliveries();
    if (deliveries != null) {
      recordDelivered(rows, deliveries);
    }
    task.rows().acknowledge(rows);
  }

  private void recordDelivered(long rows, UnreportedDeliveries deliveries) {
    long left = rows;
    while (left > 0) {
      StreamItem first = unacknowledgedItems.removeFirst();
      if (first.rows() > left) {
        Chunk chunk = ((StreamItem.Rows) first).chunk();
        deliveries.add(new StreamItem.Rows(chunk.slice(0, (int) left)));
        unacknowledgedItems.addFirst(new StreamItem.Rows(chunk.slice((int) left, chunk.rows())));
        return;
      }
      deliveries.add(first);
      left -= first.rows();
    }
  }

  @Override
  public void close(List<StreamItem> unconsumed, boolean broken) {
    task.rows().closeStream(this, unconsumed, broken ? reader : 0);
  }

  @Override
  public void wake() {
    wakeStream.run();
  }

  @Override
  public void fail(StatusException reason) {
    failure = reason;
    wakeStream.run();
  }
}
