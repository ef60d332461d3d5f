package io.headrace.dispatcher;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.graph.SourceEvaluation;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.journal.FaultInjectingJournal;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.ReleaseIterationClientRequest;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.headrace.DispatcherAdminGrpc;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminBlockingStub;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc.DispatcherExtensionsBlockingStub;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.WatchIterationRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.status.StatusException;
import io.opentelemetry.api.metrics.MeterProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A dispatcher with real stubs on the in-process transport, all on the test's thread. The test
 * controls time, journal and workers.
 */
public final class TestDispatcher implements AutoCloseable {
  public static final DispatcherLimits SMALL =
      new DispatcherLimits(4, 100_000, 4, 4, 8, 8, 16, 100, 1000);

  /** Silences expected messages about losses. A field, so the logger is not collected. */
  private static final Logger QUIET = Logger.getLogger("io.headrace.dispatcher");

  static {
    QUIET.setLevel(Level.OFF);
  }

  private final VirtualTime time = new VirtualTime();
  private final FakeWorkerNetwork network = new FakeWorkerNetwork();
  private final InMemoryJournal memory;
  private final FaultInjectingJournal journal;
  private final Dispatcher dispatcher;
  private final Server server;
  private final ManagedChannel channel;

  TestDispatcher() {
    this(DispatcherConfig.defaults(), new InMemoryJournal());
  }

  TestDispatcher(DispatcherConfig config) {
    this(config, new InMemoryJournal());
  }

  /** A dispatcher on the records in {@code memory}. */
  TestDispatcher(DispatcherConfig config, InMemoryJournal memory) {
    this(config, memory, DispatcherLimits.defaults());
  }

