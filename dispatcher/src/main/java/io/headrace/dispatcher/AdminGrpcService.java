package io.headrace.dispatcher;

import static io.headrace.rpc.UnaryCalls.answer;

import io.grpc.stub.StreamObserver;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminImplBase;
import io.headrace.proto.headrace.GetJobStatisticsRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobStatistics;

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

  @Override
  public void getJobStatistics(
      GetJobStatisticsRequest request, StreamObserver<JobStatistics> reply) {
    answer(dispatcher.jobStatistics(request.getJob()), reply);
  }
}
