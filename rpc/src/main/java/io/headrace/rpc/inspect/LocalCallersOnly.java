package io.headrace.rpc.inspect;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.net.InetSocketAddress;

/** Lets callers on this host through, by a loopback address, and refuses others. */
final class LocalCallersOnly implements ServerInterceptor {
  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (!(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
            instanceof InetSocketAddress caller)
        || caller.getAddress().isLoopbackAddress()) {
      return next.startCall(call, headers);
    }
    call.close(
        Status.PERMISSION_DENIED.withDescription(
            "%s is for operators on the server's own host: call it there, at a loopback address"
                    .formatted(call.getMethodDescriptor().getFullMethodName())
                + " such as 127.0.0.1 (this call came from %s)"
                    .formatted(caller.getAddress().getHostAddress())),
        new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