  TestDispatcher(DispatcherConfig config, InMemoryJournal memory, DispatcherLimits limits) {
    this.memory = memory;
    journal = new FaultInjectingJournal(memory);
    dispatcher =
        new Dispatcher(
            config,
            new DispatcherDependencies(
                Runnable::run,
                Runnable::run,
                time,
                new VirtualProcess(time),
                journal,
                network,
                () -> 77,
                SplitSourceFinder.on(Runnable::run, SourceEvaluation.on(Runnable::run), () -> 78),
                limits,
                MeterProvider.noop().get("test"),
                () -> {}));
    dispatcher.open();
    String name = InProcessServerBuilder.generateName();
    server = serve(name, config);
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  private Server serve(String name, DispatcherConfig config) {
    try {
      return InProcessServerBuilder.forName(name)
          .directExecutor()
          .addService(
              GrpcStatuses.translating(
                  new DispatcherGrpcService(dispatcher, config.deploymentMode()).bindService()))
          .addService(GrpcStatuses.translating(new ExtensionsGrpcService(dispatcher).bindService()))
          .addService(GrpcStatuses.translating(new AdminGrpcService(dispatcher).bindService()))
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
    dispatcher.close();
  }

  FakeWorkerNetwork network() {
    return network;
  }

  InMemoryJournal memory() {
    return memory;
  }

  FaultInjectingJournal journal() {
    return journal;
  }

  DispatcherServiceBlockingStub stub() {
    return DispatcherServiceGrpc.newBlockingStub(channel);
  }

  DispatcherExtensionsBlockingStub extensions() {
    return DispatcherExtensionsGrpc.newBlockingStub(channel);
  }

  DispatcherAdminBlockingStub admin() {
    return DispatcherAdminGrpc.newBlockingStub(channel);
  }

  DispatcherServiceGrpc.DispatcherServiceFutureStub futures() {
    return DispatcherServiceGrpc.newFutureStub(channel);
  }

  DispatcherAdminGrpc.DispatcherAdminFutureStub adminFutures() {
    return DispatcherAdminGrpc.newFutureStub(channel);
  }

  /** A minimal sequence of records that restores its state. */
  List<JournalRecord> snapshot() {
    return dispatcher.snapshot().join();
  }

  DispatcherStatistics statistics() {
    return dispatcher.statistics().join();
  }

  DispatcherCounts counts() {
    return dispatcher.counts().join();
  }

  // The peers' calls.

  static GetOrRegisterDatasetRequest dataset(String... ops) {
    GraphDef.Builder graph = GraphDef.newBuilder();
    for (int i = 0; i < ops.length; i++) {
      graph.addNode(NodeDef.newBuilder().setName("node" + i).setOp(ops[i]));
    }
    return GetOrRegisterDatasetRequest.newBuilder()
        .setDataset(DatasetDef.newBuilder().setGraph(graph))
        .setMetadata(DataServiceMetadata.newBuilder().setCompression(Compression.COMPRESSION_OFF))
        .build();
  }

  String register(String... ops) {
    return stub().getOrRegisterDataset(dataset(ops)).getDatasetId();
  }

  String register(Dataset dataset) {
    return stub()
        .getOrRegisterDataset(
            dataset().toBuilder()
                .setDataset(DatasetDef.newBuilder().setGraph(dataset.toGraphDef()))
                .build())
        .getDatasetId();
  }

  static GetOrCreateJobRequest job(String datasetId) {
    return GetOrCreateJobRequest.newBuilder().setDatasetId(datasetId).build();
  }

  /** A job with dynamic sharding. */
  static GetOrCreateJobRequest dynamicJob(String datasetId) {
    return job(datasetId).toBuilder()
        .setProcessingModeDef(
            ProcessingModeDef.newBuilder().setShardingPolicy(ShardingPolicy.DYNAMIC))
        .build();
  }

  long createJob(String datasetId) {
    return stub().getOrCreateJob(job(datasetId)).getJobId();
  }

  long createJob(String datasetId, String name) {
    return stub().getOrCreateJob(job(datasetId).toBuilder().setJobName(name).build()).getJobId();
  }

  static GetOrCreateIterationRequest iteration(long jobId, long repetition) {
    return GetOrCreateIterationRequest.newBuilder()
        .setJobId(jobId)
        .setRepetition(repetition)
        .build();
  }

  /** Joins an iteration; returns the client id. */
  long iterate(long jobId, long repetition) {
    return stub().getOrCreateIteration(iteration(jobId, repetition)).getIterationClientId();
  }

  /** Joins the first iteration of a new job on a new dataset; returns the client id. */
  long read(String... ops) {
    return iterate(createJob(register(ops)), 1);
  }

  ClientHeartbeatResponse clientHeartbeat(long client) {
    return stub()
        .clientHeartbeat(ClientHeartbeatRequest.newBuilder().setIterationClientId(client).build());
  }

  void release(long client) {
    var _ =
        stub()
            .releaseIterationClient(
                ReleaseIterationClientRequest.newBuilder().setIterationClientId(client).build());
  }

  static WorkerHeartbeatRequest report(String address, Long... tasks) {
    return WorkerHeartbeatRequest.newBuilder()
        .setWorkerAddress(address)
        .addTransferServers(
            DataTransferServerInfo.newBuilder().setProtocol("grpc").setAddress(address))
        .setWorkerUid(-1)
        .addAllCurrentTasks(List.of(tasks))
        .build();
  }

  WorkerHeartbeatResponse heartbeat(String address, Long... tasks) {
    return stub().workerHeartbeat(report(address, tasks));
  }

  ExtendedWorkerHeartbeatResponse heartbeatKnowing(String address, String... ops) {
    return extensions()
        .extendedWorkerHeartbeat(
            ExtendedWorkerHeartbeatRequest.newBuilder()
                .setHeartbeat(report(address))
                .addAllKnownOps(List.of(ops))
                .build());
  }

  /** Starts and registers a worker. */
  FakeWorkerNetwork.Node startWorker(String address) {
    FakeWorkerNetwork.Node node = network.start(address);
    heartbeat(address).getNewTasksList().forEach(task -> node.tasks().put(task.getTaskId(), task));
    return node;
  }

  static WorkerUpdateRequest finished(String address, long... tasks) {
    WorkerUpdateRequest.Builder request =
        WorkerUpdateRequest.newBuilder().setWorkerAddress(address);
    for (long task : tasks) {
      request.addUpdates(TaskProgress.newBuilder().setTaskId(task).setCompleted(true));
    }
    return request.build();
  }

  void finish(String address, long... tasks) {
    var _ = stub().workerUpdate(finished(address, tasks));
  }

  /** A task has ended, with the consumption of its elements unconfirmed. */
  void finishIncomplete(String address, long task) {
    var _ =
        stub()
            .workerUpdate(
                WorkerUpdateRequest.newBuilder()
                    .setWorkerAddress(address)
                    .addUpdates(TaskProgress.newBuilder().setTaskId(task))
                    .build());
  }

  Watch watch(long client) {
    return watch(WatchIterationRequest.newBuilder().setIterationClientId(client).build());
  }

  /** A watch that accepts changes. */
  Watch watchChanges(long client) {
    return watch(
        WatchIterationRequest.newBuilder()
            .setIterationClientId(client)
            .setAcceptsChanges(true)
            .build());
  }

  private Watch watch(WatchIterationRequest request) {
    Watch watch = new Watch();
    DispatcherExtensionsGrpc.newStub(channel).watchIteration(request, watch);
    return watch;
  }

  void advance(Duration duration) {
    time.advance(duration);
  }

  /** Advances the time without the dispatcher noticing until the next step. */
  void sleep(Duration duration) {
    time.sleep(duration);
  }

  /** The messages that a watching client got. */
  static final class Watch implements StreamObserver<WatchIterationResponse> {
    final List<WatchIterationResponse> told = new ArrayList<>();
    final CompletableFuture<Boolean> end = new CompletableFuture<>();
    @Nullable StatusException failure;

    WatchIterationResponse last() {
      return told.getLast();
    }

    @Override
    public void onNext(WatchIterationResponse response) {
      told.add(response);
    }

    @Override
    public void onError(Throwable error) {
      failure = GrpcStatuses.fromGrpc(error);
      end.complete(false);
    }

    @Override
    public void onCompleted() {
      end.complete(true);
    }
  }
}
