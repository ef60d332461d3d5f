package io.headrace.worker;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetSnapshotTaskProgressesRequest;
import io.headrace.proto.data.GetSnapshotTaskProgressesResponse;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.GetWorkerTasksResponse;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.ProcessTaskResponse;
import io.headrace.proto.data.SnapshotTaskProgress;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.headrace.ConfirmElementsRequest;
import io.headrace.proto.headrace.ConfirmElementsResponse;
import io.headrace.proto.headrace.ConfirmIncarnationRequest;
import io.headrace.proto.headrace.ConfirmIncarnationResponse;
import io.headrace.proto.headrace.SendHeartbeatRequest;
import io.headrace.proto.headrace.SendHeartbeatResponse;
import io.headrace.proto.headrace.WorkerExtensionsGrpc;
import io.headrace.rpc.ElementStreams;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.HeartbeatTimer;
import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.ServiceSchemas;
import io.headrace.rpc.StreamSource;
import io.headrace.rpc.StreamTasks;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services of a worker: TensorFlow's WorkerService, and element streams. Handlers never block.
 */
final class WorkerServices implements StreamTasks {
  private final TaskTable tasks;
  private final Supplier<Map<String, SnapshotTaskProgress>> snapshots;
  private final long incarnation;
  private final Runnable askDispatcher;
  private final GetElementHandler elements;
  private volatile boolean registered;

  /**
   * The services of a worker's process.
   *
   * @param tasks its tasks
   * @param snapshots how far the streams of snapshots are that it writes, by path
   * @param incarnation its number
   * @param askDispatcher has the worker ask its dispatcher for its tasks, without blocking
   */
  WorkerServices(
      TaskTable tasks,
      Supplier<Map<String, SnapshotTaskProgress>> snapshots,
      long incarnation,
      Runnable askDispatcher) {
    this.tasks = tasks;
    this.snapshots = snapshots;
    this.incarnation = incarnation;
    this.askDispatcher = askDispatcher;
    this.elements = new GetElementHandler(tasks);
  }

  /** Enables the calls that need a registered worker. */
  void becomeRegistered() {
    registered = true;
  }

  boolean isRegistered() {
    return registered;
  }

  /**
   * The service definitions, with element streams if {@code withStreams}.
   *
   * @param fence refuses requests of superseded dispatchers
   */
  List<ServerServiceDefinition> definitions(
      HeartbeatTimer metronome, EpochFence fence, boolean withStreams) {
    ServerServiceDefinition service =
        ServerInterceptors.intercept(workerService(), fence.ofRequests(askDispatcher));
    return withStreams
        ? List.of(service, extensions(), ElementStreams.service(this, metronome))
        : List.of(service, extensions());
  }

  private ServerServiceDefinition extensions() {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder(WorkerExtensionsGrpc.SERVICE_NAME)
            .addMethod(
                WorkerExtensionsGrpc.getConfirmIncarnationMethod(),
                ServerCalls.asyncUnaryCall(this::confirmIncarnation))
            .addMethod(
                WorkerExtensionsGrpc.getSendHeartbeatMethod(),
                ServerCalls.asyncUnaryCall(this::sendHeartbeat))
            .addMethod(WorkerExtensionsGrpc.getConfirmElementsMethod(), this::startConfirmElements)
            .build();
    return ServiceSchemas.describe(service, WorkerExtensionsGrpc.getServiceDescriptor());
  }

