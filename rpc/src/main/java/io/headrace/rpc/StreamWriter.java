package io.headrace.rpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import io.headrace.proto.headrace.ReadTaskRequest;
import io.headrace.runtime.status.Cancellation.Registration;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The worker's end of a stream: sends items while it has credit, and keeps them until they are
 * acknowledged.
 */
final class StreamWriter extends ServerCall.Listener<ReadTaskRequest> {
  /*
   * Requests come from the transport, wake-ups from the task's producer, heartbeats from the
   * metronome. All run in one synchronization context, so the fields need no lock and messages
   * leave in order: a thread that arrives while another one drains the context queues its work and
   * returns.
   *
   * The credit may drop below zero by one frame, so that a frame of any size can be sent.
   */

  private static final Logger LOGGER = System.getLogger(StreamWriter.class.getName());
  private static final int BEATS_TO_OPEN = 30;
  private static final int MAX_SHARED_ITEMS = 2;

  /** The most outstanding credit that a reader may grant. */
  static final long MAX_CREDIT_BYTES = 64 << 20;

  private final ServerCall<ReadTaskRequest, OutboundMessage> call;
  private final StreamTasks tasks;
  private final SynchronizationContext context =
      new SynchronizationContext((_, failure) -> onBug(failure));
  private final Registration beats;
  private final Deque<StreamItem> unconsumed = new ArrayDeque<>();
  private @Nullable StreamSource source;
  private long creditBytes;
  private long sentRows;
  private long consumedRows;
  private int beatsToOpen = BEATS_TO_OPEN;
  private boolean ended;
  private boolean left;
  private boolean closed;

  StreamWriter(
      ServerCall<ReadTaskRequest, OutboundMessage> call,
      StreamTasks tasks,
      HeartbeatTimer metronome) {
    this.call = call;
    this.tasks = tasks;
    this.beats = metronome.register(() -> context.execute(this::beat));
  }

  void start() {
    call.sendHeaders(new Metadata());
    call.request(1);
  }

  @Override
  public void onMessage(ReadTaskRequest request) {
    context.execute(() -> accept(request));
  }

  @Override
  public void onHalfClose() {
    context.execute(() -> {
      left = true;
      close(Status.OK);
    });
  }

  @Override
  public void onCancel() {
    context.execute(this::release);
  }

  @Override
  public void onComplete() {
    context.execute(this::release);
  }

  private void accept(ReadTaskRequest request) {
    if (closed) {
      return;
    }
    try {
      open(request);
      acknowledge(request.getConsumedRows());
      grant(request.getCreditBytes());
    } catch (StatusException e) {
      fail(e);
      return;
    }
    call.request(1);
    pump();
  }

  private void open(ReadTaskRequest request) {
    if (request.hasOpen() == (source != null)) {
      throw StatusException.invalidArgument(
          "a stream's first message opens a task, and no other does");
    }
    if (source == null) {
      source = tasks.open(TaskOpening.of(request.getOpen()), () -> context.execute(this::pump));
      call.sendMessage(FrameEncoder.opened(source.incarnation()));
    }
  }

  private void grant(long bytes) {
    // The credit is below zero after a large frame, whose bytes the reader gives back at once.
    if (bytes < 0 || bytes > MAX_CREDIT_BYTES - creditBytes) {
      throw StatusException.invalidArgument(
          "credit of %d bytes beside %d; together 0 to %d are allowed",
          bytes, creditBytes, MAX_CREDIT_BYTES);
    }
    creditBytes += bytes;
  }

  private void acknowledge(long rows) {
    if (rows == 0) {
      return;
    }
    if (rows < consumedRows || rows > sentRows) {
      throw StatusException.invalidArgument(
          "%d rows are said to be consumed, after %d; %d were sent", rows, consumedRows, sentRows);
    }
    long more = rows - consumedRows;
    consumedRows = rows;
    removeAcknowledged(more);
    if (more > 0 && source != null) {
      source.acknowledge(more);
    }
  }

  /** Removes the first {@code rows} unacknowledged rows. */
  private void removeAcknowledged(long rows) {
    long left = rows;
    while (left > 0) {
      StreamItem first = unconsumed.removeFirst();
      if (first.rows() > left) {
        StreamItem.Rows cut = (StreamItem.Rows) first;
        unconsumed.addFirst(new StreamItem.Rows(cut.chunk().slice((int) left, cut.rows())));
        return;
      }
      left -= first.rows();
    }
  }

  private void pump() {
    @Nullable StreamSource from = source;
    while (from != null && !closed && !ended && creditBytes > 0 && !isFarAhead(from)) {
      try {
        @Nullable StreamItem item = from.take();
        if (item == null) {
          return;
        }
        send(item, from);
      } catch (StatusException e) {
        fail(e);
      }
    }
  }

  private boolean isFarAhead(StreamSource of) {
    return unconsumed.size() >= MAX_SHARED_ITEMS && of.isShared();
  }

  private void send(StreamItem item, StreamSource from) {
    if (item instanceof StreamItem.End) {
      ended = true;
      long errorsIgnored = from.errorsIgnored();
      if (errorsIgnored > 0) {
        call.sendMessage(FrameEncoder.heartbeat(errorsIgnored, false));
      }
      call.sendMessage(FrameEncoder.END);
      return;
    }
    unconsumed.addLast(item);
    sentRows += item.rows();
    @Nullable TraceMark mark = from.mark(item);
    OutboundMessage message =
        switch (item) {
          case StreamItem.Rows rows -> FrameEncoder.frame(rows.chunk(), from.isShared(), mark);
          case StreamItem.RowFailure failed ->
              FrameEncoder.error(failed.position(), failed.failure());
          case StreamItem.Dropped dropped ->
              FrameEncoder.dropped(dropped.position(), dropped.origins());
          case StreamItem.End _ -> FrameEncoder.END;
        };
    creditBytes -= message.size();
    call.sendMessage(message);
    if (mark != null) {
      from.sent(mark);
    }
  }

  private void beat() {
    if (closed) {
      return;
    }
    if (source == null) {
      if (--beatsToOpen <= 0) {
        close(Status.DEADLINE_EXCEEDED.withDescription("the stream opened no task"));
      }
    } else if (call.isReady()) {
      // A transport that is not ready still has bytes to send, which count as a sign of life.
      call.sendMessage(FrameEncoder.heartbeat(source.errorsIgnored(), source.holdsUpOthers()));
      pump();
    }
  }

  private void fail(StatusException failure) {
    close(GrpcStatuses.toGrpc(failure));
  }

  private void close(Status status) {
    if (!closed) {
      release();
      call.close(status, new Metadata());
    }
  }

  private void release() {
    if (closed) {
      return;
    }
    closed = true;
    beats.close();
    List<StreamItem> rest = new ArrayList<>(unconsumed);
    unconsumed.clear();
    if (source != null) {
      source.close(rest, !left);
    }
  }

  private void onBug(Throwable failure) {
    LOGGER.log(Level.ERROR, "a stream failed", failure);
    close(GrpcStatuses.toGrpc(failure));
  }
}
