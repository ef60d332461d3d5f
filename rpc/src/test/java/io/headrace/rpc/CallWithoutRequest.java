package io.headrace.rpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetVersionResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A unary call that never sends its request. */
final class CallWithoutRequest extends ClientCall.Listener<GetVersionResponse> {
  /** Declared as streaming, lest the transport withhold the headers until the request. */
  private static final MethodDescriptor<GetVersionRequest, GetVersionResponse> GET_VERSION =
      DispatcherServiceGrpc.getGetVersionMethod().toBuilder()
          .setType(MethodType.BIDI_STREAMING)
          .build();

  private final CompletableFuture<Status> closed = new CompletableFuture<>();

  private CallWithoutRequest() {}

  static CallWithoutRequest start(ManagedChannel channel) {
    CallWithoutRequest listener = new CallWithoutRequest();
    ClientCall<GetVersionRequest, GetVersionResponse> call =
        channel.newCall(GET_VERSION, CallOptions.DEFAULT);
    call.start(listener, new Metadata());
    call.request(1);
    return listener;
  }

  /** Waits for the end of the call. */
  Status status() throws InterruptedException, ExecutionException {
    return closed.get();
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    closed.complete(status);
  }
}
