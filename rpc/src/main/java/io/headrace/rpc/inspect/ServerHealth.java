package io.headrace.rpc.inspect;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The health of a server by gRPC's health protocol, {@code grpc.health.v1.Health}: overall, under
 * the empty name, and of one service, which are the same. A server does not serve until {@link
 * #serve} is called, and no more once {@link #leave} is. Thread-safe.
 */
public final class ServerHealth {
  /** Far more than a service's name needs; a watch keeps its name. */
  private static final int MAX_NAME_LENGTH = 256;

  private final HealthStatusManager manager = new HealthStatusManager();
  private final List<String> names;
  private final AtomicBoolean left = new AtomicBoolean();
  private final Set<WatchCall<?, ?>> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  /**
   * The health of a server that does not serve yet.
   *
   * @param service the full name of its service
   */
  public ServerHealth(String service) {
    names = List.of(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, service);
    set(ServingStatus.NOT_SERVING);
  }

  private void set(ServingStatus status) {
    names.forEach(name -> manager.setStatus(name, status));
  }

  /** The health service. */
  public ServerServiceDefinition service() {
    return ServerInterceptors.intercept(manager.getHealthService(), new Guard());
  }

  /** The server serves from now on; no effect after {@link #leave}. */
  public void serve() {
    set(ServingStatus.SERVING);
  }

  /** The server serves no more, and tells those that watch. */
  public void leave() {
    if (left.compareAndSet(false, true)) {
      manager.enterTerminalState();
    }
  }

  /**
   * Ends all watches with UNAVAILABLE, and any that begins later: a graceful stop of their server
   * would wait for them.
   */
  public void endWatches() {
    ended = true;
    watches.forEach(WatchCall::end);
  }

  /** Refuses long names, and keeps the watches. */
  private final class Guard implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      WatchCall<Q, R> guarded = new WatchCall<>(call);
      if (!call.getMethodDescriptor().getType().serverSendsOneMessage()) {
        watches.add(guarded);
        if (ended) {
          guarded.end();
        }
      }
      return new GuardedListener<>(next.startCall(guarded, headers), guarded);
    }
  }

  /** A call that any thread may end: what comes later is dropped. */
  private final class WatchCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private boolean closed;

    WatchCall(ServerCall<Q, R> call) {
      super(call);
    }

    void end() {
      close(
          Status.UNAVAILABLE.withDescription("the server stops, and ends the watch of its health"),
          new Metadata());
    }

    void forget() {
      watches.remove(this);
    }

    synchronized boolean isClosed() {
      return closed;
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
      if (!closed) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public synchronized void sendMessage(R message) {
      if (!closed) {
        super.sendMessage(message);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      synchronized (this) {
        if (closed) {
          return;
        }
        closed = true;
      }
      forget();
      super.close(status, trailers);
    }
  }

  private static final class GuardedListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final ServerHealth.WatchCall<Q, ?> call;

    GuardedListener(ServerCall.Listener<Q> listener, ServerHealth.WatchCall<Q, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      if (message instanceof HealthCheckRequest request
          && request.getService().length() > MAX_NAME_LENGTH) {
        call.close(
            Status.INVALID_ARGUMENT.withDescription(
                "the name of a service has at most " + MAX_NAME_LENGTH + " characters"),
            new Metadata());
      } else {
        super.onMessage(message);
      }
    }

    @Override
    public void onHalfClose() {
      if (!call.isClosed()) {
        super.onHalfClose();
      }
    }

    @Override
    public void onCancel() {
      call.forget();
      super.onCancel();
    }

    @Override
    public void onComplete() {
      call.forget();
      super.onComplete();
    }
  }
}
