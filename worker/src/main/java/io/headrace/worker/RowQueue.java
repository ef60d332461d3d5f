package io.headrace.worker;

import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.LongSet;
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
import java.util.function.Supplier;
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
  private final HeldRows held = new HeldRows();
  private boolean holding;
  private final AnsweredRows answered = new AnsweredRows();
  private volatile @Nullable Deliveries deliveries;

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

  /**
   * From now on rows that were under way on a stream that breaks wait for its reader, who alone
   * knows which it has consumed, and go to no other: each is to be consumed once.
   */
  void holdRows() {
    change(() -> holding = true);
  }

  /**
   * From now on rows that were answered to single requests come back unless it becomes known that
   * they were fetched; all that were fetched are noted in {@code noted}.
   */
  void noteDeliveries(Deliveries noted) {
    change(() -> deliveries = noted);
  }

  /** Where what was fetched is to be noted; null if nobody wants to know. */
  @Nullable Deliveries deliveries() {
    return deliveries;
  }

  /** Whether rows were given up that a reader might have consumed, and never came back for. */
  boolean isIncomplete() {
    lock.lock();
    try {
      return held.hasGivenUp();
    } finally {
      lock.unlock();
    }
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
   *
   * @param reader the connection by which it is answered; null if that is not known
   */
  @Nullable Taken takeRow(@Nullable Waiter waiter, @Nullable PeerConnection reader) {
    boolean completed = false;
    lock.lock();
    try {
      checkStopped();
      unaryReader = true;
      lastUnaryNanos = ticker.nanoTime();
      @Nullable QueuedRows first = ready.peekFirst();
      while (first != null && first.isDropped()) {
        if (deliveries != null) {
          deliveries.add(first.head(1));
        }
        take(first, 1); // of no use to who reads row by row
        first = ready.peekFirst();
      }
      if (first != null) {
        return takeRow(first, reader);
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

  private Taken takeRow(QueuedRows first, @Nullable PeerConnection reader) {
    @Nullable StatusException failure = first.failure();
    if (deliveries != null && reader != null && failure == null) {
      answered.add(reader, first.head(1));
      streamedRows++;
    }
    Taken taken = failure == null ? first.row() : new Taken.Failure(failure);
    take(first, 1);
    return taken;
  }

  /** A request has come by {@code connection}: what was answered by it before was fetched. */
  void fetched(PeerConnection connection) {
    @Nullable Deliveries noted = deliveries;
    if (noted == null) {
      return;
    }
    List<Waiter> toWake;
    boolean completed;
    lock.lock();
    try {
      List<StreamItem> rows = answered.take(connection);
      rows.forEach(noted::add);
      streamedRows -= rows.size();
      completed = becomesComplete();
      // Nobody else waits for anything but rows, or the end.
      toWake = produced && !rows.isEmpty() ? takeWaiting() : List.of();
    } finally {
      lock.unlock();
    }
    if (completed) {
      onComplete.run();
    }
    toWake.forEach(Waiter::wake);
  }

  /**
   * {@code connection} is over: what was answered by it and is not known to be fetched comes back.
   */
  void closed(PeerConnection connection) {
    comeBackAnswered(() -> answered.take(connection));
  }

  /** The same of the one row at {@code position}, whose request was cancelled. */
  void cancelled(PeerConnection connection, long position) {
    comeBackAnswered(() -> answered.take(connection, position));
  }

  private void comeBackAnswered(Supplier<List<StreamItem>> taken) {
    if (deliveries != null) {
      change(() -> {
        List<StreamItem> rows = taken.get();
        comeBack(rows);
        if (stopped == null) {
          putBack(rows);
        }
      });
    }
  }

  /** The row that is next, left where it is; null if there is none, or an error in its place. */
  Taken.@Nullable Row peekRow() {
    lock.lock();
    try {
      @Nullable QueuedRows first = ready.peekFirst();
      return first == null || !first.isRows() ? null : first.row();
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

  /**
   * A stream begins.
   *
   * @param reader whose, by its number; 0: it did not say
   * @param consumed positions that the reader has consumed
   */
  void openStream(long reader, LongSet consumed) {
    change(() -> {
      streams++;
      List<StreamItem> back = held.take(reader);
      if (!back.isEmpty() && stopped == null) {
        comeBack(back);
        List<StreamItem> left = HeldRows.without(consumed, back);
        handedOutRows += rows(back) - rows(left);
        putBack(left);
      }
    });
  }

  private static long rows(List<StreamItem> items) {
    return items.stream().mapToLong(StreamItem::rows).sum();
  }

  private void comeBack(List<StreamItem> rows) {
    streamedRows -= rows(rows);
    handedOutRows -= rows(rows);
  }

  /** Gives up rows that waited for their readers for too long. */
  private void giveUpHeld() {
    streamedRows -= rows(held.expired(ticker.nanoTime()));
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
      giveUpHeld();
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

  /**
   * A stream is over, and {@code unconsumed} of its rows come back.
   *
   * @param reader whose stream has broken, so that it may have consumed some of the rows; 0: none's
   */
  void closeStream(Waiter waiter, List<StreamItem> unconsumed, long reader) {
    change(() -> {
      streams--;
      waiting.remove(waiter);
      if (holding && reader != 0 && stopped == null) {
        held.put(reader, unconsumed, ticker.nanoTime());
        return;
      }
      comeBack(unconsumed);
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
        && next.isRows()
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
