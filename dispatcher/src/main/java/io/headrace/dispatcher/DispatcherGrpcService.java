package io.headrace.dispatcher;

import static io.headrace.rpc.UnaryCalls.answer;

import io.grpc.stub.StreamObserver;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DataServiceConfig;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceImplBase;
import io.headrace.proto.data.GetDataServiceConfigRequest;
import io.headrace.proto.data.GetDataServiceConfigResponse;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetDataServiceMetadataResponse;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetDatasetDefResponse;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateIterationResponse;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrCreateJobResponse;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotSplitResponse;
import io.headrace.proto.data.GetSnapshotStreamsRequest;
import io.headrace.proto.data.GetSnapshotStreamsResponse;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetVersionResponse;
import io.headrace.proto.data.GetWorkersRequest;
import io.headrace.proto.data.GetWorkersResponse;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.data.MaybeRemoveTaskResponse;
import io.headrace.proto.data.ReleaseIterationClientRequest;
import io.headrace.proto.data.ReleaseIterationClientResponse;
import io.headrace.proto.data.SnapshotRequest;
import io.headrace.proto.data.SnapshotResponse;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.data.WorkerUpdateResponse;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import java.util.List;
import java.util.Map;

/** TensorFlow's DispatcherService. */
final class DispatcherGrpcService extends DispatcherServiceImplBase {
  /** The protocol version; stock peers refuse any other. */
  private static final long VERSION = 9;

  private final Dispatcher dispatcher;
  private final DeploymentMode deploymentMode;

  DispatcherGrpcService(Dispatcher dispatcher, DeploymentMode deploymentMode) {
    this.dispatcher = dispatcher;
    this.deploymentMode = deploymentMode;
  }

  @Override
  public void getVersion(GetVersionRequest request, StreamObserver<GetVersionResponse> reply) {
    reply.onNext(GetVersionResponse.newBuilder().setVersion(VERSION).build());
    reply.onCompleted();
  }

  @Override
  public void getDataServiceConfig(
      GetDataServiceConfigRequest request, StreamObserver<GetDataServiceConfigResponse> reply) {
    DataServiceConfig config =
        DataServiceConfig.newBuilder().setDeploymentMode(deploymentMode).build();
    reply.onNext(GetDataServiceConfigResponse.newBuilder().setConfig(config).build());
    reply.onCompleted();
  }

  @Override
  public void getOrRegisterDataset(
      GetOrRegisterDatasetRequest request, StreamObserver<GetOrRegisterDatasetResponse> reply) {
    answer(dispatcher.getOrRegisterDataset(request), reply);
  }

  @Override
  public void getDataServiceMetadata(
      GetDataServiceMetadataRequest request, StreamObserver<GetDataServiceMetadataResponse> reply) {
    answer(
        dispatcher
            .metadata(request.getDatasetId())
            .thenApply(metadata ->
                GetDataServiceMetadataResponse.newBuilder().setMetadata(metadata).build()),
        reply);
  }

  @Override
  public void getDatasetDef(
      GetDatasetDefRequest request, StreamObserver<GetDatasetDefResponse> reply) {
    answer(
        dispatcher
            .datasetDef(request.getDatasetId())
            .thenApply(def -> GetDatasetDefResponse.newBuilder().setDatasetDef(def).build()),
        reply);
  }

  @Override
  public void disableCompressionAtRuntime(
      DisableCompressionAtRuntimeRequest request,
      StreamObserver<DisableCompressionAtRuntimeResponse> reply) {
    answer(dispatcher.disableCompression(request), reply);
  }

  @Override
  public void getOrCreateJob(
      GetOrCreateJobRequest request, StreamObserver<GetOrCreateJobResponse> reply) {
    answer(dispatcher.getOrCreateJob(request), reply);
  }

  @Override
  public void getOrCreateIteration(
      GetOrCreateIterationRequest request, StreamObserver<GetOrCreateIterationResponse> reply) {
    answer(dispatcher.getOrCreateIteration(request), reply);
  }

  @Override
  public void clientHeartbeat(
      ClientHeartbeatRequest request, StreamObserver<ClientHeartbeatResponse> reply) {
    answer(dispatcher.clientHeartbeat(request), reply);
  }

  @Override
  public void releaseIterationClient(
      ReleaseIterationClientRequest request, StreamObserver<ReleaseIterationClientResponse> reply) {
    answer(dispatcher.releaseIterationClient(request.getIterationClientId()), reply);
  }

  @Override
  public void maybeRemoveTask(
      MaybeRemoveTaskRequest request, StreamObserver<MaybeRemoveTaskResponse> reply) {
    answer(dispatcher.maybeRemoveTask(request), reply);
  }

  @Override
  public void getSplit(GetSplitRequest request, StreamObserver<GetSplitResponse> reply) {
    answer(dispatcher.split(request, Callers.current()), reply);
  }

  @Override
  public void workerHeartbeat(
      WorkerHeartbeatRequest request, StreamObserver<WorkerHeartbeatResponse> reply) {
    WorkerReport report =
        WorkerReport.of(request, List.of(), Map.of(), 0, false, Callers.current());
    answer(
        dispatcher
            .workerHeartbeat(report, request.getSnapshotTaskProgressMap())
            .thenApply(DispatcherGrpcService::ofStock),
        reply);
  }

  private static WorkerHeartbeatResponse ofStock(ExtendedWorkerHeartbeatResponse response) {
    return WorkerHeartbeatResponse.newBuilder()
        .addAllNewTasks(response.getNewTasksList())
        .addAllTasksToDelete(response.getTasksToDeleteList())
        .addAllSnapshotTasks(response.getSnapshotTasksList())
        .build();
  }

  @Override
  public void workerUpdate(
      WorkerUpdateRequest request, StreamObserver<WorkerUpdateResponse> reply) {
    answer(dispatcher.workerUpdate(request, Callers.current()), reply);
  }

  @Override
  public void getWorkers(GetWorkersRequest request, StreamObserver<GetWorkersResponse> reply) {
    answer(dispatcher.workers(), reply);
  }

  @Override
  public void snapshot(SnapshotRequest request, StreamObserver<SnapshotResponse> reply) {
    answer(dispatcher.snapshots().start(request), reply);
  }

  @Override
  public void getSnapshotSplit(
      GetSnapshotSplitRequest request, StreamObserver<GetSnapshotSplitResponse> reply) {
    answer(dispatcher.snapshots().split(request, Callers.current()), reply);
  }

  @Override
  public void getSnapshotStreams(
      GetSnapshotStreamsRequest request, StreamObserver<GetSnapshotStreamsResponse> reply) {
    answer(dispatcher.snapshots().streams(request.getPath()), reply);
  }
}
