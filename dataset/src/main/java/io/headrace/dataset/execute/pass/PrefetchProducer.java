package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a pass ahead on its own thread, into a bounded buffer.
 *
 * <p>Rows can be taken as soon as they are buffered, whatever is still being computed. All state
 * except the pass itself is guarded by the monitor, which several producers may share so that their
 * consumer can wait for any of them; the public methods are called with the monitor locked.
 */
public final class PrefetchProducer {
  /** Adapts the buffer size at run time. */
  public static final long AUTOTUNE = -1;

  private static final long CHUNK_BYTES = 1 << 20;
  private static final int MAX_CHUNKS = 64;
  private static final int SMALL_CHUNK_BYTES = 1 << 16;
  private static final int SMALL_CHUNK_ROWS = 256;

  private final Supplier<ChunkIterator> source;
  private final CancellableMonitor monitor;
  private final IteratorContext context;
  private final Permits permits;
  private final long bufferRows;
  private final Bound bound;

  /** The producer's thread, while the buffer is full. */
  private final CancellableMonitor.Waiters room;

  /** The chunk being taken from, and the queued chunks and failures behind it. */
  private final RowCursor taking = new RowCursor();

  private final Deque<Object> ready = new ArrayDeque<>();
  private long rows;
  private long bytes;

  /** The rows that the consumer asked for and that are not read yet. */
  private long wanted;

  private int maxChunks = 2;
  private boolean wasFull;
  private boolean started;
  private boolean ended;
  private boolean closed;
  private @Nullable ChunkIterator input;
  private Origins rest = Origins.NONE;

  /** The bound of a buffer of a given number of rows. */
  public enum Bound {
    /**
     * No more rows than given are read ahead of those that the consumer {@linkplain #want asks
     * for}. Of these, small and cheap ones are handed over many at a time, as below.
     */
    ROWS,

    /**
     * More rows than given are read ahead if they are small and cheap: two chunks of {@value
     * #SMALL_CHUNK_BYTES} bytes, {@value #SMALL_CHUNK_ROWS} rows, and half a millisecond each.
     * Threads that handed over a row or two at a time would do little else.
     */
    ROWS_OR_SMALL_CHUNKS
  }

  /** Limits the producers that read at the same time; guarded by their monitor. */
  public static final class Permits {
    private final CancellableMonitor.Waiters freed;
    private int free;

    public Permits(CancellableMonitor monitor, int count) {
      this.freed = monitor.newWaiters();
      this.free = count;
    }
  }

  /**
   * A producer of the pass that {@code source} starts on the producer's thread.
   *
   * @param bufferRows the capacity in rows, or {@link #AUTOTUNE}
   * @param bound whether the capacity may be exceeded
   */
  public PrefetchProducer(
      Supplier<ChunkIterator> source,
      CancellableMonitor monitor,
      IteratorContext context,
      Permits permits,
      long bufferRows,
      Bound bound) {
    this.source = source;
    this.monitor = monitor;
    this.context = context;
    this.permits = permits;
    this.bufferRows = bufferRows;
    this.bound = bound;
    this.room = monitor.newWaiters();
  }

  /** Starts the thread. Idempotent. */
  public void start() {
    if (started) {
      return;
    }
    started = true;
    try {
      context.threads().execute(this::run);
    } catch (RejectedExecutionException e) {
      throw new StatusException(StatusCode.CANCELLED, "the pass's threads were stopped", e);
    }
  }

  /** Whether rows or a failure can be taken. */
  public boolean isReady() {
    return !taking.isEmpty() || !ready.isEmpty();
  }

  /**
   * Tells that the consumer asks for {@code asked} rows, and will be given fewer if fewer are
   * buffered.
   */
  public void want(int asked) {
    wanted = Math.max(0, asked - rows);
    if (wanted > 0 && bound == Bound.ROWS) {
      room.signal();
    }
  }

  /** How full the buffer is, from 0 to 1. */
  public double fill() {
    double degree =
        bufferRows == AUTOTUNE
            ? (double) (ready.size() + (taking.isEmpty() ? 0 : 1)) / maxChunks
            : (double) rows / bufferRows;
    return Math.min(1, degree);
  }

  /** Whether everything was taken. */
  public boolean isAtEnd() {
    return ended && !isReady();
  }

  /** The origins dropped behind the last row; valid once everything was taken. */
  public Origins rest() {
    return rest;
  }

  /** The next rows, at most {@code maxRows}; throws the next failure. Requires {@link #isReady}. */
  public Chunk take(int maxRows) {
    if (taking.isEmpty()) {
      Object next = ready.removeFirst();
      if (next instanceof StatusException failure) {
        room.signal();
        throw failure;
      }
      taking.refill((Chunk) next);
    }
    Chunk chunk = taking.take(Math.min(maxRows, taking.left()));
    count(chunk, -1);
    // A buffer that was full and then ran empty is too small.
    if (!isReady() && wasFull) {
      wasFull = false;
      maxChunks = Math.min(2 * maxChunks, MAX_CHUNKS);
    }
    if (hasRoomForMany()) {
      room.signal();
    }
    return chunk;
  }

