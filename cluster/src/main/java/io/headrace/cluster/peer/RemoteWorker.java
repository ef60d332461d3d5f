package io.headrace.cluster.peer;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.headrace.proto.tensorflow.CleanupAllRequest;
import io.headrace.proto.tensorflow.CleanupGraphRequest;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.CreateWorkerSessionRequest;
import io.headrace.proto.tensorflow.DeleteWorkerSessionRequest;
import io.headrace.proto.tensorflow.DeregisterGraphRequest;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.ExecutorOpts;
import io.headrace.proto.tensorflow.GetStatusRequest;
import io.headrace.proto.tensorflow.GetStatusResponse;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.proto.tensorflow.RegisterGraphRequest;
import io.headrace.proto.tensorflow.RegisterGraphResponse;
import io.headrace.proto.tensorflow.RunGraphRequest;
import io.headrace.proto.tensorflow.RunGraphResponse;
import io.headrace.proto.tensorflow.WorkerServiceGrpc;
import io.headrace.rpc.RecvTensorMethod;
import io.headrace.rpc.RecvTensorMethod.Received;
import io.headrace.rpc.TensorPartsReceiver;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.InputStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The stub of a worker in another process, stock or ours. Failures name the task and the method.
 */
final class RemoteWorker implements WorkerPeer {
  private static final Duration CLEANUP_DEADLINE = Duration.ofSeconds(10);

  private final DeviceSpec task;
  private final TaskConnection connection;
  private final SecureRandom requestIds = new SecureRandom();

  RemoteWorker(DeviceSpec task, TaskConnection connection) {
    this.task = task;
    this.connection = connection;
  }

  /** Starts a call that fails when the task is lost. */
  private <Q, R> CompletableFuture<R> call(MethodDescriptor<Q, R> method, Q request) {
    return call(method, request, new Cancellation());
  }

  /**
   * Starts a call that fails when the task is lost and ends when {@code cancellation} is cancelled.
   */
  private <Q, R> CompletableFuture<R> call(
      MethodDescriptor<Q, R> method, Q request, Cancellation cancellation) {
    ClientCall<Q, R> call = connection.newCall(method, CallOptions.DEFAULT);
    return watched(method, call, start(method, call, request, cancellation));
  }

  private <R> CompletableFuture<R> watched(
      MethodDescriptor<?, ?> method, ClientCall<?, ?> call, CompletableFuture<R> reply) {
    connection.watch(
        reply,
        lost -> {
          if (reply.completeExceptionally(withRemoteTarget(method, lost))) {
            call.cancel("the task was lost", null);
          }
        });
    return reply;
  }

  private <Q, R> CompletableFuture<R> start(
      MethodDescriptor<Q, R> method, ClientCall<Q, R> call, Q request, Cancellation cancellation) {
    return started(
        method,
        call,
        UnaryCalls.call(observer -> ClientCalls.asyncUnaryCall(call, request, observer)),
        cancellation);
  }

  private <R> CompletableFuture<R> started(
      MethodDescriptor<?, ?> method,
      ClientCall<?, ?> call,
      CompletableFuture<R> answer,
      Cancellation cancellation) {
    CompletableFuture<R> reply = new CompletableFuture<>();
    var _ =
        answer.whenComplete((value, failure) -> {
          if (failure == null) {
            reply.complete(value);
          } else {
            reply.completeExceptionally(withRemoteTarget(method, failure));
          }
        });
    Cancellation.Registration registration =
        cancellation.onCancel(() -> call.cancel("cancelled by its caller", null));
    var _ = reply.whenComplete((_, _) -> registration.close());
    return reply;
  }

