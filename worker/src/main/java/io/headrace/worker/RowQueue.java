package io.headrace.worker;

import io.headrace.proto.headrace.BufferSums;
import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
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
 * The bounded queue of a task's rows between their producer and the task's readers, which are
 * served in order of arrival. Bounded in bytes and in chunks, for back-pressure. Thread-safe; only
 * the producer blocks.
 */
final class RowQueue {
  /*
   * Items are ordered by position; rows that return from a stream are inserted in order. A reader
   * that finds the queue empty registers as a waiter. Each change wakes all waiters, in order of
   * registration; readers that find nothing register again. Waiters are woken outside the lock,
   * because a woken reader takes rows at once.
   */

  /** A reader that found no row. */
  interface Waiter {
    /** Asks the reader to try again. Called once, on any thread. */
    void wake();

    /** Reports that no rows will come. Called instead of {@link #wake}. */
    void fail(StatusException reason);
  }

  /** Chunks of at least this size are frames of their own; smaller ones are combined. */
  static final long FRAME_BYTES = 256 << 10;

  /** The maximal size of a frame with several rows. */
  static final long MAX_FRAME_BYTES = 1 << 20;

  private static final int MAX_ITEMS = 64;

  /** Room for one item that is being taken and one behind it, whatever their size. */
  private static final int MIN_ITEMS = 2;

  private final Ticker ticker;
  private final long maxBytes;
  private final Runnable onComplete;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Deque<QueuedItem> ready = new ArrayDeque<>();
  private final Set<Waiter> waiters = new LinkedHashSet<>();
  private long readyBytes;
  private final QueueReaders readers = new QueueReaders();
  private long outstandingRows;
  private long handedOutRows;
  private boolean producing;
  private boolean produced;
  private boolean endReported;
  private boolean complete;
  private @Nullable StatusException stopped;
  private final HeldRows held = new HeldRows();
  private boolean holdsRows;
  private final UnconfirmedRows answered = new UnconfirmedRows();
  private volatile @Nullable UnreportedDeliveries deliveries;
  private long readyRows;
  private @Nullable ReadAheadLimit ahead;
  private @Nullable AnnouncedRows announced;
  private Runnable onDue = () -> {};
  private boolean saidDue;
  private boolean leaving;
  private boolean drains;
  private boolean endedEarly;
  private final QueueTimes times = new QueueTimes();
  private @Nullable RowTrace trace;

  /**
   * A queue that is full at {@code maxBytes}, but never with fewer than two items.
   *
   * @param onComplete called once, when the readers have taken every row and one has got the end
   */
  RowQueue(Ticker ticker, long maxBytes, Runnable onComplete) {
    this.ticker = ticker;
    this.maxBytes = maxBytes;
    this.onComplete = onComplete;
  }

