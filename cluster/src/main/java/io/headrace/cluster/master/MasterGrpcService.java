package io.headrace.cluster.master;

import io.grpc.stub.StreamObserver;
import io.headrace.cluster.master.MasterSession.StepRequest;
import io.headrace.cluster.master.MasterSession.StepResult;
import io.headrace.cluster.peer.CallExecutor;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.RecentRequests;
import io.headrace.cluster.peer.TensorMessageWriter;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.proto.tensorflow.CallableOptions;
import io.headrace.proto.tensorflow.CloseSessionRequest;
import io.headrace.proto.tensorflow.CloseSessionResponse;
import io.headrace.proto.tensorflow.CreateSessionRequest;
import io.headrace.proto.tensorflow.CreateSessionResponse;
import io.headrace.proto.tensorflow.ExtendSessionRequest;
import io.headrace.proto.tensorflow.ExtendSessionResponse;
import io.headrace.proto.tensorflow.ListDevicesRequest;
import io.headrace.proto.tensorflow.ListDevicesResponse;
import io.headrace.proto.tensorflow.MakeCallableRequest;
import io.headrace.proto.tensorflow.MakeCallableResponse;
import io.headrace.proto.tensorflow.MasterServiceGrpc.MasterServiceImplBase;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.PartialRunSetupRequest;
import io.headrace.proto.tensorflow.PartialRunSetupResponse;
import io.headrace.proto.tensorflow.ReleaseCallableRequest;
import io.headrace.proto.tensorflow.ReleaseCallableResponse;
import io.headrace.proto.tensorflow.ResetRequest;
import io.headrace.proto.tensorflow.ResetResponse;
import io.headrace.proto.tensorflow.RunCallableRequest;
import io.headrace.proto.tensorflow.RunCallableResponse;
import io.headrace.proto.tensorflow.RunMetadata;
import io.headrace.proto.tensorflow.RunOptions.TraceLevel;
import io.headrace.proto.tensorflow.RunStepRequest;
import io.headrace.proto.tensorflow.RunStepResponse;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.error.Code;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** TensorFlow's MasterService, which the clients of sessions call. */
public final class MasterGrpcService extends MasterServiceImplBase {
  private static final int REMEMBERED_REQUESTS = 10_000;

  /** Larger requests are parsed on threads of their own, not on the transport's threads. */
  private static final int LARGE_BYTES = 1 << 20;

  private final Master master;
  private final CallExecutor calls;
  private final RecentRequests recent = new RecentRequests(REMEMBERED_REQUESTS);

  public MasterGrpcService(Master master, CallExecutor calls) {
    this.master = master;
    this.calls = calls;
  }

  @Override
  public void createSession(
      CreateSessionRequest request, StreamObserver<CreateSessionResponse> observer) {
    calls.serve(
        observer,
        cancellation ->
            CreateSessionResponse.newBuilder()
                .setSessionHandle(
                    master.createSession(
                        request.getGraphDef(),
                        request.getConfig(),
                        request.getTarget(),
                        cancellation))
                .build());
  }

  @Override
  public void extendSession(
      ExtendSessionRequest request, StreamObserver<ExtendSessionResponse> observer) {
    calls.serve(
        observer,
        _ ->
            ExtendSessionResponse.newBuilder()
                .setNewGraphVersion(
                    master
                        .sessionForMore(request.getSessionHandle())
                        .extend(request.getGraphDef(), request.getCurrentGraphVersion()))
                .build());
  }

  @Override
  public void runStep(RunStepRequest request, StreamObserver<RunStepResponse> observer) {
    CallExecutor.LaterHandler<RunStepResponse> handler =
        cancellation -> {
          CompletableFuture<RunStepResponse> response;
          try {
            response = runStep(request, cancellation);
          } catch (StatusException e) {
            response = CompletableFuture.failedFuture(e);
          }
          return request.getStoreErrorsInResponseBody()
              ? response.exceptionally(MasterGrpcService::inBody)
              : response;
        };
    boolean needsThread =
        !request.getPartialRunHandle().isEmpty() || request.getSerializedSize() > LARGE_BYTES;
    if (needsThread) {
      calls.serve(observer, cancellation -> FutureWaits.await(handler.reply(cancellation)));
    } else {
      calls.serveLater(observer, handler);
    }
  }

  private static RunStepResponse inBody(Throwable failure) {
    StatusException status = FutureWaits.status(failure);
    return RunStepResponse.newBuilder()
        .setStatusCode(Code.forNumber(status.code().number()))
        .setStatusErrorMessage(status.message())
        .setMetadata(RunMetadata.getDefaultInstance())
        .build();
  }

  private CompletableFuture<RunStepResponse> runStep(
      RunStepRequest request, Cancellation cancellation) {
    recent.check(request.getRequestId(), "RunStep (Master)");
    boolean isNew = request.getPartialRunHandle().isEmpty();
    String handle = request.getSessionHandle();
    MasterSession session = isNew ? master.sessionForMore(handle) : master.session(handle);
    StepRequest step =
        new StepRequest(
            feeds(request.getFeedList()),
            List.copyOf(request.getFetchList()),
            List.copyOf(request.getTargetList()),
            request.getOptions().getTimeoutInMs(),
            request.getOptions().getTraceLevel() == TraceLevel.FULL_TRACE);
    CompletableFuture<StepResult> result =
        isNew
            ? session.run(step, cancellation)
            : CompletableFuture.completedFuture(
                session.runPart(request.getPartialRunHandle(), step, cancellation));
    return result.thenApply(values -> response(request, values));
  }

