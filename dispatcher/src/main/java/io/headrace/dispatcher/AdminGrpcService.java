package io.headrace.dispatcher;

import static io.headrace.rpc.UnaryCalls.answer;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminImplBase;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.DrainWorkerResponse;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.EndJobRequest;
import io.headrace.proto.headrace.EndJobResponse;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.ForgetClientRequest;
import io.headrace.proto.headrace.ForgetClientResponse;
import io.headrace.proto.headrace.ForgetDatasetRequest;
import io.headrace.proto.headrace.ForgetDatasetResponse;
import io.headrace.proto.headrace.GetJobHistoryRequest;
import io.headrace.proto.headrace.GetJobStatisticsRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobHistory;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.TraceElementRequest;

/** The service for operators (headrace/admin.proto). */
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

  @Override
  public void getJobHistory(GetJobHistoryRequest request, StreamObserver<JobHistory> reply) {
    answer(dispatcher.jobHistory(request.getJob()), reply);
  }

  @Override
  public void traceElement(TraceElementRequest request, StreamObserver<ElementTrace> reply) {
    long id = dispatcher.newTrace();
    ((ServerCallStreamObserver<ElementTrace>) reply)
        .setOnCancelHandler(() -> dispatcher.traces().cancel(id));
    answer(dispatcher.traces().trace(request, id), reply);
  }

  @Override
  public void explain(ExplainRequest request, StreamObserver<DatasetPlan> reply) {
    answer(dispatcher.operators().explain(request), reply);
  }

  @Override
  public void drainWorker(DrainWorkerRequest request, StreamObserver<DrainWorkerResponse> reply) {
    answer(dispatcher.operators().drain(request, Callers.current()), reply);
  }

  @Override
  public void endJob(EndJobRequest request, StreamObserver<EndJobResponse> reply) {
    answer(dispatcher.operators().endJob(request.getJob(), Callers.current()), reply);
  }

  @Override
  public void forgetClient(
      ForgetClientRequest request, StreamObserver<ForgetClientResponse> reply) {
    long client = request.getIterationClientId();
    answer(dispatcher.operators().forgetClient(client, Callers.current()), reply);
  }

  @Override
  public void forgetDataset(
      ForgetDatasetRequest request, StreamObserver<ForgetDatasetResponse> reply) {
    answer(dispatcher.operators().forgetDataset(request.getDatasetId(), Callers.current()), reply);
  }
}
