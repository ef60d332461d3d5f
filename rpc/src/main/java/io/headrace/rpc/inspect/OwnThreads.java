package io.headrace.rpc.inspect;

import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/**
 * Answers each call with a single request on a virtual thread of its own, for handlers that wait:
 * those of channelz wait for the transport's threads, each for the one of the connection that it is
 * asked about.
 */
final class OwnThreads implements ServerInterceptor {
  private final String name;

  OwnThreads(String name) {
    this.name = name;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      // The request is complete: gRPC's stubs call the handler now.
      @Override
      public void onHalfClose() {
        Context context = Context.current();
        var _ = Thread.ofVirtual().name(name).start(context.wrap(this::handle));
      }

      private void handle() {
        try {
          super.onHalfClose();
        } catch (RuntimeException e) {
          call.close(Status.UNKNOWN.withCause(e), new Metadata());
        }
      }
    };
  }
}