  private void confirmIncarnation(
      ConfirmIncarnationRequest request, StreamObserver<ConfirmIncarnationResponse> observer) {
    if (request.getIncarnation() != incarnation) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "another process of a worker serves here");
    }
    observer.onNext(ConfirmIncarnationResponse.getDefaultInstance());
    observer.onCompleted();
  }

  private void sendHeartbeat(
      SendHeartbeatRequest request, StreamObserver<SendHeartbeatResponse> observer) {
    checkRegistered();
    askDispatcher.run();
    observer.onNext(SendHeartbeatResponse.getDefaultInstance());
    observer.onCompleted();
  }

  private ServerCall.Listener<ConfirmElementsRequest> startConfirmElements(
      ServerCall<ConfirmElementsRequest, ConfirmElementsResponse> call, Metadata headers) {
    @Nullable PeerConnection connection = PeerConnection.of(call);
    return ServerCalls.<ConfirmElementsRequest, ConfirmElementsResponse>asyncUnaryCall(
            (request, observer) -> {
              elements.confirm(request.getTaskId(), connection);
              observer.onNext(ConfirmElementsResponse.getDefaultInstance());
              observer.onCompleted();
            })
        .startCall(call, headers);
  }

  private ServerServiceDefinition workerService() {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder(WorkerServiceGrpc.SERVICE_NAME)
            .addMethod(
                WorkerServiceGrpc.getProcessTaskMethod(),
                ServerCalls.asyncUnaryCall(this::processTask))
            .addMethod(
                OutboundMessage.answering(WorkerServiceGrpc.getGetElementMethod()),
                this::startGetElement)
            .addMethod(
                WorkerServiceGrpc.getGetWorkerTasksMethod(),
                ServerCalls.asyncUnaryCall(this::getWorkerTasks))
            .addMethod(
                WorkerServiceGrpc.getGetSnapshotTaskProgressesMethod(),
                ServerCalls.asyncUnaryCall(this::getSnapshotTaskProgresses))
            .build();
    return ServiceSchemas.describe(service, WorkerServiceGrpc.getServiceDescriptor());
  }

  /**
   * Asks the dispatcher for the new task, whose reply to a heartbeat has it: anyone may call this
   * worker.
   */
  private void processTask(
      ProcessTaskRequest request, StreamObserver<ProcessTaskResponse> observer) {
    // A process that replaces another one at its address must not run the tasks of its predecessor.
    checkRegistered();
    if (!tasks.has(request.getTask())) {
      askDispatcher.run();
    }
    observer.onNext(ProcessTaskResponse.getDefaultInstance());
    observer.onCompleted();
  }

  private ServerCall.Listener<GetElementRequest> startGetElement(
      ServerCall<GetElementRequest, OutboundMessage> call, Metadata headers) {
    @Nullable PeerConnection connection = PeerConnection.of(call);
    return ServerCalls.<GetElementRequest, OutboundMessage>asyncUnaryCall(
            (request, observer) -> getElement(request, observer, connection))
        .startCall(call, headers);
  }

  private void getElement(
      GetElementRequest request,
      StreamObserver<OutboundMessage> observer,
      @Nullable PeerConnection connection) {
    checkRegistered();
    elements.accept(request, (ServerCallStreamObserver<OutboundMessage>) observer, connection);
  }

  @Override
  public StreamSource open(TaskOpening opening, Runnable wake) {
    checkRegistered();
    @Nullable RunningTask task = tasks.find(opening.taskId());
    if (task != null && task.rounds() != null) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "task %d is read in step by its consumers, and has no stream",
          opening.taskId());
    }
    if (task == null) {
      return new EmptyTaskStream();
    }
    @Nullable CrossTrainerCache cache = task.cache();
    return cache == null
        ? new TaskStream(task, opening, wake)
        : new TrainerStream(task, cache, opening, wake);
  }

  private void checkRegistered() {
    if (!registered) {
      throw new StatusException(
          StatusCode.UNAVAILABLE, "Worker has not yet registered with dispatcher.");
    }
  }

  private void getWorkerTasks(
      GetWorkerTasksRequest request, StreamObserver<GetWorkerTasksResponse> observer) {
    GetWorkerTasksResponse.Builder response = GetWorkerTasksResponse.newBuilder();
    for (RunningTask task : tasks.live()) {
      response.addTasks(
          TaskInfo.newBuilder()
              .setWorkerAddress(task.definition().getWorkerAddress())
              .setTaskId(task.id())
              .setIterationId(task.definition().getIterationId()));
    }
    observer.onNext(response.build());
    observer.onCompleted();
  }

  private void getSnapshotTaskProgresses(
      GetSnapshotTaskProgressesRequest request,
      StreamObserver<GetSnapshotTaskProgressesResponse> observer) {
    observer.onNext(
        GetSnapshotTaskProgressesResponse.newBuilder()
            .addAllSnapshotTaskProgresses(snapshots.get().values())
            .build());
    observer.onCompleted();
  }
}
