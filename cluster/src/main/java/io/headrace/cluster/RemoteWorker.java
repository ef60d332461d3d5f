package io.headrace.cluster;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.tensorflow.CleanupAllRequest;
import io.headrace.proto.tensorflow.CleanupAllResponse;
import io.headrace.proto.tensorflow.CleanupGraphRequest;
import io.headrace.proto.tensorflow.CleanupGraphResponse;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.CreateWorkerSessionRequest;
import io.headrace.proto.tensorflow.CreateWorkerSessionResponse;
import io.headrace.proto.tensorflow.DeleteWorkerSessionRequest;
import io.headrace.proto.tensorflow.DeleteWorkerSessionResponse;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.ExecutorOpts;
import io.headrace.proto.tensorflow.GetStatusRequest;
import io.headrace.proto.tensorflow.GetStatusResponse;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.proto.tensorflow.RecvTensorResponse;
import io.headrace.proto.tensorflow.RegisterGraphRequest;
import io.headrace.proto.tensorflow.RegisterGraphResponse;
import io.headrace.proto.tensorflow.RunGraphRequest;
import io.headrace.proto.tensorflow.RunGraphResponse;
import io.headrace.proto.tensorflow.WorkerServiceGrpc;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The worker of another process, stock or ours. */
final class RemoteWorker implements WorkerPeer {
  private static final long DELETE_SECONDS = 10;

  private final DeviceSpec task;
  private final ManagedChannel channel;
  private final SecureRandom requestIds = new SecureRandom();

  RemoteWorker(DeviceSpec task, ManagedChannel channel) {
    this.task = task;
    this.channel = channel;
  }

  private WorkerServiceGrpc.WorkerServiceStub stub() {
    return WorkerServiceGrpc.newStub(channel);
  }

  private <R> CompletableFuture<R> call(String method, Consumer<StreamObserver<R>> start) {
    return call(method, new Cancellation(), start);
  }

  /** Makes a call that ends when {@code cancellation} says so. */
  private <R> CompletableFuture<R> call(
      String method, Cancellation cancellation, Consumer<StreamObserver<R>> start) {
    Context.CancellableContext context = Context.ROOT.withCancellation();
    Cancellation.Registration registration = cancellation.onCancel(() -> context.cancel(null));
    CompletableFuture<R> reply = new CompletableFuture<>();
    channel.resetConnectBackoff(); // a task that was restarted is to be found at once
    context.run(() -> {
      var _ =
          UnaryCalls.<R>call(start)
              .whenComplete((value, failure) -> {
                registration.close();
                context.close();
                if (failure == null) {
                  reply.complete(value);
                } else {
                  reply.completeExceptionally(named(method, failure));
                }
              });
    });
    return reply;
  }

  private StatusException named(String method, Throwable failure) {
    Throwable cause = UnaryCalls.cause(failure);
    String message =
        "%s\nAdditional GRPC error information from remote target %s while calling /tensorflow.WorkerService/%s"
            .formatted(cause.getMessage(), task, method);
    return new StatusException(StatusException.codeOf(cause), message);
  }

  @Override
  public CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation) {
    return this.<GetStatusResponse>call(
            "GetStatus",
            cancellation,
            observer ->
                stub()
                    .withWaitForReady()
                    .getStatus(GetStatusRequest.getDefaultInstance(), observer))
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
    return this.<CreateWorkerSessionResponse>call(
            "CreateWorkerSession", observer -> stub().createWorkerSession(request, observer))
        .thenApply(_ -> null);
  }

  @Override
  public CompletableFuture<Void> deleteSession(String handle) {
    DeleteWorkerSessionRequest request =
        DeleteWorkerSessionRequest.newBuilder().setSessionHandle(handle).build();
    return this.<DeleteWorkerSessionResponse>call(
            "DeleteWorkerSession",
            observer ->
                stub()
                    .withDeadlineAfter(DELETE_SECONDS, TimeUnit.SECONDS)
                    .deleteWorkerSession(request, observer))
        .thenApply(_ -> null);
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
    return this.<RegisterGraphResponse>call(
            "RegisterGraph", observer -> stub().registerGraph(request, observer))
        .thenApply(RegisterGraphResponse::getGraphHandle);
  }

  @Override
  public CompletableFuture<Map<String, Tensor>> runGraph(StepPart step, Cancellation cancellation) {
    RunGraphRequest.Builder request =
        RunGraphRequest.newBuilder()
            .setSessionHandle(step.session())
            .setCreateWorkerSessionCalled(true)
            .setGraphHandle(step.graph())
            .setStepId(step.stepId())
            .setExecOpts(ExecutorOpts.getDefaultInstance())
            .addAllRecvKey(step.receives())
            .setIsPartial(step.isPartial())
            .setIsLastPartialRun(step.isLastPartial())
            .setStoreErrorsInResponseBody(true)
            .setRequestId(requestId());
    step.sends()
        .forEach((key, tensor) ->
            request.addSend(
                NamedTensorProto.newBuilder().setName(key).setTensor(TensorProtos.write(tensor))));
    return this.<RunGraphResponse>call(
            "RunGraph", cancellation, observer -> stub().runGraph(request.build(), observer))
        .thenApply(RemoteWorker::fetched);
  }

  private long requestId() {
    long id = requestIds.nextLong();
    return id == 0 ? 1 : id;
  }

  private static Map<String, Tensor> fetched(RunGraphResponse response) {
    if (response.getStatusCodeValue() != StatusCode.OK.number()) {
      throw new StatusException(
          StatusCode.ofNumber(response.getStatusCodeValue()), response.getStatusErrorMessage());
    }
    Map<String, Tensor> values = new HashMap<>();
    for (NamedTensorProto named : response.getRecvList()) {
      values.put(named.getName(), TensorProtos.read(named.getTensor()));
    }
    return values;
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
    return this.<RecvTensorResponse>call(
            "RecvTensor", cancellation, observer -> stub().recvTensor(request, observer))
        .thenApply(response ->
            response.getIsDead()
                ? Value.dead()
                : Value.of(TensorProtos.read(response.getTensor())));
  }

  @Override
  public CompletableFuture<Void> cleanupGraph(long stepId) {
    CleanupGraphRequest request = CleanupGraphRequest.newBuilder().setStepId(stepId).build();
    return this.<CleanupGraphResponse>call(
            "CleanupGraph", observer -> stub().cleanupGraph(request, observer))
        .thenApply(_ -> null);
  }

  @Override
  public CompletableFuture<Void> cleanupAll(List<String> containers) {
    CleanupAllRequest request = CleanupAllRequest.newBuilder().addAllContainer(containers).build();
    return this.<CleanupAllResponse>call(
            "CleanupAll", observer -> stub().cleanupAll(request, observer))
        .thenApply(_ -> null);
  }
}