  /** From now on {@code traced} is told which rows are taken; null for none. */
  void trace(@Nullable RowTrace traced) {
    lock.lock();
    try {
      trace = traced;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the producer waits for room. */
  boolean producerIsWaiting() {
    lock.lock();
    try {
      return times.producerIsWaiting();
    } finally {
      lock.unlock();
    }
  }

  // The producer's side.

  /**
   * Marks the dataset as readable. Before, readers wait even if they allow the task to be skipped.
   */
  void begin() {
    change(() -> producing = true);
  }

  /**
   * Enables holding (exactly once): the unacknowledged rows of a broken stream wait for its reader,
   * which alone knows the ones it consumed, and go to no other reader.
   */
  void holdRows() {
    change(() -> holdsRows = true);
  }

  /**
   * Enables the tracking of deliveries (at least once): rows sent in replies to GetElement return
   * to the queue unless they are known to have been fetched; fetched rows are added to {@code
   * noted}.
   */
  void noteDeliveries(UnreportedDeliveries noted) {
    change(() -> deliveries = noted);
  }

  /**
   * Bounds what is held ahead of unary readers to what they take in {@code time}, one row at least:
   * rows that a lost worker holds are lost.
   */
  void limitAhead(Duration time) {
    change(() -> ahead = new ReadAheadLimit(time, ticker.nanoTime()));
  }

  /**
   * Enables announcements: a row is delivered only once it was {@link #announced}.
   *
   * @param lease how much reading is announced at a time
   * @param due called when rows are to be announced, on any thread; must not block
   */
  void announce(Duration lease, Runnable due) {
    change(() -> {
      announced = new AnnouncedRows(lease);
      onDue = due;
    });
  }

  /** The next rows to announce; null if none are due. */
  AnnouncedRows.@Nullable Announcement nextAnnouncement(Duration latency) {
    lock.lock();
    try {
      saidDue = false;
      @Nullable AnnouncedRows gate = announced;
      if (gate == null || stopped != null || !gate.isDue(lastPosition())) {
        return null;
      }
      int wanted = gate.wanted(ticker.nanoTime(), latency);
      RecordSet records = new RecordSet();
      int rows = 0;
      long to = gate.announcedTo();
      for (QueuedItem item : ready) {
        if (rows == wanted) {
          break;
        }
        long known = Math.max(0, gate.announcedTo() - item.position());
        if (known < item.rows()) {
          int more = (int) Math.min(wanted - rows, item.rows() - known);
          records.add(item.origins((int) known, (int) known + more));
          rows += more;
          to = item.position() + known + more;
        }
      }
      return gate.begin(records, rows, to, handedOutRows);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The dispatcher has recorded {@code announcement}: its rows may be delivered.
   *
   * @param longLease how much reading to announce next; zero for as much as usual
   */
  void announced(AnnouncedRows.Announcement announcement, Duration longLease) {
    change(() -> {
      if (announced != null) {
        announced.extend(longLease);
        announced.confirmed(announcement, ticker.nanoTime());
      }
    });
  }

  /**
   * Hands out no rows that can be made again elsewhere: not those that were not announced, and none
   * whose deliveries are accounted for. Rows of other tasks are handed out until the end.
   */
  void leave() {
    change(() -> {
      leaving = true;
      if (announced != null) {
        announced.close();
      }
    });
  }

  /** Whether readers have all rows that they get before the worker leaves. */
  boolean isDrained() {
    lock.lock();
    try {
      expireHeld(ticker.nanoTime());
      if (announced != null) {
        return announced.isDrained();
      }
      if (holdsRows) {
        return true; // the readers say what they have
      }
      return deliveries != null
          ? outstandingRows == 0
          : !drains || complete || (endedEarly && ready.isEmpty() && outstandingRows == 0);
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is a reader, or one may come back, to take what is left. */
  boolean hasReaders() {
    lock.lock();
    try {
      return readers.areAny(ticker.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** How many of the announced rows were handed out; null without announcements. */
  AnnouncedRows.@Nullable Announcement lastAnnouncement() {
    lock.lock();
    try {
      return announced == null ? null : announced.last(handedOutRows);
    } finally {
      lock.unlock();
    }
  }

  /** The set that records fetched rows; null if deliveries are not tracked. */
  @Nullable UnreportedDeliveries deliveries() {
    return deliveries;
  }

  /** Whether held rows have expired, which their reader may have consumed. */
  boolean isIncomplete() {
    lock.lock();
    try {
      return held.hasGivenUp();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Fails the current waiters with {@code reason}. Runs {@code reset} under the lock, so that a
   * reader either is failed or waits only after it.
   */
  void fail(StatusException reason, Runnable reset) {
    List<Waiter> toFail;
    lock.lock();
    try {
      toFail = takeWaiters();
      reset.run();
    } finally {
      lock.unlock();
    }
    toFail.forEach(waiter -> waiter.fail(reason));
  }

  /**
   * Blocks the producer while the queue is full, until it is half empty; false if it was stopped.
   */
  boolean awaitRoom() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (isFull()) {
        times.producerWaits(ticker.nanoTime());
        try {
          while (stopped == null && !isHalfEmpty()) {
            room.await();
          }
        } finally {
          times.producerGoesOn(ticker.nanoTime());
        }
      }
      return stopped == null;
    } finally {
      lock.unlock();
    }
  }

  /** The number of rows that the producer should put at most, 1 at least. */
  int room() {
    lock.lock();
    try {
      return Math.clamp(maxRows() - readyRows, 1, Integer.MAX_VALUE);
    } finally {
      lock.unlock();
    }
  }

  void put(StreamItem item) {
    change(() -> {
      if (stopped == null) {
        QueuedItem rows = new QueuedItem(item);
        ready.addLast(rows);
        readyBytes += rows.bytes();
        readyRows += rows.rows();
      }
    });
  }

  /** Marks the end of the producer's rows. */
  void end() {
    change(() -> produced = true);
  }

  /**
   * Marks the end of the producer's rows on this worker, which leaves. There may be more elsewhere,
   * so readers are not told of an end.
   */
  void endEarly() {
    change(() -> endedEarly = true);
  }

  /** Whether the worker waits, when it leaves, until readers have taken all rows. */
  void drainBeforeLeaving(boolean drained) {
    change(() -> drains = drained);
  }

  /** Drops all rows; readers get {@code reason} from now on. */
  void stop(StatusException reason) {
    change(() -> {
      if (stopped == null) {
        stopped = reason;
        ready.clear();
        readyBytes = 0;
        readyRows = 0;
        room.signalAll();
      }
    });
  }

  // The readers' side.

  /** Whether the dataset is known to be readable. */
  boolean isProducing() {
    lock.lock();
    try {
      return producing;
    } finally {
      lock.unlock();
    }
  }

  /** The number of rows handed to readers, without those that returned. */
  long handedOutRows() {
    lock.lock();
    try {
      return handedOutRows;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes one row. If there is none, registers {@code waiter}, unless it is null, and returns null.
   *
   * @param reader the connection of the request; null if it is not known
   */
  @Nullable TakeResult takeRow(@Nullable Waiter waiter, @Nullable PeerConnection reader) {
    boolean completed = false;
    lock.lock();
    try {
      checkStopped();
      long now = ticker.nanoTime();
      readers.ask(reader, now);
      @Nullable QueuedItem first = firstReady();
      while (first != null && first.isDropped()) {
        if (deliveries != null) {
          deliveries.add(first.head(1));
        }
        take(first, 1); // GetElement has no form for it
        first = firstReady();
      }
      if (first != null) {
        times.found(now);
        return takeRow(first, reader);
      }
      if (isAtEnd(0)) {
        times.found(now);
        completed = reportEnd();
        return new TakeResult.End();
      }
      times.foundNothing(!ready.isEmpty(), now);
      if (waiter != null) {
        waiters.add(waiter);
      }
      return null;
    } finally {
      boolean due = becomesDue();
      lock.unlock();
      if (due) {
        onDue.run();
      }
      if (completed) {
        onComplete.run();
      }
    }
  }

  private TakeResult takeRow(QueuedItem first, @Nullable PeerConnection reader) {
    @Nullable StatusException failure = first.failure();
    if (deliveries != null && reader != null && failure == null) {
      answered.add(reader, first.head(1));
      outstandingRows++;
    }
    TakeResult taken = failure == null ? first.row() : new TakeResult.Failure(failure);
    take(first, 1);
    return taken;
  }

  /**
   * Registers {@code waiter} for the next change, without taking a row.
   *
   * @throws StatusException the reason if the queue was stopped
   */
  void await(Waiter waiter) {
    lock.lock();
    try {
      checkStopped();
      waiters.add(waiter);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Handles a new request on {@code connection}, which confirms that its earlier replies were
   * fetched.
   */
  void fetched(PeerConnection connection) {
    @Nullable UnreportedDeliveries noted = deliveries;
    if (noted == null) {
      return;
    }
    List<Waiter> toWake;
    boolean completed;
    lock.lock();
    try {
      List<StreamItem> rows = answered.take(connection);
      rows.forEach(noted::add);
      outstandingRows -= rows.size();
      completed = becomesComplete();
      // Confirmations matter only to waiters for the end.
      toWake = produced && !rows.isEmpty() ? takeWaiters() : List.of();
    } finally {
      lock.unlock();
    }
    if (completed) {
      onComplete.run();
    }
    toWake.forEach(Waiter::wake);
  }

  /**
   * Handles the close of {@code connection}: its reader is gone, and its unconfirmed rows return to
   * the queue.
   */
  void closed(PeerConnection connection) {
    lock.lock();
    try {
      readers.close(connection);
    } finally {
      lock.unlock();
    }
    returnUnconfirmed(() -> answered.take(connection));
  }

  /** Handles a cancelled request: the row at {@code position} returns to the queue. */
  void cancelled(PeerConnection connection, long position) {
    returnUnconfirmed(() -> answered.take(connection, position));
  }

  private void returnUnconfirmed(Supplier<List<StreamItem>> taken) {
    if (deliveries != null) {
      change(() -> {
        List<StreamItem> rows = taken.get();
        uncount(rows);
        if (stopped == null) {
          putBack(rows);
        }
      });
    }
  }

  /** The next row, without taking it; null if there is none or an error in its place. */
  TakeResult.@Nullable Row peekRow() {
    lock.lock();
    try {
      @Nullable QueuedItem first = ready.peekFirst();
      return first == null || !first.isRows() ? null : first.row();
    } finally {
      lock.unlock();
    }
  }

  /** Removes {@code waiter}. */
  void forget(Waiter waiter) {
    lock.lock();
    try {
      removeWaiter(waiter);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Opens a stream. Rows held for its reader return to the queue, except consumed ones.
   *
   * @param reader the reader's id; 0 if anonymous
   * @param consumed the positions that the reader has consumed
   */
  void openStream(long reader, LongSet consumed) {
    change(() -> {
      readers.open(reader);
      List<StreamItem> back = held.take(reader);
      if (!back.isEmpty() && stopped == null) {
        uncount(back);
        List<StreamItem> left = HeldRows.without(consumed, back);
        handedOutRows += rows(back) - rows(left);
        putBack(left);
      }
    });
  }

  private static long rows(List<StreamItem> items) {
    return items.stream().mapToLong(StreamItem::rows).sum();
  }

  private void uncount(List<StreamItem> rows) {
    outstandingRows -= rows(rows);
    handedOutRows -= rows(rows);
  }

  /** Drops held rows whose reader did not return in time. */
  private void expireHeld(long now) {
    outstandingRows -= rows(held.expired(now));
  }

  /**
   * Takes rows for a frame of a stream with {@code unacknowledged} rows in flight. If there are
   * none, registers {@code waiter} and returns null.
   */
  @Nullable StreamItem takeFrame(Waiter waiter, long unacknowledged) {
    boolean completed = false;
    lock.lock();
    try {
      checkStopped();
      long now = ticker.nanoTime();
      expireHeld(now);
      if (firstReady() != null) {
        times.found(now);
        StreamItem item = takeFrame(Integer.MAX_VALUE, MAX_FRAME_BYTES);
        outstandingRows += item.rows();
        return item;
      }
      if (isAtEnd(unacknowledged)) {
        times.found(now);
        completed = reportEnd();
        return new StreamItem.End();
      }
      times.foundNothing(!ready.isEmpty(), now);
      waiters.add(waiter);
      return null;
    } finally {
      boolean due = becomesDue();
      lock.unlock();
      if (due) {
        onDue.run();
      }
      if (completed) {
        onComplete.run();
      }
    }
  }

  /**
   * Takes rows for good, as the only reader of a task whose end is no one's: {@code maxRows} or as
   * many as fit into {@code maxBytes}, one at least. If there are none, registers {@code waiter}
   * and returns null.
   */
  @Nullable StreamItem takeForGood(Waiter waiter, int maxRows, long maxBytes) {
    lock.lock();
    try {
      checkStopped();
      long now = ticker.nanoTime();
      if (firstReady() != null) {
        times.found(now);
        return takeFrame(maxRows, maxBytes);
      }
      if (isAtEnd(0)) {
        times.found(now);
        return new StreamItem.End();
      }
      times.foundNothing(!ready.isEmpty(), now);
      waiters.add(waiter);
      return null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether another reader waits for the end, and only the {@code unacknowledged} rows of {@code
   * stream} keep it from coming, or such rows of this and other streams.
   */
  boolean isHeldUpBy(Waiter stream, long unacknowledged) {
    lock.lock();
    try {
      return produced
          && ready.isEmpty()
          && unacknowledged > 0
          && waiters.stream().anyMatch(waiter -> !waiter.equals(stream));
    } finally {
      lock.unlock();
    }
  }

  /** Records that a stream's reader has acknowledged {@code rows} more rows. */
  void acknowledge(long rows) {
    change(() -> outstandingRows -= rows);
  }

  /**
   * Closes a stream: its {@code unconsumed} rows return to the queue, or are held.
   *
   * @param reader the reader's id if the stream broke, so that the reader may have consumed some of
   *     the rows; 0 otherwise
   */
  void closeStream(Waiter waiter, List<StreamItem> unconsumed, long reader) {
    change(() -> {
      removeWaiter(waiter);
      long now = ticker.nanoTime();
      if (reader == 0) {
        readers.leave();
      } else {
        readers.breakStream(reader, now);
      }
      if (holdsRows && reader != 0 && stopped == null) {
        held.put(reader, unconsumed, now);
        return;
      }
      uncount(unconsumed);
      if (stopped == null) {
        putBack(unconsumed);
      }
    });
  }

  /** Whether a stream has other readers beside it. */
  boolean isShared() {
    lock.lock();
    try {
      return readers.areSeveral(ticker.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** The rows that were handed out, and how long readers and producer waited. */
  BufferSums sums() {
    lock.lock();
    try {
      double fill =
          Math.max(
              Math.max((double) readyBytes / maxBytes, (double) ready.size() / MAX_ITEMS),
              (double) readyRows / maxRows());
      return times
          .sums(!waiters.isEmpty(), ticker.nanoTime())
          .setFillPermille((int) (1000 * Math.min(1, fill)))
          .build();
    } finally {
      lock.unlock();
    }
  }

  // The methods from here on are called under the lock.

  private void removeWaiter(Waiter waiter) {
    if (waiters.remove(waiter) && waiters.isEmpty()) {
      times.found(ticker.nanoTime());
    }
  }

  private void checkStopped() {
    @Nullable StatusException reason = stopped;
    if (reason != null) {
      throw new StatusException(reason.code(), reason.message());
    }
  }

  private boolean isFull() {
    return ready.size() >= MAX_ITEMS
        || (readyBytes >= maxBytes && ready.size() >= MIN_ITEMS)
        || readyRows >= maxRows();
  }

  private boolean isHalfEmpty() {
    return readyRows <= maxRows() / 2 && hasHalfOfItsRoom();
  }

  private boolean hasHalfOfItsRoom() {
    return ready.size() < MIN_ITEMS
        || (readyBytes <= maxBytes / 2 && ready.size() <= MAX_ITEMS / 2);
  }

  /** The most rows to hold ahead of unary readers; a stream bounds what it takes by itself. */
  private long maxRows() {
    return ahead == null || readers.haveStreams() ? Long.MAX_VALUE : ahead.rows();
  }

  /** The first row, if it may be delivered now; notes that a reader found none. */
  private @Nullable QueuedItem firstReady() {
    @Nullable QueuedItem first = ready.peekFirst();
    if (first == null && ahead != null && !produced) {
      ahead.starve();
    }
    if (leaving && (holdsRows || deliveries != null)) {
      return null;
    }
    if (first == null || announced == null || announced.allowed(first.position(), 1) == 1) {
      return first;
    }
    announced.starve(ticker.nanoTime());
    return null;
  }

  /** The position behind the last queued row. */
  private long lastPosition() {
    @Nullable QueuedItem last = ready.peekLast();
    return last == null ? 0 : last.position() + last.rows();
  }

  /** Whether rows are to be announced, which is said once. */
  private boolean becomesDue() {
    if (announced == null || saidDue || stopped != null || !announced.isDue(lastPosition())) {
      return false;
    }
    saidDue = true;
    return true;
  }

  private void take(QueuedItem first, int rows) {
    readyBytes -= rows * first.bytesPerRow();
    readyRows -= rows;
    handedOutRows += rows;
    times.handedOut(rows, rows * first.bytesPerRow());
    if (trace != null) {
      trace.taken(first.position(), rows);
    }
    if (ahead != null) {
      ahead.taken(rows, ticker.nanoTime());
    }
    if (announced != null) {
      announced.taken(rows);
    }
    first.drop(rows);
    if (first.rows() == 0) {
      ready.removeFirst();
    }
    if (isHalfEmpty()) {
      room.signal();
    }
  }

  private StreamItem takeFrame(int maxRows, long maxBytes) {
    List<Chunk> chunks = new ArrayList<>();
    long bytes = 0;
    int left = maxRows;
    while (true) {
      QueuedItem first = ready.getFirst();
      int rows = allowed(first, Math.min(left, rowsThatFit(first, maxBytes - bytes)));
      StreamItem head = first.head(rows);
      bytes += rows * first.bytesPerRow();
      left -= rows;
      take(first, rows);
      if (!(head instanceof StreamItem.Rows some)) {
        return head;
      }
      chunks.add(some.chunk());
      @Nullable QueuedItem next = ready.peekFirst();
      boolean isFull = left == 0 || bytes >= Math.min(FRAME_BYTES, maxBytes);
      if (isFull || !follows(some.chunk(), next) || !fits(next, maxBytes - bytes)) {
        return new StreamItem.Rows(Chunk.concat(chunks));
      }
    }
  }

  private static boolean fits(@Nullable QueuedItem next, long bytes) {
    return next != null && next.bytesPerRow() <= bytes;
  }

  private static int rowsThatFit(QueuedItem first, long bytes) {
    return Math.clamp(bytes / Math.max(1, first.bytesPerRow()), 1, first.rows());
  }

  private int allowed(QueuedItem first, int rows) {
    return announced == null ? rows : announced.allowed(first.position(), rows);
  }

  /** Whether {@code next} may follow {@code chunk} in one frame. */
  private boolean follows(Chunk chunk, @Nullable QueuedItem next) {
    return next != null
        && next.isRows()
        && allowed(next, 1) == 1
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
    List<QueuedItem> all = new ArrayList<>(ready);
    for (StreamItem item : items) {
      QueuedItem rows = new QueuedItem(item);
      all.add(rows);
      readyBytes += rows.bytes();
      readyRows += rows.rows();
      if (announced != null) {
        announced.returned(rows.rows());
      }
    }
    all.sort(Comparator.comparingLong(QueuedItem::position));
    ready.clear();
    ready.addAll(all);
  }

  /**
   * Whether no row is queued, and none is outstanding but {@code own} rows of the reader itself.
   */
  private boolean isAtEnd(long own) {
    return produced && ready.isEmpty() && outstandingRows == own;
  }

  private boolean reportEnd() {
    endReported = true;
    return becomesComplete();
  }

  private boolean becomesComplete() {
    if (complete || !endReported || !isAtEnd(0)) {
      return false;
    }
    complete = true;
    return true;
  }

  private List<Waiter> takeWaiters() {
    List<Waiter> all = List.copyOf(waiters);
    waiters.clear();
    return all;
  }

  /** Applies a change under the lock and wakes the waiters. */
  private void change(Runnable change) {
    List<Waiter> toWake;
    boolean completed;
    boolean due;
    lock.lock();
    try {
      change.run();
      completed = becomesComplete();
      due = becomesDue();
      toWake = takeWaiters();
    } finally {
      lock.unlock();
    }
    if (due) {
      onDue.run();
    }
    if (completed) {
      onComplete.run();
    }
    toWake.forEach(Waiter::wake);
  }
}
