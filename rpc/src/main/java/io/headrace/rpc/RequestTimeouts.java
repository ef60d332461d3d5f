package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Ends calls whose single request does not arrive: opened and left, or sent in part, or too slowly,
 * to occupy the receive budget. Streams of several requests are not its concern.
 */
final class RequestTimeouts implements ServerInterceptor {
  /*
   * A timer a call would cost more than the call. So calls that wait are in a set, and a sweep each
   * half of the timeout ends those that two sweeps before it have seen without progress.
   */

  private static final int SWEEPS = 2;

  /** What must arrive from one sweep to the next to count as progress. */
  private static final long PROGRESS_BYTES = 64 << 10;

  private final Duration timeout;
  private final Set<Arrival<?, ?>> waiting = ConcurrentHashMap.newKeySet();

  RequestTimeouts(Duration timeout) {
    this.timeout = timeout;
  }

  void start(ScheduledExecutorService sweeper) {
    long period = Math.max(1, timeout.toNanos() / SWEEPS);
    var _ = sweeper.scheduleWithFixedDelay(this::sweep, period, period, NANOSECONDS);
  }

  /** Ends what has waited too long; one step of the passing of time. */
  void sweep() {
    waiting.forEach(Arrival::sweep);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (!call.getMethodDescriptor().getType().clientSendsOneMessage()) {
      return next.startCall(call, headers);
    }
    CloseOnceCall<Q, R> closing = new CloseOnceCall<>(call);
    Arrival<Q, R> arrival = new Arrival<>(next.startCall(closing, headers), closing);
    waiting.add(arrival);
    return arrival;
  }

  /** The listener of a call, until its request has arrived. */
  private final class Arrival<Q, R> extends SimpleForwardingServerCallListener<Q> {
    private final CloseOnceCall<Q, R> call;
    private final @Nullable ReceiveTracer tracer = ReceiveTracer.KEY.get();
    private int sweeps;
    private long bytesSeen;

    Arrival(ServerCall.Listener<Q> listener, CloseOnceCall<Q, R> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onHalfClose() {
      waiting.remove(this);
      if (!call.isClosed()) {
        super.onHalfClose();
      }
    }

    @Override
    public void onCancel() {
      waiting.remove(this);
      super.onCancel();
    }

    @Override
    public void onComplete() {
      waiting.remove(this);
      super.onComplete();
    }

    /** Runs on the sweeping thread only. */
    void sweep() {
      long bytes = tracer == null ? 0 : tracer.receivedBytes();
      if (bytes - bytesSeen >= PROGRESS_BYTES) {
        sweeps = 0;
        bytesSeen = bytes;
      } else if (sweeps++ >= SWEEPS) {
        waiting.remove(this);
        call.close(
            Status.DEADLINE_EXCEEDED.withDescription(
                "the request did not arrive: nearly nothing came of it for " + timeout),
            new Metadata());
      }
    }
  }
}
