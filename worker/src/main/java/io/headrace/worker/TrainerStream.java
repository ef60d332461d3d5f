package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamSource;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream's view of a task whose job is cached: the rows of one trainer. */
final class TrainerStream implements StreamSource, RowQueue.Waiter {
  private final RunningTask task;
  private final CrossTrainerCache cache;
  private final String trainerId;
  private final Runnable wakeStream;
  private long unacknowledged;
  private volatile @Nullable StatusException failure;

  TrainerStream(
      RunningTask task, CrossTrainerCache cache, TaskOpening opening, Runnable wakeStream) {
    this.task = task;
    this.cache = cache;
    this.trainerId = opening.trainerId();
    this.wakeStream = wakeStream;
    task.beginAt(opening);
    cache.openStream(trainerId);
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
    @Nullable StreamItem item;
    try {
      item = cache.takeFrame(trainerId, this);
    } catch (StatusException e) {
      if (unacknowledged == 0 || e.code().isRetriable()) {
        throw e;
      }
      return null; // the reader gets its rows first; the last acknowledgement asks again
    }
    if (item == null) {
      // Start after registering as a waiter, so that a failure to load the dataset reaches it.
      task.ensureStarted();
    } else {
      unacknowledged += item.rows();
    }
    return item;
  }

  @Override
  public long errorsIgnored() {
    return task.errorsIgnored();
  }

  @Override
  public boolean isShared() {
    return cache.isShared(trainerId);
  }

  @Override
  public void acknowledge(long rows) {
    unacknowledged -= rows; // the cache keeps them for other trainers
  }

  @Override
  public void close(List<StreamItem> unconsumed, boolean broken) {
    cache.closeStream(trainerId, this, unconsumed);
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