  private static RunStepResponse response(RunStepRequest request, StepResult result) {
    RunStepResponse.Builder response =
        RunStepResponse.newBuilder()
            .setMetadata(metadata(result, request.getOptions().getOutputPartitionGraphs()));
    TensorMessageWriter fetched = fetched();
    for (String fetch : request.getFetchList()) {
      response.addTensor(fetched.named(fetch, value(result, fetch)));
    }
    return response.build();
  }

  private static Map<String, Tensor> feeds(List<NamedTensorProto> given) {
    Map<String, Tensor> feeds = new LinkedHashMap<>();
    for (int i = 0; i < given.size(); i++) {
      if (feeds.put(given.get(i).getName(), read(given.get(i).getTensor(), i)) != null) {
        throw StatusException.invalidArgument(
            "Endpoint \"%s\" fed more than once.", given.get(i).getName());
      }
    }
    return feeds;
  }

  private static Tensor read(TensorProto proto, int index) {
    try {
      return TensorProtos.read(proto);
    } catch (StatusException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Invalid TensorProto for feed value " + index + ": " + e.message(),
          e);
    }
  }

  private static TensorMessageWriter fetched() {
    return new TensorMessageWriter("the fetches");
  }

  private static Tensor value(StepResult result, String fetch) {
    Tensor value = result.fetched().get(StepSignature.canonical(fetch));
    if (value == null) {
      throw new IllegalStateException("the step did not give " + fetch);
    }
    return value;
  }

  private static RunMetadata metadata(StepResult result, boolean withGraphs) {
    RunMetadata.Builder metadata = RunMetadata.newBuilder();
    if (result.times().getDevStatsCount() > 0) {
      metadata.setStepStats(result.times());
    }
    if (withGraphs) {
      result.plan().parts().forEach(part -> metadata.addPartitionGraphs(part.definition()));
    }
    return metadata.build();
  }

  @Override
  public void partialRunSetup(
      PartialRunSetupRequest request, StreamObserver<PartialRunSetupResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          recent.check(request.getRequestId(), "PartialRunSetup (Master)");
          return PartialRunSetupResponse.newBuilder()
              .setPartialRunHandle(
                  master
                      .sessionForMore(request.getSessionHandle())
                      .setUpPartialRun(
                          request.getFeedList(), request.getFetchList(), request.getTargetList()))
              .build();
        });
  }

  @Override
  public void makeCallable(
      MakeCallableRequest request, StreamObserver<MakeCallableResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          recent.check(request.getRequestId(), "MakeCallable (Master)");
          CallableOptions options = request.getOptions();
          if (options.getFeedDevicesCount() > 0 || options.getFetchDevicesCount() > 0) {
            throw StatusException.unimplemented(
                "MakeCallable does not support feed_devices and fetch_devices: feeds and fetches"
                    + " go through the client");
          }
          long handle = master.sessionForMore(request.getSessionHandle()).makeCallable(options);
          return MakeCallableResponse.newBuilder().setHandle(handle).build();
        });
  }

  @Override
  public void runCallable(
      RunCallableRequest request, StreamObserver<RunCallableResponse> observer) {
    calls.serveLater(
        observer,
        cancellation -> {
          recent.check(request.getRequestId(), "RunCallable (Master)");
          MasterSession session = master.sessionForMore(request.getSessionHandle());
          CallableOptions options = session.callable(request.getHandle());
          return session
              .runCallable(request.getHandle(), feeds(request, options), cancellation)
              .thenApply(result -> {
                RunCallableResponse.Builder response =
                    RunCallableResponse.newBuilder()
                        .setMetadata(
                            metadata(result, options.getRunOptions().getOutputPartitionGraphs()));
                TensorMessageWriter fetched = fetched();
                options
                    .getFetchList()
                    .forEach(
                        fetch -> response.addFetch(fetched.write(fetch, value(result, fetch))));
                return response.build();
              });
        });
  }

  private static Map<String, Tensor> feeds(RunCallableRequest request, CallableOptions options) {
    if (request.getFeedCount() != options.getFeedCount()) {
      throw StatusException.invalidArgument(
          "Expected %d feed tensors, but got %d", options.getFeedCount(), request.getFeedCount());
    }
    Map<String, Tensor> feeds = new HashMap<>();
    for (int i = 0; i < options.getFeedCount(); i++) {
      feeds.put(StepSignature.canonical(options.getFeed(i)), read(request.getFeed(i), i));
    }
    return feeds;
  }

  @Override
  public void releaseCallable(
      ReleaseCallableRequest request, StreamObserver<ReleaseCallableResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          master.session(request.getSessionHandle()).releaseCallable(request.getHandle());
          return ReleaseCallableResponse.getDefaultInstance();
        });
  }

  @Override
  public void closeSession(
      CloseSessionRequest request, StreamObserver<CloseSessionResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          master.closeSession(request.getSessionHandle());
          return CloseSessionResponse.getDefaultInstance();
        });
  }

  @Override
  public void listDevices(
      ListDevicesRequest request, StreamObserver<ListDevicesResponse> observer) {
    calls.serve(
        observer,
        cancellation -> {
          ListDevicesResponse.Builder response = ListDevicesResponse.newBuilder();
          DeviceSet devices = master.listDevices(request.getSessionHandle(), cancellation);
          devices
              .all()
              .forEach(device -> {
                if (device.isLocal()) {
                  response.addLocalDevice(device.attributes());
                } else {
                  response.addRemoteDevice(device.attributes());
                }
              });
          return response.build();
        });
  }

  @Override
  public void reset(ResetRequest request, StreamObserver<ResetResponse> observer) {
    calls.serve(
        observer,
        _ -> {
          master.reset(request.getContainerList(), request.getDeviceFiltersList());
          return ResetResponse.getDefaultInstance();
        });
  }
}
