package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headrace.dataset.Dataset;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DataServiceMetadata.Compression;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.GetDataServiceConfigRequest;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotStreamsRequest;
import io.headrace.proto.data.GetSnapshotTaskProgressesRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.GetWorkersRequest;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.ReleaseIterationClientRequest;
import io.headrace.proto.data.SnapshotRequest;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.rpc.GrpcChannels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The RPCs of data services, asked of a stock one and of ours: the codes and the gist of messages.
 */
@Timeout(120)
final class ServiceStatusesTest {
  private static final int NOBODY = 77;
  private static final DatasetDef RANGE =
      DatasetDef.newBuilder().setGraph(Dataset.range(10).toGraphDef()).build();

  @TempDir private static Path folder;
  private static final Servers SERVERS = new Servers();
  private static final List<ManagedChannel> CHANNELS = new ArrayList<>();
  private static final List<Asked> BOTH = new ArrayList<>();

  /**
   * A service.
   *
   * @param dispatcher its dispatcher, which has the dataset "range"
   * @param worker its worker
   * @param job a job of it, with the name "job"
   * @param client a reader of that
   */
  record Asked(
      String kind,
      DispatcherServiceBlockingStub dispatcher,
      WorkerServiceBlockingStub worker,
      long job,
      long client) {
    long iteration() {
      return heartbeat().getTaskInfo(0).getIterationId();
    }

    /** How many tasks the worker has, once it has one. */
    int tasks() {
      int count = 0;
      while (count == 0) { // the test's time-out ends it
        count = worker.getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance()).getTasksCount();
      }
      return count;
    }

    long task() {
      return heartbeat().getTaskInfo(0).getTaskId();
    }

