package io.headrace.client;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCalls;
import io.headrace.kernels.variant.CompressedElements;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.headrace.ConfirmElementsRequest;
import io.headrace.proto.headrace.ConfirmElementsResponse;
import io.headrace.proto.headrace.WorkerExtensionsGrpc;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a task by TensorFlow's unary GetElement: one outstanding request at a time, with a bounded
 * prefetch buffer, within the budget of its reader if that has one. Rows are consumed once they
 * arrive: the worker does not keep them.
 */
final class UnarySource implements TaskSource {
  /** The bound on the prefetch buffer in bytes, which one reply may exceed. */
  private static final long MAX_READY_BYTES = 4 << 20;

  private static final int MAX_READY = 16;
  private static final Duration CONFIRM_DEADLINE = Duration.ofSeconds(10);

  private final Channel channel;
  private final GetElementRequest request;
  private final long incarnation;
  private final @Nullable RequestBudget budget;
  private final Runnable onArrival;
  private final Runnable onFree = this::start;
  private final Deque<GetElementResponse> ready = new ArrayDeque<>();
  private final IgnoredErrorCount ignored = new IgnoredErrorCount();
  private @Nullable ListenableFuture<GetElementResponse> outstanding;
  private @Nullable StatusException broken;
  private long readyBytes;

  /** Whether the last row that has arrived is not confirmed; the next request does that. */
  private boolean unconfirmed;

  private boolean confirming;
  private long position;
  private boolean ended;
  private boolean closed;

  /**
   * A source, which {@link #start} starts.
   *
   * @param trainerId the trainer that reads, with a cross-trainer cache; otherwise empty
   * @param budget the elements that the reader may ask for ahead; null if it may fill the buffers
   *     of all its tasks
   */
  UnarySource(
      Channel channel,
      long taskId,
      String trainerId,
      long incarnation,
      @Nullable RequestBudget budget,
      Runnable onArrival) {
    this.channel = channel;
    this.request = GetElementRequest.newBuilder().setTaskId(taskId).setTrainerId(trainerId).build();
    this.incarnation = incarnation;
    this.budget = budget;
    this.onArrival = onArrival;
  }

  void start() {
    if (!isReady() || (budget != null && !budget.take(onFree))) {
      return;
    }
    ListenableFuture<GetElementResponse> asked = ask();
    if (asked == null) {
      giveBack(1);
    } else {
      Futures.addCallback(asked, new Arrival(), MoreExecutors.directExecutor());
    }
  }

  private synchronized boolean isReady() {
    return !closed
        && !ended
        && broken == null
        && outstanding == null
        && !confirming
        && ready.size() < MAX_READY
        && readyBytes < MAX_READY_BYTES;
  }

  /** Sends a request; null if none is due any more. */
  private synchronized @Nullable ListenableFuture<GetElementResponse> ask() {
    if (!isReady()) {
      return null;
    }
    unconfirmed = false;
    outstanding =
        ClientCalls.futureUnaryCall(
            channel.newCall(WorkerServiceGrpc.getGetElementMethod(), CallOptions.DEFAULT), request);
    return outstanding;
  }

  private void giveBack(int elements) {
    if (budget != null) {
      budget.give(elements);
    }
  }

  private final class Arrival implements FutureCallback<GetElementResponse> {
    @Override
    public void onSuccess(GetElementResponse response) {
      boolean isElement = !response.getEndOfSequence() && !response.getSkipTask();
      boolean isKept;
      synchronized (UnarySource.this) {
        outstanding = null;
        ended |= response.getEndOfSequence();
        ignored.follow(response);
        isKept = isElement && !closed;
        unconfirmed = isElement;
        if (isKept) {
          ready.add(response);
          readyBytes += response.getSerializedSize();
        }
      }
      if (!isKept) {
        giveBack(1);
      }
      start();
      onArrival.run();
    }

    @Override
    public void onFailure(Throwable failure) {
      synchronized (UnarySource.this) {
        outstanding = null;
        broken = GrpcStatuses.fromGrpc(failure);
      }
      giveBack(1);
      onArrival.run();
    }
  }

  /**
   * Confirms the last row where no request is to follow, as the buffer is full: until it is
   * confirmed, other readers of the task wait for its end. Stock workers do not know the call, and
   * do not wait. No request is under way meanwhile, whose row would count as confirmed.
   */
  @Override
  public void confirm() {
    ListenableFuture<ConfirmElementsResponse> confirmed;
    synchronized (this) {
      if (!unconfirmed || confirming || outstanding != null || closed || broken != null) {
        return;
      }
      unconfirmed = false;
      confirming = true;
      confirmed =
          ClientCalls.futureUnaryCall(
              channel.newCall(
                  WorkerExtensionsGrpc.getConfirmElementsMethod(),
                  CallOptions.DEFAULT.withDeadlineAfter(CONFIRM_DEADLINE)),
              ConfirmElementsRequest.newBuilder().setTaskId(request.getTaskId()).build());
    }
    confirmed.addListener(this::goOn, MoreExecutors.directExecutor());
  }

  private void goOn() {
    synchronized (this) {
      confirming = false;
    }
    start();
  }

  @Override
  public @Nullable StreamItem poll() {
    GetElementResponse next;
    synchronized (this) {
      next = ready.poll();
      if (next == null) {
        return idle();
      }
      readyBytes -= next.getSerializedSize();
    }
    giveBack(1);
    start();
    return new StreamItem.Rows(Chunk.ofElement(components(next)).withPosition(position++));
  }

  /**
   * Called with an empty buffer: returns the end or null, or throws the reason why the source
   * broke.
   */
  private @Nullable StreamItem idle() {
    if (broken != null) {
      throw new StatusException(broken.code(), broken.message(), broken);
    }
    return ended ? new StreamItem.End() : null;
  }

  /** The element in {@code response}, uncompressed. */
  static List<Tensor> components(GetElementResponse response) {
    return switch (response.getElementCase()) {
      case COMPRESSED -> CompressedElements.uncompress(response.getCompressed());
      case UNCOMPRESSED ->
          response.getUncompressed().getComponentsList().stream().map(TensorProtos::read).toList();
      case ELEMENT_NOT_SET -> List.of();
    };
  }

  /** GetElement carries no positions; those that this source counts are valid for it alone. */
  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public synchronized long errorsIgnored() {
    return ignored.ofPass();
  }

  /** The worker's own, unlike that of the positions. */
  @Override
  public synchronized long errorsPass() {
    return ignored.pass();
  }

  @Override
  public List<StreamItem> unread() {
    return List.of(); // poll() returns all arrived rows before it reports the break
  }

  @Override
  public void consumed(int rows) {
    // The worker dropped the rows when it replied.
  }

  @Override
  public void close() {
    ListenableFuture<GetElementResponse> toCancel;
    int dropped;
    synchronized (this) {
      closed = true;
      broken = new StatusException(StatusCode.CANCELLED, "the source was closed");
      dropped = ready.size();
      ready.clear();
      toCancel = outstanding;
    }
    giveBack(dropped);
    if (toCancel != null) {
      toCancel.cancel(true);
    }
  }
}
