package io.headrace.client;

import io.headrace.rpc.LocalWorkers;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamSource;
import io.headrace.rpc.TaskOpening;
import io.headrace.rpc.TraceMark;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a task whose worker is in this process, by reference: the reader takes them from the
 * worker's queue when it needs them.
 */
final class LocalSource implements TaskSource {
  private final Deque<StreamItem> unconsumed = new ArrayDeque<>();
  private final Consumer<TraceMark> onMark;
  private @Nullable StreamSource rows;
  private @Nullable StatusException broken;
  private long incarnation;
  private boolean ended;

  /** As the worker had it when the task was left. */
  private long errorsIgnored;

  /**
   * Opens a task of the worker at {@code address}. If it can't be opened, {@link #poll} says why.
   *
   * @param onArrival called when a poll that returned null may now return an item or throw
   * @param onMark called with the mark of a traced row before a poll returns the row
   */
  LocalSource(String address, TaskOpening opening, Runnable onArrival, Consumer<TraceMark> onMark) {
    this.onMark = onMark;
    try {
      StreamSource opened =
          LocalWorkers.find(address).orElseThrow(() -> gone(address)).open(opening, onArrival);
      incarnation = opened.incarnation();
      rows = opened;
    } catch (StatusException e) {
      broken = e;
    }
  }

  private static StatusException gone(String address) {
    return StatusException.of(
        StatusCode.UNAVAILABLE, "the worker at %s is not in this process any more", address);
  }

  @Override
  public @Nullable StreamItem poll() {
    @Nullable StatusException failure = broken;
    if (failure != null) {
      throw new StatusException(failure.code(), failure.message(), failure);
    }
    @Nullable StreamItem item = ended ? new StreamItem.End() : take();
    if (item instanceof StreamItem.End) {
      ended = true;
      leaveAtEnd();
    } else if (item != null) {
      unconsumed.addLast(item);
    }
    return item;
  }

  private @Nullable StreamItem take() {
    try {
      StreamSource open = rows;
      StreamItem item = open == null ? null : open.take();
      TraceMark mark = open == null || item == null ? null : open.mark(item);
      if (open != null && mark != null) {
        open.sent(mark);
        onMark.accept(mark);
      }
      return item;
    } catch (StatusException e) {
      breakWith(e, true);
      throw e;
    }
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public long errorsIgnored() {
    @Nullable StreamSource open = rows;
    return open == null ? errorsIgnored : open.errorsIgnored();
  }

  /** None: what was not taken is in the worker's queue. */
  @Override
  public List<StreamItem> unread() {
    return List.of();
  }

  @Override
  public boolean holdsUpOthers() {
    @Nullable StreamSource open = rows;
    return open != null && open.holdsUpOthers();
  }

  @Override
  public void consumed(int count) {
    @Nullable StreamSource open = rows;
    if (broken != null || open == null) {
      return;
    }
    int left = count;
    while (left > 0) {
      StreamItem first = unconsumed.removeFirst();
      if (first.rows() > left) {
        StreamItem.Rows cut = (StreamItem.Rows) first;
        unconsumed.addFirst(new StreamItem.Rows(cut.chunk().slice(left, cut.rows())));
        left = 0;
      } else {
        left -= first.rows();
      }
    }
    open.acknowledge(count);
    leaveAtEnd();
  }

  @Override
  public void abandon() {
    breakWith(new StatusException(StatusCode.UNAVAILABLE, "the task was abandoned"), true);
  }

  @Override
  public void close() {
    breakWith(new StatusException(StatusCode.CANCELLED, "the task was left"), false);
  }

  private void breakWith(StatusException reason, boolean mayComeBack) {
    if (broken == null) {
      broken = reason;
      leave(mayComeBack);
    }
  }

  private void leaveAtEnd() {
    if (ended && unconsumed.isEmpty()) {
      leave(false);
    }
  }

  private void leave(boolean mayComeBack) {
    @Nullable StreamSource open = rows;
    errorsIgnored = errorsIgnored();
    rows = null;
    if (open != null) {
      open.close(List.copyOf(unconsumed), mayComeBack);
    }
    unconsumed.clear();
  }
}
