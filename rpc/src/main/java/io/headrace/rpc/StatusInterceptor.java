package io.headrace.rpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Lets handlers throw, or answer with, any exception: the caller gets its status by {@link
 * GrpcStatuses}, and bugs are logged.
 */
final class StatusInterceptor implements ServerInterceptor {
  private static final Logger LOGGER = System.getLogger(StatusInterceptor.class.getName());

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    TranslatingCall<Q, R> translating = new TranslatingCall<>(call);
    return new CatchingListener<>(next.startCall(translating, headers), translating);
  }

  /** Closes the call with the status of the cause if gRPC's stub reports UNKNOWN. */
  private static final class TranslatingCall<Q, R> extends CloseOnceCall<Q, R> {
    TranslatingCall(ServerCall<Q, R> call) {
      super(call);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      @Nullable Throwable cause = status.getCause();
      if (status.getCode() == Status.Code.UNKNOWN && cause != null) {
        trailers.merge(GrpcStatuses.trailers(cause));
        super.close(logged(cause), trailers);
      } else {
        super.close(status, trailers);
      }
    }

    private Status logged(Throwable failure) {
      Status status = GrpcStatuses.toGrpc(failure);
      if (status.getCode() == Status.Code.INTERNAL && !(failure instanceof StatusException)) {
        LOGGER.log(Level.ERROR, getMethodDescriptor().getFullMethodName() + " failed", failure);
      }
      return status;
    }
  }

  /** Ends the call with the status of the exception that its handler threw. */
  private static final class CatchingListener<Q, R> extends SimpleForwardingServerCallListener<Q> {
    private final TranslatingCall<Q, R> call;

    CatchingListener(ServerCall.Listener<Q> listener, TranslatingCall<Q, R> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      if (message instanceof RequestMarshaller.Malformed malformed) {
        call.close(malformed.status(), new Metadata());
      } else {
        catching(() -> super.onMessage(message));
      }
    }

    @Override
    public void onHalfClose() {
      if (!call.isClosed()) {
        catching(super::onHalfClose);
      }
    }

    @Override
    public void onReady() {
      catching(super::onReady);
    }

    private void catching(Runnable handler) {
      try {
        handler.run();
      } catch (RuntimeException e) {
        call.close(Status.UNKNOWN.withCause(e), new Metadata());
      }
    }
  }
}
