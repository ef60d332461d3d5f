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
 * Ends calls whose single request does not arrive: a peer that stalls, or sends in part or too
 * slowly, would occupy the receive budget. Calls that stream requests are exempt.
 */
final class RequestTimeouts implements ServerInterceptor {
  /*
   * A timer for each call would cost more than the call. Instead, incomplete calls are in a set; a
   * sweep every half timeout ends those without progress in the two previous sweeps.
   */

  private static final int SWEEPS = 2;

  /** The bytes that must arrive between two sweeps to count as progress. */
  private static final long PROGRESS_BYTES = 64 << 10;

  private final Duration timeout;
  private final Set<Arrival<?, ?>> incomplete = ConcurrentHashMap.newKeySet();

  RequestTimeouts(Duration timeout) {
    this.timeout = timeout;
  }

  void start(ScheduledExecutorService sweeper) {
    long period = Math.max(1, timeout.toNanos() / SWEEPS);
    var _ = sweeper.scheduleWithFixedDelay(this::sweep, period, period, NANOSECONDS);
  }

  /** Ends calls without progress; called once a period. */
  void sweep() {
    incomplete.forEach(Arrival::sweep);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (!call.getMethodDescriptor().getType().clientSendsOneMessage()) {
      return next.startCall(call, headers);
    }
    CloseOnceCall<Q, R> closing = new CloseOnceCall<>(call);
    Arrival<Q, R> arrival = new Arrival<>(next.startCall(closing, headers), closing);
    incomplete.add(arrival);
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
      incomplete.remove(this);
      if (!call.isClosed()) {
        super.onHalfClose();
      }
    }

    @Override
    public void onCancel() {
      incomplete.remove(this);
      super.onCancel();
    }

    @Override
    public void onComplete() {
      incomplete.remove(this);
      super.onComplete();
    }

    /** Called on the sweeper thread only. */
    void sweep() {
      long bytes = tracer == null ? 0 : tracer.receivedBytes();
      if (bytes - bytesSeen >= PROGRESS_BYTES) {
        sweeps = 0;
        bytesSeen = bytes;
      } else if (sweeps++ >= SWEEPS) {
        incomplete.remove(this);
        call.close(
            Status.DEADLINE_EXCEEDED.withDescription(
                "the request did not arrive: it made almost no progress for " + timeout),
            new Metadata());
      }
    }
  }
}