  /**
   * Whether the producer's thread is worth waking: a consumer that takes a row or two at a time
   * would else wake it as often, for as few.
   */
  private boolean hasRoomForMany() {
    return taking.isEmpty()
        || (bufferRows != AUTOTUNE && rows <= bufferRows - Math.max(1, bufferRows / 8));
  }

  private void count(Chunk chunk, int sign) {
    long size = chunk.byteSize();
    rows += (long) sign * chunk.rows();
    bytes += sign * size;
    if (bufferRows == AUTOTUNE) {
      context.buffers().take(sign * size);
    }
  }

  private void run() {
    ChunkPacer pacer = new ChunkPacer(CHUNK_BYTES);
    ChunkIterator opened = null;
    try {
      opened = open();
      while (opened != null && produce(opened, pacer)) {}
    } catch (StatusException e) {
      put(e);
    } catch (RuntimeException | Error e) {
      // The consumer must not mistake a crash for the end.
      put(new StatusException(StatusCode.INTERNAL, "a pass failed: " + e, e));
    } finally {
      end(opened);
    }
  }

  private @Nullable ChunkIterator open() {
    if (!acquire()) {
      return null;
    }
    try {
      ChunkIterator opened = source.get();
      monitor.lock();
      try {
        input = opened;
        return opened;
      } finally {
        monitor.unlock();
      }
    } finally {
      release();
    }
  }

  /** Reads some rows; returns false at the end. */
  private boolean produce(ChunkIterator opened, ChunkPacer pacer) {
    int room = awaitRoom(pacer);
    if (room == 0 || !acquire()) {
      return false;
    }
    try {
      long start = context.ticker().nanoTime();
      Chunk chunk = opened.next(room);
      if (chunk == null) {
        end(opened.rest());
        return false;
      }
      pacer.took(chunk.rows(), context.ticker().nanoTime() - start, chunk.byteSize());
      put(chunk);
    } catch (StatusException e) {
      put(e);
    } finally {
      release();
    }
    return true;
  }

  private void end(Origins dropped) {
    monitor.lock();
    try {
      rest = dropped;
    } finally {
      monitor.unlock();
    }
  }

  /** Waits for room in the buffer; returns the number of rows to read, 0 if closed. */
  private int awaitRoom(ChunkPacer pacer) {
    monitor.lock();
    try {
      while (!closed && isFull(pacer)) {
        wasFull = true;
        room.await();
      }
      if (closed) {
        return 0;
      }
      return bufferRows == AUTOTUNE
          ? pacer.rows()
          : Math.max(extraRows(pacer), (int) Math.min(pacer.rows(), bufferRows - rows));
    } finally {
      monitor.unlock();
    }
  }

  private boolean isFull(ChunkPacer pacer) {
    int chunks = ready.size() + (taking.isEmpty() ? 0 : 1);
    if (bufferRows != AUTOTUNE) {
      return rows < bufferRows
          ? chunks > MAX_CHUNKS + bufferRows
          : chunks >= 2 || bytes >= SMALL_CHUNK_BYTES || extraRows(pacer) == 0;
    }
    return chunks >= maxChunks
        || (chunks > 0 && !context.buffers().hasRoomFor(Math.max(1, bytes / chunks)));
  }

  /**
   * The rows of a chunk that may exceed the capacity: 0 if none may, if a row is large or takes
   * long, and before the first row.
   */
  private int extraRows(ChunkPacer pacer) {
    int small = Math.min(pacer.rowsOf(SMALL_CHUNK_BYTES), SMALL_CHUNK_ROWS);
    if (small == 1) {
      return 0;
    }
    return bound == Bound.ROWS ? (int) Math.min(small, wanted) : small;
  }

  private boolean acquire() {
    monitor.lock();
    try {
      while (!closed && permits.free == 0) {
        permits.freed.await();
      }
      permits.free -= closed ? 0 : 1;
      return !closed;
    } finally {
      monitor.unlock();
    }
  }

  private void release() {
    monitor.lock();
    try {
      permits.free++;
      permits.freed.signalOne();
    } finally {
      monitor.unlock();
    }
  }

  private void put(Object chunkOrFailure) {
    monitor.lock();
    try {
      if (!closed) {
        ready.addLast(chunkOrFailure);
        if (chunkOrFailure instanceof Chunk chunk) {
          count(chunk, 1);
          wanted = Math.max(0, wanted - chunk.rows());
        }
        monitor.signal();
      }
    } finally {
      monitor.unlock();
    }
  }

  private void end(@Nullable ChunkIterator opened) {
    monitor.lock();
    try {
      ended = true;
      monitor.signal();
    } finally {
      monitor.unlock();
    }
    if (opened != null) {
      opened.close();
    }
  }

  /** Stops reading and drops the buffer; the producer's thread closes the pass. */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!taking.isEmpty()) {
      count(taking.take(taking.left()), -1);
    }
    for (Object next : ready) {
      if (next instanceof Chunk chunk) {
        count(chunk, -1);
      }
    }
    ready.clear();
    monitor.signal();
    permits.freed.signal();
    room.close();
  }

  /** The pass being read, to be closed without the monitor locked; null before it has started. */
  @Nullable
  public ChunkIterator input() {
    return input;
  }
}
