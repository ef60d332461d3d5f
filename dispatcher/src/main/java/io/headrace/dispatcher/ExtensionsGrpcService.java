package io.headrace.dispatcher;

import static io.headrace.rpc.UnaryCalls.answer;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.headrace.DescribeTaskRequest;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc.DispatcherExtensionsImplBase;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.LeaveWorkerResponse;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.ReportReadingResponse;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.ReportStagesResponse;
import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.ReportTraceResponse;
import io.headrace.proto.headrace.TakeSnapshotSplitsResponse;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.TaskPosition;
import io.headrace.proto.headrace.WatchIterationRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.UnaryCalls;
import java.util.Map;
import java.util.stream.Collectors;

/** Our extensions of TensorFlow's dispatcher service (headrace/dispatcher.proto). */
final class ExtensionsGrpcService extends DispatcherExtensionsImplBase {
  private final Dispatcher dispatcher;

  ExtensionsGrpcService(Dispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  @Override
  public void extendedWorkerHeartbeat(
      ExtendedWorkerHeartbeatRequest request,
      StreamObserver<ExtendedWorkerHeartbeatResponse> reply) {
    Map<Long, Long> positions =
        request.getTaskPositionsList().stream()
            .collect(
                Collectors.toMap(
                    TaskPosition::getTaskId, TaskPosition::getPosition, (_, last) -> last));
    WorkerReport report =
        WorkerReport.of(
            request.getHeartbeat(),
            request.getKnownOpsList(),
            positions,
            request.getIncarnation(),
            request.getTracksOrigins(),
            Callers.current());
    answer(
        dispatcher.workerHeartbeat(report, request.getHeartbeat().getSnapshotTaskProgressMap()),
        reply);
  }

  @Override
  public void takeSplits(TakeSplitsRequest request, StreamObserver<TakeSplitsResponse> reply) {
    answer(dispatcher.takeSplits(request, Callers.current()), reply);
  }

  @Override
  public void describeTask(
      DescribeTaskRequest request, StreamObserver<DescribeTaskResponse> reply) {
    answer(dispatcher.describeTask(request.getTaskId()), reply);
  }

  @Override
  public void joinIteration(
      JoinIterationRequest request, StreamObserver<JoinIterationResponse> reply) {
    answer(dispatcher.joinIteration(request), reply);
  }

  @Override
  public void reportReceipts(
      ReportReceiptsRequest request, StreamObserver<ReportReceiptsResponse> reply) {
    answer(dispatcher.reportReceipts(request), reply);
  }

  @Override
  public void reportReading(
      ReportReadingRequest request, StreamObserver<ReportReadingResponse> reply) {
    answer(dispatcher.reportReading(request), reply);
  }

  @Override
  public void reportStages(
      ReportStagesRequest request, StreamObserver<ReportStagesResponse> reply) {
    answer(dispatcher.reportStages(request, Callers.current()), reply);
  }

  @Override
  public void reportTrace(ReportTraceRequest request, StreamObserver<ReportTraceResponse> reply) {
    answer(dispatcher.traces().report(request, Callers.current()), reply);
  }

  @Override
  public void reportDeliveries(
      ReportDeliveriesRequest request, StreamObserver<ReportDeliveriesResponse> reply) {
    answer(dispatcher.reportDeliveries(request, Callers.current()), reply);
  }

  @Override
  public void takeSnapshotSplits(
      GetSnapshotSplitRequest request, StreamObserver<TakeSnapshotSplitsResponse> reply) {
    answer(dispatcher.snapshots().splits(request, Callers.current()), reply);
  }

  @Override
  public void leaveWorker(LeaveWorkerRequest request, StreamObserver<LeaveWorkerResponse> reply) {
    answer(dispatcher.leaveWorker(request, Callers.current()), reply);
  }

  @Override
  public void watchIteration(
      WatchIterationRequest request, StreamObserver<WatchIterationResponse> reply) {
    long client = request.getIterationClientId();
    GrpcWatcher watcher = new GrpcWatcher((ServerCallStreamObserver<WatchIterationResponse>) reply);
    watcher.begin(() -> dispatcher.unwatch(client, watcher));
    var _ =
        dispatcher
            .watch(client, watcher, request.getAcceptsChanges())
            .whenComplete((_, failure) -> {
              if (failure != null) {
                dispatcher.unwatch(client, watcher);
                watcher.end(UnaryCalls.cause(failure));
              }
            });
  }
}
