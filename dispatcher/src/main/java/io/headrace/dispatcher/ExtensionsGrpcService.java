package io.headrace.dispatcher;

import static io.headrace.rpc.UnaryCalls.answer;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc.DispatcherExtensionsImplBase;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.TaskPosition;
import io.headrace.proto.headrace.WatchIterationRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.UnaryCalls;
import java.util.Map;
import java.util.stream.Collectors;

/** What our dispatcher offers beyond TensorFlow's service, as gRPC calls it. */
final class ExtensionsGrpcService extends DispatcherExtensionsImplBase {
  private final Dispatcher dispatcher;

  ExtensionsGrpcService(Dispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  @Override
  public void extendedWorkerHeartbeat(
      ExtendedWorkerHeartbeatRequest request, StreamObserver<WorkerHeartbeatResponse> reply) {
    RequestChecks.requireSupported(
        request.getHeartbeat().getSnapshotTaskProgressCount() == 0,
        "snapshot_task_progress (distributed snapshots)");
    Map<Long, Long> positions =
        request.getTaskPositionsList().stream()
            .collect(
                Collectors.toMap(
                    TaskPosition::getTaskId, TaskPosition::getPosition, (_, last) -> last));
    WorkerReport report =
        WorkerReport.of(request.getHeartbeat(), request.getKnownOpsList(), positions);
    answer(dispatcher.workerHeartbeat(report), reply);
  }

  @Override
  public void watchIteration(
      WatchIterationRequest request, StreamObserver<WatchIterationResponse> reply) {
    long client = request.getIterationClientId();
    GrpcWatcher watcher = new GrpcWatcher((ServerCallStreamObserver<WatchIterationResponse>) reply);
    watcher.begin(() -> dispatcher.unwatch(client, watcher));
    var _ =
        dispatcher
            .watch(client, watcher)
            .whenComplete((_, failure) -> {
              if (failure != null) {
                dispatcher.unwatch(client, watcher);
                watcher.end(UnaryCalls.cause(failure));
              }
            });
  }
}
