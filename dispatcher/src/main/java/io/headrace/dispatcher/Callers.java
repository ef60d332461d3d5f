package io.headrace.dispatcher;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headrace.dispatcher.decide.Caller;
import io.headrace.rpc.WorkerIncarnation;
import java.net.InetSocketAddress;

/** The callers of the dispatcher's RPCs: handlers find theirs in {@link #current}. */
final class Callers {
  private static final Context.Key<Caller> KEY =
      Context.keyWithDefault("caller", Caller.IN_PROCESS);

  private static final Context.Key<String> CALLED = Context.keyWithDefault("called-address", "");

  private Callers() {}

  /** The caller of the RPC that this thread handles. */
  static Caller current() {
    return KEY.get();
  }

  /**
   * The host and port at which the RPC that this thread handles has reached the dispatcher; empty
   * in its own process.
   */
  static String calledAddress() {
    return CALLED.get();
  }

  /** Identifies the callers of a service. */
  static ServerInterceptor identifying() {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Context context =
            Context.current().withValues(KEY, callerOf(call, headers), CALLED, calledBy(call));
        return Contexts.interceptCall(context, call, headers, next);
      }
    };
  }

  private static String calledBy(ServerCall<?, ?> call) {
    if (!(call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR)
        instanceof InetSocketAddress address)) {
      return "";
    }
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  private static Caller callerOf(ServerCall<?, ?> call, Metadata headers) {
    return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
            instanceof InetSocketAddress address
        ? Caller.from(WorkerIncarnation.in(headers), address.getAddress())
        : Caller.IN_PROCESS;
  }
}
