package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a task, between the thread that produces them and the readers, first come, first
 * served. Bounded in bytes and in chunks. Thread-safe; only the producer ever waits in it.
 */
final class RowQueue {
  /*
   * Items are in the order of their positions; rows that come back from a stream find their place
   * among them. A reader that finds nothing is remembered, and woken when something changes: then
   * all who wait are woken, in the order in which they came, and those who find nothing again wait
   * again. They are woken outside the lock, for a woken reader takes at once.
   */

  /** Someone who found nothing. */
  interface Waiter {
    /** It is worth looking again. Comes once, on any thread. */
    void wake();

    /** There is no use in looking. Comes instead. */
    void fail(StatusException reason);
  }

  /** From this size on a chunk makes a frame by itself; smaller ones are sent together. */
  static final long FRAME_BYTES = 256 << 10;

  /** A frame of several rows has at most so many bytes. */
  static final long MAX_FRAME_BYTES = 1 << 20;

  private static final int MAX_ITEMS = 64;

  /** One that is being taken and one behind it, however large they are. */
  private static final int MIN_ITEMS = 2;

  private static final Duration UNARY_READER_STAYS = Duration.ofSeconds(5);

  private final Ticker ticker;
  private final long maxBytes;
  private final Runnable onComplete;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Deque<QueuedRows> ready = new ArrayDeque<>();
  private final Set<Waiter> waiting = new LinkedHashSet<>();
  private long readyBytes;
  private int streams;
  private long streamedRows;
  private long handedOutRows;
  private boolean unaryReader;
  private long lastUnaryNanos;
  private boolean producing;
  private boolean produced;
  private boolean endTold;
  private boolean complete;
  private @Nullable StatusException stopped;

  /**
   * A queue that holds {@code maxBytes} and a chunk, or two chunks if those are more.
   *
   * @param onComplete called once, when readers have taken every row and one was told the end
   */
  RowQueue(Ticker ticker, long maxBytes, Runnable onComplete) {
    this.ticker = ticker;
    this.maxBytes = maxBytes;
    this.onComplete = onComplete;
  }

  // The producer's side.

  /**
   * Rows will come: until then readers wait even if they would rather be told that there are none.
   */
  void begin() {
    change(() -> producing = true);
  }

  /** No rows will come for those who wait now: they are told why. */
  void fail(StatusException reason) {
    List<Waiter> toTell;
    lock.lock();
    try {
      toTell = takeWaiting();
    } finally {
      lock.unlock();
    }
    toTell.forEach(waiter -> waiter.fail(reason));
  }

