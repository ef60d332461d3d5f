package io.headrace.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.WatchIterationRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.IterationUpdates;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches the tasks of an iteration: a Headrace dispatcher pushes changes, a stock one is polled.
 */
final class IterationWatch implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(IterationWatch.class.getName());

  /** Receives updates, on threads of the transport and the timer; must not block. */
  interface Listener {
    /** Called with the current state. */
    void changed(WatchIterationResponse state);

    /** Called when the watch has failed for good. */
    void failed(StatusException failure);
  }

  private final DispatcherClient dispatcher;
  private final long clientId;
  private final Duration interval;
  private final ScheduledExecutorService timer;
  private final Cancellation cancellation;
  private final Listener listener;
  private int attempt;

  /** Why the dispatcher's last answer failed; empty if it did not. */
  private volatile String absence = "";

  private volatile boolean closed;
  private volatile @Nullable ClientCall<WatchIterationRequest, WatchIterationResponse> watching;

  IterationWatch(
      DispatcherClient dispatcher,
      long clientId,
      Duration interval,
      ScheduledExecutorService timer,
      Cancellation cancellation,
      Listener listener) {
    this.dispatcher = dispatcher;
    this.clientId = clientId;
    this.interval = interval;
    this.timer = timer;
    this.cancellation = cancellation;
    this.listener = listener;
  }

  /** Why the dispatcher does not answer; empty as long as it does. */
  String absence() {
    return absence;
  }

  void start() {
    ClientCall<WatchIterationRequest, WatchIterationResponse> call =
        dispatcher
            .channel()
            .newCall(DispatcherExtensionsGrpc.getWatchIterationMethod(), CallOptions.DEFAULT);
    watching = call;
    call.start(new Watch(), new Metadata());
    call.request(Integer.MAX_VALUE);
    call.sendMessage(
        WatchIterationRequest.newBuilder()
            .setIterationClientId(clientId)
            .setAcceptsChanges(true)
            .build());
    call.halfClose();
    if (closed) {
      call.cancel("the reader was closed", null);
    }
  }

  private final class Watch extends ClientCall.Listener<WatchIterationResponse> {
    private WatchIterationResponse state = WatchIterationResponse.getDefaultInstance();

    @Override
    public void onMessage(WatchIterationResponse told) {
      attempt = 0;
      absence = "";
      state = IterationUpdates.merge(state, told);
      listener.changed(state);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (closed || status.isOk()) {
        return;
      }
      StatusException failure = GrpcStatuses.fromGrpc(status.asRuntimeException());
      if (failure.code() == StatusCode.UNIMPLEMENTED) {
        after(0, IterationWatch.this::poll);
      } else if (failure.code().isRetriable()) {
        absence = failure.message();
        after(dispatcher.backoff().nanos(attempt++), IterationWatch.this::start);
      } else {
        listener.failed(failure.in("Failed to get tasks"));
      }
    }
  }

  /** Polls a stock dispatcher by ClientHeartbeat. */
  private void poll() {
    if (closed) {
      return;
    }
    try {
      ClientHeartbeatResponse reply =
          dispatcher.callOnce(
              DispatcherServiceGrpc.getClientHeartbeatMethod(),
              ClientHeartbeatRequest.newBuilder().setIterationClientId(clientId).build(),
              cancellation);
      absence = "";
      listener.changed(
          WatchIterationResponse.newBuilder()
              .addAllTaskInfo(reply.getTaskInfoList())
              .setIterationFinished(reply.getIterationFinished())
              .build());
      if (reply.getIterationFinished()) {
        return;
      }
    } catch (StatusException e) {
      if (!e.code().isRetriable()) {
        listener.failed(e.in("Failed to get tasks"));
        return;
      }
      absence = e.message();
      LOGGER.log(Level.DEBUG, () -> "the dispatcher does not answer: " + e.getMessage());
    }
    after(interval.toNanos(), this::poll);
  }

  private void after(long nanos, Runnable action) {
    try {
      var _ = timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOGGER.log(Level.TRACE, "the reader is being closed", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    ClientCall<WatchIterationRequest, WatchIterationResponse> call = watching;
    if (call != null) {
      call.cancel("the reader was closed", null);
    }
  }
}
