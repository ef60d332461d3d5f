package io.headrace.cluster.worker;

import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.headrace.cluster.peer.CallExecutor;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.RecentRequests;
import io.headrace.cluster.peer.ShutdownGate;
import io.headrace.cluster.peer.TensorMessageWriter;
import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.peer.WorkerPeer.SessionPart;
import io.headrace.cluster.peer.WorkerPeer.StepPart;
import io.headrace.proto.headrace.TensorPartsGrpc;
import io.headrace.proto.tensorflow.CleanupAllRequest;
import io.headrace.proto.tensorflow.CleanupAllResponse;
import io.headrace.proto.tensorflow.CleanupGraphRequest;
import io.headrace.proto.tensorflow.CleanupGraphResponse;
import io.headrace.proto.tensorflow.CompleteGroupRequest;
import io.headrace.proto.tensorflow.CompleteGroupResponse;
import io.headrace.proto.tensorflow.CompleteInstanceRequest;
import io.headrace.proto.tensorflow.CompleteInstanceResponse;
import io.headrace.proto.tensorflow.CostGraphDef;
import io.headrace.proto.tensorflow.CreateWorkerSessionRequest;
import io.headrace.proto.tensorflow.CreateWorkerSessionResponse;
import io.headrace.proto.tensorflow.DeleteWorkerSessionRequest;
import io.headrace.proto.tensorflow.DeleteWorkerSessionResponse;
import io.headrace.proto.tensorflow.DeregisterGraphRequest;
import io.headrace.proto.tensorflow.DeregisterGraphResponse;
import io.headrace.proto.tensorflow.GetStatusRequest;
import io.headrace.proto.tensorflow.GetStatusResponse;
import io.headrace.proto.tensorflow.GetStepSequenceRequest;
import io.headrace.proto.tensorflow.GetStepSequenceResponse;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.LoggingRequest;
import io.headrace.proto.tensorflow.LoggingResponse;
import io.headrace.proto.tensorflow.MarkRecvFinishedRequest;
import io.headrace.proto.tensorflow.MarkRecvFinishedResponse;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.RecvBufRequest;
import io.headrace.proto.tensorflow.RecvBufResponse;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.proto.tensorflow.RegisterGraphRequest;
import io.headrace.proto.tensorflow.RegisterGraphResponse;
import io.headrace.proto.tensorflow.RunGraphRequest;
import io.headrace.proto.tensorflow.RunGraphResponse;
import io.headrace.proto.tensorflow.TracingRequest;
import io.headrace.proto.tensorflow.TracingResponse;
import io.headrace.proto.tensorflow.WorkerServiceGrpc.WorkerServiceImplBase;
import io.headrace.proto.tensorflow.error.Code;
import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.RecvTensorMethod;
import io.headrace.rpc.ServiceSchemas;
import io.headrace.rpc.TensorPartsMethod;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** TensorFlow's WorkerService, which masters and other workers call. */
public final class WorkerGrpcService extends WorkerServiceImplBase {
  private static final int REMEMBERED_REQUESTS = 100_000;
  private static final String COLLECTIVES = "collective operations of tf.distribute strategies";

  private final StepWorker worker;
  private final CallExecutor calls;
  private final ShutdownGate stopping;
  private final RecentRequests recent = new RecentRequests(REMEMBERED_REQUESTS);

  /**
   * @param stopping refuses new sessions and steps once the server stops
   */
  public WorkerGrpcService(StepWorker worker, CallExecutor calls, ShutdownGate stopping) {
    this.worker = worker;
    this.calls = calls;
    this.stopping = stopping;
  }

