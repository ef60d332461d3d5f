package io.headrace.dispatcher;

import static io.headrace.rpc.UnaryCalls.answer;

import io.grpc.stub.StreamObserver;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminImplBase;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;

/** The service for operators (headrace/admin.proto), which changes nothing. */
final class AdminGrpcService extends DispatcherAdminImplBase {
  private final Dispatcher dispatcher;

  AdminGrpcService(Dispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  @Override
  public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> reply) {
    answer(dispatcher.status(request, Callers.calledAddress()), reply);
  }
}