    private ClientHeartbeatResponse heartbeat() {
      return dispatcher.clientHeartbeat(
          ClientHeartbeatRequest.newBuilder().setIterationClientId(client).build());
    }
  }

  /**
   * A request and its answer.
   *
   * @param name says what is asked
   * @param ask asks it; returns what is compared where it succeeds
   * @param code the code of the answer
   * @param gist a part of the message, or what is returned
   */
  record Row(String name, Function<Asked, Object> ask, Status.Code code, String gist) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void start() throws InterruptedException {
    String stock = SERVERS.startStockDispatcher("0", "", folder.resolve("stock").toString());
    BOTH.add(asked("stock", stock, SERVERS.startStockWorker(stock)));
    String ours = SERVERS.startHeadraceDispatcher("--work-dir=" + folder.resolve("ours"));
    BOTH.add(asked("headrace", ours, SERVERS.startHeadraceWorker(ours)));
  }

  @AfterAll
  static void stop() {
    CHANNELS.forEach(GrpcChannels::close);
    SERVERS.close();
  }

  private static ManagedChannel channel(String address) {
    ManagedChannel channel = GrpcChannels.open(address);
    CHANNELS.add(channel);
    return channel;
  }

  private static Asked asked(String kind, String dispatcher, String worker) {
    DispatcherServiceBlockingStub stub = DispatcherServiceGrpc.newBlockingStub(channel(dispatcher));
    var _ = stub.getOrRegisterDataset(registration(10));
    long job = stub.getOrCreateJob(job().build()).getJobId();
    long client =
        stub.getOrCreateIteration(
                GetOrCreateIterationRequest.newBuilder().setJobId(job).setRepetition(1).build())
            .getIterationClientId();
    return new Asked(kind, stub, WorkerServiceGrpc.newBlockingStub(channel(worker)), job, client);
  }

  private static GetOrRegisterDatasetRequest registration(long cardinality) {
    return GetOrRegisterDatasetRequest.newBuilder()
        .setDataset(RANGE)
        .setDatasetId("range")
        .setMetadata(
            DataServiceMetadata.newBuilder()
                .setCompression(Compression.COMPRESSION_OFF)
                .setCardinality(cardinality))
        .build();
  }

  private static GetOrCreateJobRequest.Builder job() {
    return GetOrCreateJobRequest.newBuilder()
        .setDatasetId("range")
        .setJobName("job")
        .setTargetWorkers(TargetWorkers.TARGET_WORKERS_AUTO)
        .setProcessingModeDef(mode(ShardingPolicy.OFF));
  }

  private static ProcessingModeDef mode(ShardingPolicy policy) {
    return ProcessingModeDef.newBuilder().setShardingPolicy(policy).build();
  }

  private static Row row(String name, Status.Code code, String gist, Function<Asked, Object> ask) {
    return new Row(name, ask, code, gist);
  }

  static Stream<Row> rows() {
    return Stream.of(ofDatasets(), ofJobs(), ofReaders(), ofSnapshots(), ofWorkers())
        .flatMap(rows -> rows);
  }

  private static Stream<Row> ofDatasets() {
    return Stream.of(
        row(
            "version",
            Status.Code.OK,
            "9",
            of -> of.dispatcher.getVersion(GetVersionRequest.getDefaultInstance()).getVersion()),
        row(
            "config",
            Status.Code.OK,
            "DEPLOYMENT_MODE_UNSPECIFIED",
            of ->
                of.dispatcher
                    .getDataServiceConfig(GetDataServiceConfigRequest.getDefaultInstance())
                    .getConfig()
                    .getDeploymentMode()),
        row(
            "workers",
            Status.Code.OK,
            "1",
            of ->
                of.dispatcher.getWorkers(GetWorkersRequest.getDefaultInstance()).getWorkersCount()),
        row(
            "metadata of no dataset",
            Status.Code.NOT_FOUND,
            "Dataset id nothing not found",
            of ->
                of.dispatcher.getDataServiceMetadata(
                    GetDataServiceMetadataRequest.newBuilder().setDatasetId("nothing").build())),
        row(
            "definition of no dataset",
            Status.Code.NOT_FOUND,
            "Dataset id nothing not found",
            of ->
                of.dispatcher.getDatasetDef(
                    GetDatasetDefRequest.newBuilder().setDatasetId("nothing").build())),
        row(
            "the same dataset again",
            Status.Code.OK,
            "range",
            of -> of.dispatcher.getOrRegisterDataset(registration(10)).getDatasetId()),
        row(
            "a dataset of another structure",
            Status.Code.INVALID_ARGUMENT,
            "Datasets with the same ID should have the same structure, got diff",
            of -> of.dispatcher.getOrRegisterDataset(registration(11))),
        row(
            "compression of no dataset",
            Status.Code.NOT_FOUND,
            "Dataset id nothing not found",
            of ->
                of.dispatcher.disableCompressionAtRuntime(
                    DisableCompressionAtRuntimeRequest.newBuilder()
                        .setDatasetId("nothing")
                        .build())),
        row(
            "compression that there is not",
            Status.Code.OK,
            "true",
            of ->
                of.dispatcher
                    .disableCompressionAtRuntime(
                        DisableCompressionAtRuntimeRequest.newBuilder()
                            .setDatasetId("range")
                            .build())
                    .getNoCompressionToDisable()));
  }

  private static Stream<Row> ofJobs() {
    return Stream.of(
        row(
            "the same job again",
            Status.Code.OK,
            "true",
            of -> of.dispatcher.getOrCreateJob(job().build()).getJobId() == of.job),
        row(
            "a job of another mode",
            Status.Code.INVALID_ARGUMENT,
            "Tried to create job with name job, but found an existing job with different"
                + " parameters: Existing processing mode: <",
            of ->
                of.dispatcher.getOrCreateJob(
                    job().setProcessingModeDef(mode(ShardingPolicy.DYNAMIC)).build())),
        row(
            "a job of other workers",
            Status.Code.INVALID_ARGUMENT,
            "Existing target workers: <AUTO>; got <ANY>.",
            of ->
                of.dispatcher.getOrCreateJob(
                    job().setTargetWorkers(TargetWorkers.TARGET_WORKERS_ANY).build())),
        row(
            "a job through the cache",
            Status.Code.INVALID_ARGUMENT,
            "Existing cross-trainer cache: <disabled>; got <enabled>.",
            of -> of.dispatcher.getOrCreateJob(job().setUseCrossTrainerCache(true).build())),
        row(
            "an iteration of no job",
            Status.Code.NOT_FOUND,
            "Job with id 77 not found",
            of ->
                of.dispatcher.getOrCreateIteration(
                    GetOrCreateIterationRequest.newBuilder().setJobId(NOBODY).build())),
        row(
            "a split of no iteration",
            Status.Code.NOT_FOUND,
            "Iteration id 77 not found",
            of ->
                of.dispatcher.getSplit(
                    GetSplitRequest.newBuilder().setIterationId(NOBODY).build())),
        row(
            "a split of an iteration without splits",
            Status.Code.FAILED_PRECONDITION,
            "Cannot get split for iteration ",
            of ->
                of.dispatcher.getSplit(
                    GetSplitRequest.newBuilder().setIterationId(of.iteration()).build())));
  }

  private static Stream<Row> ofReaders() {
    return Stream.of(
        row("a heartbeat", Status.Code.OK, "1", of -> of.heartbeat().getTaskInfoCount()),
        row(
            "a heartbeat of no reader",
            Status.Code.NOT_FOUND,
            "Iteration client id not found: 77",
            of ->
                of.dispatcher.clientHeartbeat(
                    ClientHeartbeatRequest.newBuilder().setIterationClientId(NOBODY).build())),
        row(
            "the release of no reader",
            Status.Code.NOT_FOUND,
            "Iteration client id not found: 77",
            of ->
                of.dispatcher.releaseIterationClient(
                    ReleaseIterationClientRequest.newBuilder()
                        .setIterationClientId(NOBODY)
                        .build())),
        row(
            "the removal of no task",
            Status.Code.OK,
            "true",
            of ->
                of.dispatcher
                    .maybeRemoveTask(MaybeRemoveTaskRequest.newBuilder().setTaskId(NOBODY).build())
                    .getRemoved()),
        row(
            "the removal of a task that is not read in step",
            Status.Code.FAILED_PRECONDITION,
            "MaybeRemoveTask called on a non-round-robin task.",
            of ->
                of.dispatcher.maybeRemoveTask(
                    MaybeRemoveTaskRequest.newBuilder().setTaskId(of.task()).build())));
  }

  private static Stream<Row> ofSnapshots() {
    return Stream.of(
        row(
            "the streams of no snapshot",
            Status.Code.INVALID_ARGUMENT,
            "the dispatcher does not know of a snapshot at /nowhere",
            of ->
                of.dispatcher.getSnapshotStreams(
                    GetSnapshotStreamsRequest.newBuilder().setPath("/nowhere").build())),
        row(
            "a split of no snapshot",
            Status.Code.INVALID_ARGUMENT,
            "the dispatcher does not know of a snapshot at /nowhere",
            of ->
                of.dispatcher.getSnapshotSplit(
                    GetSnapshotSplitRequest.newBuilder()
                        .setBasePath("/nowhere")
                        .setWorkerAddress("localhost:1")
                        .build())),
        row(
            "a snapshot where something is",
            Status.Code.ALREADY_EXISTS,
            "already exists",
            of ->
                of.dispatcher.snapshot(
                    SnapshotRequest.newBuilder()
                        .setDataset(RANGE)
                        .setPath(folder.toString())
                        .build())));
  }

  private static Stream<Row> ofWorkers() {
    return Stream.of(
        row(
            "an element of no task",
            Status.Code.UNAVAILABLE,
            "Task 77 not found",
            of -> of.worker.getElement(GetElementRequest.newBuilder().setTaskId(NOBODY).build())),
        row("tasks", Status.Code.OK, "1", Asked::tasks),
        row(
            "progress of snapshots",
            Status.Code.OK,
            "0",
            of ->
                of.worker
                    .getSnapshotTaskProgresses(
                        GetSnapshotTaskProgressesRequest.getDefaultInstance())
                    .getSnapshotTaskProgressesCount()));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void eachRequest_isAnsweredAsByStock(Row row) {
    for (Asked asked : BOTH) {
      Status.Code code = Status.Code.OK;
      String answer;
      try {
        answer = row.ask.apply(asked).toString();
      } catch (StatusRuntimeException e) {
        code = e.getStatus().getCode();
        answer = String.valueOf(e.getStatus().getDescription());
      }
      assertThat(code).as("%s: %s", asked.kind, answer).isEqualTo(row.code);
      if (code == Status.Code.OK) {
        assertThat(answer).as(asked.kind).isEqualTo(row.gist);
      } else {
        assertThat(answer).as(asked.kind).contains(row.gist);
      }
    }
  }
}