  /** Waits until there is room for a chunk; false if the queue was stopped. */
  boolean awaitRoom() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (isFull()) {
        while (stopped == null && !isHalfEmpty()) {
          room.await();
        }
      }
      return stopped == null;
    } finally {
      lock.unlock();
    }
  }

  void put(StreamItem item) {
    change(() -> {
      if (stopped == null) {
        QueuedRows rows = new QueuedRows(item);
        ready.addLast(rows);
        readyBytes += rows.bytes();
      }
    });
  }

  /** No more rows will be produced. */
  void end() {
    change(() -> produced = true);
  }

  /** Drops everything; whoever takes gets {@code reason}. */
  void stop(StatusException reason) {
    change(() -> {
      if (stopped == null) {
        stopped = reason;
        ready.clear();
        readyBytes = 0;
        room.signalAll();
      }
    });
  }

  // The readers' side.

  /** Whether rows have begun to come. */
  boolean isProducing() {
    lock.lock();
    try {
      return producing;
    } finally {
      lock.unlock();
    }
  }

  /** How many rows were handed to readers, without those that came back. */
  long handedOutRows() {
    lock.lock();
    try {
      return handedOutRows;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes one row. If there is none, {@code waiter}, where it is not null, will be woken; null
   * then.
   */
  @Nullable Taken takeRow(@Nullable Waiter waiter) {
    boolean completed = false;
    lock.lock();
    try {
      checkStopped();
      unaryReader = true;
      lastUnaryNanos = ticker.nanoTime();
      @Nullable QueuedRows first = ready.peekFirst();
      if (first != null) {
        return takeRow(first);
      }
      if (isAtEnd(0)) {
        completed = tellEnd();
        return new Taken.End();
      }
      if (waiter != null) {
        waiting.add(waiter);
      }
      return null;
    } finally {
      lock.unlock();
      if (completed) {
        onComplete.run();
      }
    }
  }

  private Taken takeRow(QueuedRows first) {
    @Nullable StatusException failure = first.failure();
    Taken taken = failure == null ? first.row() : new Taken.Failure(failure);
    take(first, 1);
    return taken;
  }

  /** The row that is next, left where it is; null if there is none, or an error in its place. */
  Taken.@Nullable Row peekRow() {
    lock.lock();
    try {
      @Nullable QueuedRows first = ready.peekFirst();
      return first == null || first.failure() != null ? null : first.row();
    } finally {
      lock.unlock();
    }
  }

  /** {@code waiter} waits no longer. */
  void forget(Waiter waiter) {
    lock.lock();
    try {
      waiting.remove(waiter);
    } finally {
      lock.unlock();
    }
  }

  void openStream() {
    lock.lock();
    try {
      streams++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes rows for a frame of a stream of which {@code unacknowledged} rows are under way. If there
   * are none, {@code waiter} will be woken; null then.
   */
  @Nullable StreamItem takeFrame(Waiter waiter, long unacknowledged) {
    boolean completed = false;
    lock.lock();
    try {
      checkStopped();
      if (!ready.isEmpty()) {
        StreamItem item = takeFrame();
        streamedRows += item.rows();
        return item;
      }
      if (isAtEnd(unacknowledged)) {
        completed = tellEnd();
        return new StreamItem.End();
      }
      waiting.add(waiter);
      return null;
    } finally {
      lock.unlock();
      if (completed) {
        onComplete.run();
      }
    }
  }

  /** A stream's reader has consumed {@code rows} more. */
  void acknowledge(long rows) {
    change(() -> streamedRows -= rows);
  }

  /** A stream is over, and {@code unconsumed} of its rows come back. */
  void closeStream(Waiter waiter, List<StreamItem> unconsumed) {
    change(() -> {
      streams--;
      waiting.remove(waiter);
      for (StreamItem item : unconsumed) {
        streamedRows -= item.rows();
        handedOutRows -= item.rows();
      }
      if (stopped == null) {
        putBack(unconsumed);
      }
    });
  }

  /** Whether a stream is not the only reader. */
  boolean isShared() {
    lock.lock();
    try {
      return streams > 1
          || (unaryReader && ticker.nanoTime() - lastUnaryNanos < UNARY_READER_STAYS.toNanos());
    } finally {
      lock.unlock();
    }
  }

  // What follows is called under the lock.

  private void checkStopped() {
    @Nullable StatusException reason = stopped;
    if (reason != null) {
      throw new StatusException(reason.code(), reason.message());
    }
  }

  private boolean isFull() {
    return ready.size() >= MAX_ITEMS || (readyBytes >= maxBytes && ready.size() >= MIN_ITEMS);
  }

  private boolean isHalfEmpty() {
    return ready.size() < MIN_ITEMS
        || (readyBytes <= maxBytes / 2 && ready.size() <= MAX_ITEMS / 2);
  }

  private void take(QueuedRows first, int rows) {
    readyBytes -= rows * first.bytesPerRow();
    handedOutRows += rows;
    first.drop(rows);
    if (first.rows() == 0) {
      ready.removeFirst();
    }
    if (isHalfEmpty()) {
      room.signal();
    }
  }

  private StreamItem takeFrame() {
    List<Chunk> chunks = new ArrayList<>();
    long bytes = 0;
    while (true) {
      QueuedRows first = ready.getFirst();
      int rows = rowsThatFit(first, bytes);
      StreamItem head = first.head(rows);
      bytes += rows * first.bytesPerRow();
      take(first, rows);
      if (!(head instanceof StreamItem.Rows some)) {
        return head;
      }
      chunks.add(some.chunk());
      if (bytes >= FRAME_BYTES || !follows(some.chunk(), ready.peekFirst())) {
        return new StreamItem.Rows(Chunk.concat(chunks));
      }
    }
  }

  private static int rowsThatFit(QueuedRows first, long bytes) {
    long fitting = (MAX_FRAME_BYTES - bytes) / Math.max(1, first.bytesPerRow());
    return Math.clamp(fitting, 1, first.rows());
  }

  /** Whether {@code next} may be sent together with {@code chunk}, which comes before it. */
  private static boolean follows(Chunk chunk, @Nullable QueuedRows next) {
    return next != null
        && next.failure() == null
        && next.bytes() < FRAME_BYTES
        && next.position() == chunk.position() + chunk.rows()
        && next.chunk().columns().stream()
            .map(Column::dtype)
            .toList()
            .equals(chunk.columns().stream().map(Column::dtype).toList());
  }

  private void putBack(List<StreamItem> items) {
    if (items.isEmpty()) {
      return;
    }
    List<QueuedRows> all = new ArrayList<>(ready);
    for (StreamItem item : items) {
      QueuedRows rows = new QueuedRows(item);
      all.add(rows);
      readyBytes += rows.bytes();
    }
    all.sort(Comparator.comparingLong(QueuedRows::position));
    ready.clear();
    ready.addAll(all);
  }

  /** Whether nothing is left for a reader that itself has {@code own} rows under way. */
  private boolean isAtEnd(long own) {
    return produced && ready.isEmpty() && streamedRows == own;
  }

  private boolean tellEnd() {
    endTold = true;
    return becomesComplete();
  }

  private boolean becomesComplete() {
    if (complete || !endTold || !isAtEnd(0)) {
      return false;
    }
    complete = true;
    return true;
  }

  private List<Waiter> takeWaiting() {
    List<Waiter> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** Makes a change under the lock, and lets those who wait see it. */
  private void change(Runnable change) {
    List<Waiter> toWake;
    boolean completed;
    lock.lock();
    try {
      change.run();
      completed = becomesComplete();
      toWake = takeWaiting();
    } finally {
      lock.unlock();
    }
    if (completed) {
      onComplete.run();
    }
    toWake.forEach(Waiter::wake);
  }
}