  /**
   * Starts a call that releases something, with a deadline, so that a hanging task does not delay
   * the end of a session.
   */
  private <Q, R> CompletableFuture<R> release(MethodDescriptor<Q, R> method, Q request) {
    long nanos = Math.min(CLEANUP_DEADLINE.toNanos(), connection.timeout().toNanos());
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS);
    return start(method, connection.newCall(method, options), request, new Cancellation());
  }

  private StatusException withRemoteTarget(MethodDescriptor<?, ?> method, Throwable failure) {
    Throwable cause = UnaryCalls.cause(failure);
    String message =
        "%s\nAdditional GRPC error information from remote target %s while calling /%s"
            .formatted(cause.getMessage(), task, method.getFullMethodName());
    return new StatusException(StatusException.codeOf(cause), message, cause);
  }

  @Override
  public CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation) {
    MethodDescriptor<GetStatusRequest, GetStatusResponse> method =
        WorkerServiceGrpc.getGetStatusMethod();
    return start(
            method,
            connection.newCall(method, CallOptions.DEFAULT.withWaitForReady()),
            GetStatusRequest.getDefaultInstance(),
            cancellation)
        .thenApply(GetStatusResponse::getDeviceAttributesList);
  }

  @Override
  public CompletableFuture<Void> createSession(SessionPart part) {
    CreateWorkerSessionRequest request =
        CreateWorkerSessionRequest.newBuilder()
            .setSessionHandle(part.handle())
            .setServerDef(part.server())
            .setIsolateSessionState(part.isIsolated())
            .setMasterTask(part.masterTask())
            .setMasterIncarnation(part.masterIncarnation())
            .build();
    return call(WorkerServiceGrpc.getCreateWorkerSessionMethod(), request).thenApply(_ -> null);
  }

  @Override
  public CompletableFuture<Void> deleteSession(String handle) {
    DeleteWorkerSessionRequest request =
        DeleteWorkerSessionRequest.newBuilder().setSessionHandle(handle).build();
    return release(WorkerServiceGrpc.getDeleteWorkerSessionMethod(), request).thenApply(_ -> null);
  }

  @Override
  public CompletableFuture<String> registerGraph(
      String session, GraphDef graph, ConfigProto config) {
    RegisterGraphRequest request =
        RegisterGraphRequest.newBuilder()
            .setSessionHandle(session)
            .setCreateWorkerSessionCalled(true)
            .setGraphDef(graph)
            .setGraphOptions(config.getGraphOptions())
            .setConfigProto(config)
            .build();
    return call(WorkerServiceGrpc.getRegisterGraphMethod(), request)
        .thenApply(RegisterGraphResponse::getGraphHandle);
  }

  @Override
  public CompletableFuture<Void> deregisterGraph(String session, String graph) {
    DeregisterGraphRequest request =
        DeregisterGraphRequest.newBuilder()
            .setSessionHandle(session)
            .setCreateWorkerSessionCalled(true)
            .setGraphHandle(graph)
            .build();
    return release(WorkerServiceGrpc.getDeregisterGraphMethod(), request).thenApply(_ -> null);
  }

  @Override
  public CompletableFuture<PartResult> runGraph(StepPart step, Cancellation cancellation) {
    RunGraphRequest.Builder request =
        RunGraphRequest.newBuilder()
            .setSessionHandle(step.session())
            .setCreateWorkerSessionCalled(true)
            .setGraphHandle(step.graph())
            .setStepId(step.stepId())
            .setExecOpts(ExecutorOpts.newBuilder().setRecordTimeline(step.isTimed()))
            .addAllRecvKey(step.receives())
            .setIsPartial(step.isPartial())
            .setIsLastPartialRun(step.isLastPartial())
            .setStoreErrorsInResponseBody(true)
            .setRequestId(requestId());
    TensorMessageWriter sent = new TensorMessageWriter("the feeds of the step");
    step.sends().forEach((key, tensor) -> request.addSend(sent.named(key, tensor)));
    return call(WorkerServiceGrpc.getRunGraphMethod(), request.build(), cancellation)
        .thenApply(RemoteWorker::result);
  }

  private long requestId() {
    long id = requestIds.nextLong();
    return id == 0 ? 1 : id;
  }

  private static PartResult result(RunGraphResponse response) {
    if (response.getStatusCodeValue() != StatusCode.OK.number()) {
      throw new StatusException(
          StatusCode.ofNumber(response.getStatusCodeValue()), response.getStatusErrorMessage());
    }
    Map<String, Tensor> values = new HashMap<>();
    for (NamedTensorProto received : response.getRecvList()) {
      values.put(received.getName(), TensorProtos.read(received.getTensor()));
    }
    return new PartResult(values, response.getStepStats());
  }

  @Override
  public CompletableFuture<Value> receiveTensor(
      long stepId, String key, Cancellation cancellation) {
    RecvTensorRequest request =
        RecvTensorRequest.newBuilder()
            .setStepId(stepId)
            .setRendezvousKey(key)
            .setRequestId(requestId())
            .build();
    return connection.sendsParts()
        ? receiveParts(request, cancellation)
        : receiveWhole(request, cancellation);
  }

  private CompletableFuture<Value> receiveWhole(
      RecvTensorRequest request, Cancellation cancellation) {
    return call(RecvTensorMethod.RECEIVER, request, cancellation).thenApply(Received::value);
  }

  private CompletableFuture<Value> receiveParts(
      RecvTensorRequest request, Cancellation cancellation) {
    ClientCall<RecvTensorRequest, InputStream> call =
        connection.newCall(TensorPartsReceiver.METHOD, CallOptions.DEFAULT);
    CompletableFuture<Optional<Value>> answer =
        started(
            RecvTensorMethod.RECEIVER,
            call,
            TensorPartsReceiver.receive(call, request),
            cancellation);
    return watched(RecvTensorMethod.RECEIVER, call, answer)
        .thenCompose(value -> {
          if (value.isPresent()) {
            return CompletableFuture.completedFuture(value.get());
          }
          connection.setSendsWhole();
          return receiveWhole(request, cancellation);
        });
  }

  @Override
  public CompletableFuture<Void> cleanupGraph(long stepId) {
    CleanupGraphRequest request = CleanupGraphRequest.newBuilder().setStepId(stepId).build();
    return release(WorkerServiceGrpc.getCleanupGraphMethod(), request).thenApply(_ -> null);
  }

  @Override
  public CompletableFuture<Void> cleanupAll(List<String> containers) {
    CleanupAllRequest request = CleanupAllRequest.newBuilder().addAllContainer(containers).build();
    return call(WorkerServiceGrpc.getCleanupAllMethod(), request).thenApply(_ -> null);
  }
}