  @Override
  public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> observer) {
    calls.serveLater(
        observer,
        cancellation ->
            worker
                .status(cancellation)
                .thenApply(devices ->
                    GetStatusResponse.newBuilder().addAllDeviceAttributes(devices).build()));
  }

  @Override
  public void createWorkerSession(
      CreateWorkerSessionRequest request, StreamObserver<CreateWorkerSessionResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          stopping.check();
          FutureWaits.await(
              worker.createSession(
                  new SessionPart(
                      request.getSessionHandle(),
                      request.getServerDef(),
                      request.getIsolateSessionState(),
                      request.getMasterTask(),
                      request.getMasterIncarnation())));
          return CreateWorkerSessionResponse.getDefaultInstance();
        });
  }

  @Override
  public void deleteWorkerSession(
      DeleteWorkerSessionRequest request, StreamObserver<DeleteWorkerSessionResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          FutureWaits.await(worker.deleteSession(request.getSessionHandle()));
          return DeleteWorkerSessionResponse.getDefaultInstance();
        });
  }

  @Override
  public void registerGraph(
      RegisterGraphRequest request, StreamObserver<RegisterGraphResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          stopping.check();
          String handle =
              FutureWaits.await(
                  request.getCreateWorkerSessionCalled()
                      ? worker.registerGraph(
                          request.getSessionHandle(),
                          request.getGraphDef(),
                          request.getConfigProto())
                      : worker.registerUndeclared(
                          request.getSessionHandle(), request.getGraphDef()));
          return RegisterGraphResponse.newBuilder().setGraphHandle(handle).build();
        });
  }

  @Override
  public void deregisterGraph(
      DeregisterGraphRequest request, StreamObserver<DeregisterGraphResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          String session = request.getSessionHandle();
          FutureWaits.await(
              request.getCreateWorkerSessionCalled()
                  ? worker.deregisterGraph(session, request.getGraphHandle())
                  : worker.deregisterUndeclared(session, request.getGraphHandle()));
          return DeregisterGraphResponse.getDefaultInstance();
        });
  }

  @Override
  public void runGraph(RunGraphRequest request, StreamObserver<RunGraphResponse> observer) {
    calls.serveLater(
        observer,
        cancellation -> {
          CompletableFuture<RunGraphResponse> response;
          try {
            response = runGraph(request, cancellation);
          } catch (StatusException e) {
            response = CompletableFuture.failedFuture(e);
          }
          return request.getStoreErrorsInResponseBody()
              ? response.exceptionally(WorkerGrpcService::inBody)
              : response;
        });
  }

  private static RunGraphResponse inBody(Throwable failure) {
    StatusException status = FutureWaits.status(failure);
    return RunGraphResponse.newBuilder()
        .setStatusCode(Code.forNumber(status.code().number()))
        .setStatusErrorMessage(status.message())
        .build();
  }

  private CompletableFuture<RunGraphResponse> runGraph(
      RunGraphRequest request, Cancellation cancellation) {
    recent.check(request.getRequestId(), "RunGraph (Worker)");
    if (!worker.isRunning(request.getStepId())) {
      stopping.check();
    }
    Map<String, Tensor> sends = new HashMap<>();
    for (NamedTensorProto send : request.getSendList()) {
      sends.put(send.getName(), TensorProtos.read(send.getTensor()));
    }
    StepPart part =
        new StepPart(
            request.getSessionHandle(),
            request.getGraphHandle(),
            request.getStepId(),
            sends,
            request.getRecvKeyList(),
            request.getIsPartial(),
            request.getIsLastPartialRun(),
            request.getExecOpts().getRecordTimeline());
    boolean isDeclared = request.getCreateWorkerSessionCalled();
    List<GraphDef> graphs =
        request.getExecOpts().getRecordPartitionGraphs()
            ? List.of(worker.definition(part, isDeclared))
            : List.of();
    CompletableFuture<PartResult> run =
        isDeclared ? worker.runGraph(part, cancellation) : worker.runUndeclared(part, cancellation);
    return run.thenApply(result -> {
      RunGraphResponse.Builder response =
          RunGraphResponse.newBuilder().setCostGraph(CostGraphDef.getDefaultInstance());
      TensorMessageWriter fetched = new TensorMessageWriter("the fetches");
      result.fetched().forEach((key, tensor) -> response.addRecv(fetched.named(key, tensor)));
      if (part.isTimed()) {
        response.setStepStats(result.times());
      }
      return response.addAllPartitionGraph(graphs).build();
    });
  }

  @Override
  public void cleanupGraph(
      CleanupGraphRequest request, StreamObserver<CleanupGraphResponse> observer) {
    calls.serveLater(
        observer,
        _ ->
            worker
                .cleanupGraph(request.getStepId())
                .thenApply(_ -> CleanupGraphResponse.getDefaultInstance()));
  }

  @Override
  public void cleanupAll(CleanupAllRequest request, StreamObserver<CleanupAllResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          FutureWaits.await(worker.cleanupAll(request.getContainerList()));
          return CleanupAllResponse.getDefaultInstance();
        });
  }

  /** The service, with a RecvTensor that writes replies from the tensors' arrays without copies. */
  public ServerServiceDefinition definition() {
    ServerServiceDefinition generated = bindService();
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder(generated.getServiceDescriptor().getName());
    String transfer = RecvTensorMethod.SENDER.getFullMethodName();
    generated.getMethods().stream()
        .filter(method -> !method.getMethodDescriptor().getFullMethodName().equals(transfer))
        .forEach(service::addMethod);
    service.addMethod(RecvTensorMethod.SENDER, ServerCalls.asyncUnaryCall(this::sendTensor));
    return ServiceSchemas.describe(service.build(), generated.getServiceDescriptor());
  }

  private void sendTensor(RecvTensorRequest request, StreamObserver<OutboundMessage> observer) {
    calls.serveLater(
        observer,
        cancellation -> receive(request, cancellation).thenApply(RecvTensorMethod::answer));
  }

  private CompletableFuture<Value> receive(RecvTensorRequest request, Cancellation cancellation) {
    recent.check(request.getRequestId(), "RecvTensor (GrpcWorker)");
    return worker.receiveTensor(request.getStepId(), request.getRendezvousKey(), cancellation);
  }

  /** The service that sends tensors in parts to other tasks of ours. */
  public ServerServiceDefinition partsDefinition() {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder(TensorPartsGrpc.SERVICE_NAME)
            .addMethod(
                TensorPartsMethod.SENDER, ServerCalls.asyncServerStreamingCall(this::sendParts))
            .build();
    return ServiceSchemas.describe(service, TensorPartsGrpc.getServiceDescriptor());
  }

  private void sendParts(RecvTensorRequest request, StreamObserver<OutboundMessage> observer) {
    calls.serveInParts(
        observer,
        cancellation -> receive(request, cancellation).thenApply(TensorPartsMethod::of),
        TensorPartsMethod.served());
  }

  @Override
  public void markRecvFinished(
      MarkRecvFinishedRequest request, StreamObserver<MarkRecvFinishedResponse> observer) {
    calls.serve(observer, _ -> MarkRecvFinishedResponse.getDefaultInstance());
  }

  @Override
  public void logging(LoggingRequest request, StreamObserver<LoggingResponse> observer) {
    calls.serve(observer, _ -> LoggingResponse.getDefaultInstance());
  }

  @Override
  public void tracing(TracingRequest request, StreamObserver<TracingResponse> observer) {
    unimplemented(observer, "Tracing", "remote tracing; RunOptions.FULL_TRACE times steps");
  }

  @Override
  public void recvBuf(RecvBufRequest request, StreamObserver<RecvBufResponse> observer) {
    unimplemented(observer, "RecvBuf", COLLECTIVES);
  }

  @Override
  public void getStepSequence(
      GetStepSequenceRequest request, StreamObserver<GetStepSequenceResponse> observer) {
    unimplemented(observer, "GetStepSequence", COLLECTIVES);
  }

  @Override
  public void completeGroup(
      CompleteGroupRequest request, StreamObserver<CompleteGroupResponse> observer) {
    unimplemented(observer, "CompleteGroup", COLLECTIVES);
  }

  @Override
  public void completeInstance(
      CompleteInstanceRequest request, StreamObserver<CompleteInstanceResponse> observer) {
    unimplemented(observer, "CompleteInstance", COLLECTIVES);
  }

  private <R> void unimplemented(StreamObserver<R> observer, String method, String what) {
    calls.serve(
        observer,
        _ -> {
          throw StatusException.unimplemented(
              "%s is not served: this server serves sessions, whose tensors go by RecvTensor, not"
                  + " %s",
              method, what);
        });
  }
}
