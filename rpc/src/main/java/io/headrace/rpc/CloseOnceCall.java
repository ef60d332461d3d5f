package io.headrace.rpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;

/** A server call that is closed once: later messages, headers and closes are dropped. */
class CloseOnceCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
  private final AtomicBoolean closed = new AtomicBoolean();

  CloseOnceCall(ServerCall<Q, R> call) {
    super(call);
  }

  final boolean isClosed() {
    return closed.get();
  }

  @Override
  public void sendHeaders(Metadata headers) {
    if (!isClosed()) {
      super.sendHeaders(headers);
    }
  }

  @Override
  public void sendMessage(R message) {
    if (!isClosed()) {
      super.sendMessage(message);
    }
  }

  @Override
  public void close(Status status, Metadata trailers) {
    if (closed.compareAndSet(false, true)) {
      super.close(status, trailers);
    }
  }
}
