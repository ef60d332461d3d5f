package io.headrace.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import io.headrace.proto.headrace.ReadTaskRequest;
import io.headrace.runtime.status.Cancellation.Registration;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The reader's end of a stream: receives the rows of one task in chunks, acknowledges consumed rows
 * and grants credit to the worker. The bytes received and not yet consumed are bounded by the
 * credit window plus one frame.
 *
 * <p>Rows that are unacknowledged when a stream breaks return to the task and are delivered again
 * to its next reader. So a caller that reopens a stream on the task drops the rows that it still
 * holds of this one, and skips rows at positions that it has consumed, as long as the {@link
 * #incarnation} is the same. If the worker is gone, {@link #unread} returns the rows that had
 * arrived.
 *
 * <p>Thread-safe. {@link #close} returns unconsumed rows to the task's other readers.
 */
public final class StreamReader implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(StreamReader.class.getName());

  private final TaskOpening opening;
  private final StreamOptions options;
  private final Ticker ticker;
  private final Runnable onArrival;
  private final Consumer<TraceMark> onMark;
  private final ClientCall<ReadTaskRequest, StreamMessage> call;
  private final SynchronizationContext sends =
      new SynchronizationContext((_, failure) ->
          LOGGER.log(Level.DEBUG, "a request came after its stream's end", failure));
  private final Registration beats;
  private volatile long lastSignNanos;
  private volatile long incarnation;
  private volatile long errorsIgnored;
  private volatile boolean claimIsAsked;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Received> received = new ArrayDeque<>();

  @GuardedBy("lock")
  private final Deque<Received> taken = new ArrayDeque<>();

  @GuardedBy("lock")
  private long creditBytes;

  @GuardedBy("lock")
  private long consumedBytes;

  @GuardedBy("lock")
  private long consumedRows;

  @GuardedBy("lock")
  private long reportedRows;

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private boolean left;

  @GuardedBy("lock")
  private @Nullable StatusException broken;

  private StreamReader(
      Channel channel,
      TaskOpening opening,
      StreamOptions options,
      Ticker ticker,
      HeartbeatTimer metronome,
      Runnable onArrival,
      Consumer<TraceMark> onMark) {
    this.opening = opening;
    this.options = options;
    this.ticker = ticker;
    this.onArrival = onArrival;
    this.onMark = onMark;
    this.lastSignNanos = ticker.nanoTime();
    this.creditBytes = options.windowBytes();
    this.call =
        channel.newCall(
            StreamMethod.CLIENT, CallOptions.DEFAULT.withStreamTracerFactory(new SignsOfLife()));
    this.beats = metronome.register(this::checkSilence);
  }

  /**
   * Opens a stream on a task of the worker at {@code channel}, without blocking.
   *
   * @param onArrival called when a {@link #poll} that returned null may now return an item or
   *     throw; it runs on a thread of the transport and must not block
   */
  public static StreamReader open(
      Channel channel,
      TaskOpening opening,
      StreamOptions options,
      Ticker ticker,
      HeartbeatTimer metronome,
      Runnable onArrival) {
    return open(channel, opening, options, ticker, metronome, onArrival, _ -> {});
  }

  /**
   * Opens a stream whose reader reports traces, without blocking.
   *
   * @param onArrival as for the other one
   * @param onMark called with the mark of a traced row before the row can be taken, on a thread of
   *     the transport; must not block
   */
  public static StreamReader open(
      Channel channel,
      TaskOpening opening,
      StreamOptions options,
      Ticker ticker,
      HeartbeatTimer metronome,
      Runnable onArrival,
      Consumer<TraceMark> onMark) {
    StreamReader reader =
        new StreamReader(channel, opening, options, ticker, metronome, onArrival, onMark);
    reader.start();
    return reader;
  }

  private void start() {
    call.start(new Listener(), new Metadata());
    call.request(Integer.MAX_VALUE);
    ReadTaskRequest first =
        ReadTaskRequest.newBuilder()
            .setOpen(opening.toProto())
            .setCreditBytes(options.windowBytes())
            .build();
    sends.execute(() -> call.sendMessage(first));
  }

  /**
   * The next item, or null if none has arrived. After the last item it returns the end, every time.
   *
   * @throws StatusException the reason why the stream broke: retriable (UNAVAILABLE, CANCELLED) if
   *     another stream may be opened; CANCELLED after {@link #close}
   */
  public @Nullable StreamItem poll() {
    lock.lock();
    try {
      @Nullable StreamItem item = take();
      if (item == null && consumedRows > reportedRows) {
        report();
      }
      return item;
    } finally {
      lock.unlock();
      sends.drain();
    }
  }

  /** The pass over the task's dataset to which positions refer; known once an item was taken. */
  public long incarnation() {
    return incarnation;
  }

  /**
   * How many elements of the pass failed and were left out by ignore_errors, as far as the worker
   * has told: it tells every second, and at the end.
   */
  public long errorsIgnored() {
    return errorsIgnored;
  }

  /**
   * Whether the worker asks, as of its last heartbeat, to have all rows that have arrived taken and
   * acknowledged: another reader waits for the end of the task.
   */
  public boolean claimIsAsked() {
    return claimIsAsked;
  }

  /**
   * The items that had arrived and were not taken when the stream broke; a second call returns
   * none.
   */
  public List<StreamItem> unread() {
    lock.lock();
    try {
      if (broken == null) {
        return List.of();
      }
      List<StreamItem> items = received.stream().map(r -> r.item).toList();
      received.clear();
      return items;
    } finally {
      lock.unlock();
    }
  }

  /** The next item; blocks until one has arrived. CANCELLED if this thread is interrupted. */
  public StreamItem next() {
    while (true) {
      @Nullable StreamItem item = poll();
      if (item != null) {
        return item;
      }
      awaitChange();
    }
  }

  /**
   * Acknowledges the next {@code rows} of the taken rows, in their order: they are not delivered
   * again, and their bytes are credited to the worker. An error counts as one row. Has no effect
   * once the stream is broken: the opening of the next stream lists the consumed positions.
   */
  public void consumed(int rows) {
    lock.lock();
    try {
      if (broken != null) {
        return;
      }
      boolean prompt = consume(rows);
      if (prompt || consumedBytes >= options.windowBytes() / 2 || isConsumed()) {
        report();
      }
      if (isConsumed()) {
        leave();
      }
    } finally {
      lock.unlock();
      sends.drain();
    }
  }

  /** Leaves the task: unacknowledged rows go to other readers. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (broken == null) {
        report();
        leave();
        breakWith(new StatusException(StatusCode.CANCELLED, "the stream was closed"));
        received.clear();
      }
    } finally {
      lock.unlock();
      sends.drain();
    }
    onArrival.run();
  }

  /**
   * Breaks the stream as a lost connection would: the worker holds the unacknowledged rows for a
   * while, since this reader may have consumed them and may come back. Idempotent.
   */
  public void abandon() {
    lock.lock();
    try {
      if (broken == null) {
        breakWith(new StatusException(StatusCode.UNAVAILABLE, "the stream was abandoned"));
        sends.executeLater(() -> call.cancel("the reader may come back", null));
      }
    } finally {
      lock.unlock();
      sends.drain();
    }
    onArrival.run();
  }

  // The methods from here on are called under the lock.

  @GuardedBy("lock")
  private @Nullable StreamItem take() {
    @Nullable StatusException failure = broken;
    if (failure != null) {
      throw new StatusException(failure.code(), failure.message(), failure);
    }
    @Nullable Received next = received.poll();
    if (next != null) {
      taken.add(next);
      return next.item;
    }
    if (ended && isConsumed()) {
      report();
      leave();
    }
    return ended ? new StreamItem.End() : null;
  }

  @GuardedBy("lock")
  private boolean isConsumed() {
    return ended && received.isEmpty() && taken.isEmpty();
  }

  /**
   * Counts rows as consumed.
   *
   * @return whether the worker wants a prompt acknowledgement
   */
  @GuardedBy("lock")
  private boolean consume(int rows) {
    boolean prompt = false;
    int more = rows;
    while (more > 0) {
      @Nullable Received first = taken.peek();
      if (first == null) {
        throw new IllegalArgumentException(rows + " rows consumed, and fewer were taken");
      }
      int now = Math.min(more, first.rowsLeft);
      first.rowsLeft -= now;
      more -= now;
      consumedRows += now;
      if (first.rowsLeft == 0) {
        taken.remove();
        consumedBytes += first.wireBytes;
        prompt |= first.acknowledgePromptly;
      }
    }
    return prompt;
  }

  @GuardedBy("lock")
  private void report() {
    if (broken != null || left || (consumedBytes == 0 && consumedRows == reportedRows)) {
      return;
    }
    ReadTaskRequest request =
        ReadTaskRequest.newBuilder()
            .setCreditBytes(consumedBytes)
            .setConsumedRows(consumedRows)
            .build();
    creditBytes += consumedBytes;
    consumedBytes = 0;
    reportedRows = consumedRows;
    sends.executeLater(() -> call.sendMessage(request));
  }

  @GuardedBy("lock")
  private void leave() {
    if (broken == null && !left) {
      left = true;
      sends.executeLater(call::halfClose);
    }
  }

  @GuardedBy("lock")
  private void breakWith(StatusException failure) {
    broken = failure;
    taken.clear();
    if (!left) {
      beats.close();
    }
    changed.signalAll();
  }

  // The methods from here on are called without the lock.

  private void awaitChange() {
    lock.lock();
    try {
      while (received.isEmpty() && !ended && broken == null) {
        changed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted while waiting for rows", e);
    } finally {
      lock.unlock();
    }
  }

  /** Breaks the stream and cancels the call, for a reason found on this side. */
  private void cancel(StatusException failure) {
    lock.lock();
    try {
      if (broken == null) {
        breakWith(failure);
      }
    } finally {
      lock.unlock();
    }
    beats.close();
    call.cancel(failure.message(), failure);
    onArrival.run();
  }

  private void checkSilence() {
    if (ticker.nanoTime() - lastSignNanos > options.silence().toNanos()) {
      cancel(
          StatusException.of(
              StatusCode.UNAVAILABLE,
              "the worker of task %d has given no sign of life for %s",
              opening.taskId(),
              options.silence()));
    }
  }

  private void accept(StreamItem item, int wireBytes, boolean acknowledgePromptly) {
    boolean withinCredit;
    lock.lock();
    try {
      withinCredit = creditBytes > 0;
      creditBytes -= wireBytes;
      if (withinCredit && broken == null) {
        received.add(new Received(item, wireBytes, acknowledgePromptly));
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (withinCredit) {
      onArrival.run();
    } else {
      cancel(
          StatusException.of(
              StatusCode.INTERNAL,
              "the worker of task %d sent more than its credit",
              opening.taskId()));
    }
  }

  private void acceptEnd() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    onArrival.run();
  }

  private final class Listener extends ClientCall.Listener<StreamMessage> {
    @Override
    public void onMessage(StreamMessage message) {
      lastSignNanos = ticker.nanoTime();
      switch (message) {
        case StreamMessage.Frame frame -> {
          TraceMark mark = frame.mark();
          if (mark != null) {
            onMark.accept(mark);
          }
          accept(
              new StreamItem.Rows(frame.chunk()), frame.wireBytes(), frame.acknowledgePromptly());
        }
        case StreamMessage.RowFailed failed ->
            accept(
                new StreamItem.RowFailure(failed.position(), failed.failure()),
                failed.wireBytes(),
                false);
        case StreamMessage.Dropped dropped ->
            accept(
                new StreamItem.Dropped(dropped.position(), dropped.origins()),
                dropped.wireBytes(),
                false);
        case StreamMessage.Opened opened -> incarnation = opened.incarnation();
        case StreamMessage.Alive(long ignored, boolean claim) -> {
          errorsIgnored = Math.max(errorsIgnored, ignored);
          claimIsAsked = claim;
        }
        case StreamMessage.End _ -> acceptEnd();
        case StreamMessage.Unreadable unreadable -> cancel(unreadable.failure());
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      beats.close();
      lock.lock();
      try {
        if (broken != null || (left && status.isOk())) {
          return;
        }
        breakWith(
            status.isOk()
                ? new StatusException(StatusCode.UNAVAILABLE, "the worker ended the stream")
                : GrpcStatuses.fromGrpc(status.asRuntimeException(trailers)));
      } finally {
        lock.unlock();
      }
      onArrival.run();
    }
  }

  /** Counts arriving bytes as a sign of life, since a large message may take long to arrive. */
  private final class SignsOfLife extends ClientStreamTracer.Factory {
    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void inboundWireSize(long bytes) {
          lastSignNanos = ticker.nanoTime();
        }
      };
    }
  }

  /** A received item and the number of its unconsumed rows. */
  private static final class Received {
    final StreamItem item;
    final int wireBytes;
    final boolean acknowledgePromptly;
    int rowsLeft;

    Received(StreamItem item, int wireBytes, boolean acknowledgePromptly) {
      this.item = item;
      this.wireBytes = wireBytes;
      this.acknowledgePromptly = acknowledgePromptly;
      this.rowsLeft = item.rows();
    }
  }
}
