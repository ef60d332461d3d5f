package io.headrace.worker;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.grpc.ManagedChannel;
import io.headrace.dataset.Dataset;
import io.headrace.kernels.variant.CompressedElements;
import io.headrace.proto.data.ActiveTask;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.GetSnapshotTaskProgressesRequest;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.proto.headrace.ConfirmIncarnationRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.proto.headrace.WorkerExtensionsGrpc;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.HeartbeatTimer;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamOptions;
import io.headrace.rpc.StreamReader;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker on a real port, with a scripted dispatcher. */
@Timeout(120)
final class WorkerServerTest {
  private static final Duration SOON = Duration.ofMillis(20);

  /** In an arbitrary order. */
  private static final List<Long> SPLITS =
      LongStream.range(0, 200).map(i -> i * 7 % 1000).boxed().toList();

  private final List<AutoCloseable> toClose = new ArrayList<>();
  private FakeDispatcher dispatcher = opened(FakeDispatcher.stock());
  private @Nullable ManagedChannel channel;

  @AfterEach
  void closeAll() throws Exception {
    if (channel != null) {
      channel.shutdownNow();
    }
    for (AutoCloseable closeable : toClose.reversed()) {
      closeable.close();
    }
  }

  @Test
  void start_registersWithStockDispatcher() {
    WorkerServer worker = start(config().withWorkerTags(List.of("fast")));
    WorkerHeartbeatRequest first = dispatcher.nextHeartbeat();
    assertThat(first.getWorkerAddress()).isEqualTo("localhost:" + worker.port());
    assertThat(first.getWorkerTagsList()).containsExactly("fast");
    assertThat(first.getWorkerUid()).isEqualTo(-1);
    assertThat(first.getTransferServersList())
        .extracting(s -> s.getProtocol() + " " + s.getAddress())
        .containsExactly("grpc " + worker.address(), "stream " + worker.address());
    assertThat(worker.target()).isEqualTo("grpc://localhost:" + worker.port());
  }

  @Test
  void start_tellsOurDispatcherWhichOpsItKnows() {
    dispatcher = opened(FakeDispatcher.ours());
    start(config());
    ExtendedWorkerHeartbeatRequest first = FakeDispatcher.next(dispatcher.extended);
    assertThat(first.getIncarnation()).isNotZero();
    assertThat(first.getKnownOpsList()).contains("RangeDataset", "Const");
    assertThat(first.getHeartbeat().getWorkerAddress()).startsWith("localhost:");
  }

  @Test
  void start_isTriedAgain_whileTheDispatcherIsAway() {
    dispatcher.refusals.add(new StatusException(StatusCode.UNAVAILABLE, "starting"));
    dispatcher.refusals.add(new StatusException(StatusCode.ABORTED, "starting"));
    start(config());
    assertThat(dispatcher.heartbeats).hasSize(3);
  }

  @Test
  void start_fails_whereTheDispatcherIsAwayForTheTimeout() {
    dispatcher.close();
    WorkerServer worker =
        opened(new WorkerServer(config().withDispatcherTimeout(Duration.ofSeconds(1))));

    assertThatThrownBy(worker::start)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED))
        .hasMessageContainingAll("took no connection within 1 s: ", "withDispatcherTimeout");
  }

  @Test
  void start_failsWhereTheDispatcherRefusesTheWorker() {
    dispatcher.refusals.add(
        new StatusException(StatusCode.FAILED_PRECONDITION, "not in the list of workers"));
    WorkerServer worker = opened(new WorkerServer(config()));
    assertThatThrownBy(worker::start).hasMessageContaining("not in the list of workers");
    assertThatThrownBy(worker::start).hasMessageContaining("cannot be started after");
  }

  @Test
  void start_failsForADispatcherOfAnotherVersion() {
    dispatcher.version = 8;
    WorkerServer worker = opened(new WorkerServer(config()));
    assertThatThrownBy(worker::start).hasMessageContaining("Version mismatch");
  }

  @Test
  void start_canBeEndedByStop_whileItWaits() {
    WorkerServer worker = opened(new WorkerServer(config()));
    dispatcher.close();
    CompletableFuture<Void> starting = CompletableFuture.runAsync(worker::start);
    worker.stop();
    assertThatThrownBy(starting::join).hasCauseInstanceOf(StatusException.class);
  }

  @Test
  void startAndStop_mayComeTwice() throws InterruptedException {
    WorkerServer worker = start(config());
    worker.start();
    worker.stop();
    worker.stop();
    worker.join();
    assertThatThrownBy(worker::start)
        .hasMessage("Server cannot be started after it has been stopped.");
  }

  @Test
  void takenPort_isRefused() {
    WorkerServer first = start(config());
    WorkerServer second = opened(new WorkerServer(config().withPort(first.port())));
    assertThatThrownBy(second::start)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageContaining(String.valueOf(first.port()));
  }

  @Test
  void grpcAlone_canBeChosen() {
    start(config().withDataTransfer(new WorkerConfig.DataTransfer("grpc", 0, "")));
    assertThat(dispatcher.nextHeartbeat().getTransferServersList())
        .extracting(s -> s.getProtocol())
        .containsExactly("grpc");
  }

  @Test
  void streamAddress_canDiffer() {
    WorkerServer worker =
        start(
            config()
                .withDataTransfer(new WorkerConfig.DataTransfer("stream", 0, "fast:%dts_port%")));
    assertThat(dispatcher.nextHeartbeat().getTransferServers(1).getAddress())
        .isEqualTo("fast:" + worker.port());
  }

  @Test
  void taskOfAHeartbeat_isRun_reported_andDeleted() {
    dispatcher.newTasks.add(task(4000, Graphs.range(3)).build());
    WorkerServer worker = start(config().withHeartbeatInterval(SOON));
    assertThat(read(worker, 4000)).containsExactly(0L, 1L, 2L);
    assertThat(FakeDispatcher.next(dispatcher.finished)).isEqualTo(4000);
    assertThat(stub(worker).getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance()).getTasks(0))
        .satisfies(info -> assertThat(info.getTaskId()).isEqualTo(4000));

    dispatcher.toDelete.add(4000L);
    while (dispatcher.nextHeartbeat().getCurrentTasksCount() > 0
        || !dispatcher.toDelete.isEmpty()) {
      assertThat(dispatcher.toDelete).hasSizeLessThan(2);
    }
    assertThat(get(worker, 4000).getEndOfSequence()).isTrue();
  }

  @Test
  void task_reportsItsStagesAndItsBuffer_toOurDispatcher() {
    dispatcher = opened(FakeDispatcher.ours());
    dispatcher.newTasks.add(task(4000, Graphs.range(3)).build());
    WorkerServer worker = start(config());
    assertThat(read(worker, 4000)).containsExactly(0L, 1L, 2L);

    TaskStages stages;
    do {
      stages = FakeDispatcher.next(dispatcher.stageReports).getTasks(0);
    } while (!stages.getEnded());

    assertThat(stages.getTaskId()).isEqualTo(4000);
    assertThat(stages.getPass()).isNotZero();
    assertThat(stages.getElapsedMicros()).isNotNegative();
    assertThat(stages.getStagesList())
        .extracting(StageSums::getName, StageSums::getConsumer, StageSums::getRows)
        .containsExactly(tuple("Range", -1, 3L));
    assertThat(stages.getBuffer().getRows()).isEqualTo(3);
  }

  @Test
  void tasksOfEachKind_tellHowLongAnElementTakes() {
    WorkerServer worker = start(config().withHeartbeatInterval(SOON));
    Dataset slow = Dataset.range(1 << 20).filter(x -> x.floorMod(100_000L).less(1L)).repeat(-1);
    DatasetDef endless = DatasetDef.newBuilder().setGraph(slow.toGraphDef()).build();
    process(worker, task(4000, endless));
    process(worker, task(4001, endless).setNumConsumers(1));
    process(worker, task(4002, endless).setUseCrossTrainerCache(true));
    assertThat(get(worker, 4000).getEndOfSequence()).isFalse();
    GetElementRequest inStep =
        GetElementRequest.newBuilder().setTaskId(4001).setConsumerIndex(0).setRoundIndex(0).build();
    assertThat(stub(worker).getElement(inStep).getEndOfSequence()).isFalse();
    assertThat(get(worker, 4002).getEndOfSequence()).isFalse();

    Set<Long> telling = new HashSet<>();
    while (telling.size() < 3) { // or the test's time is over
      for (ActiveTask task : dispatcher.nextHeartbeat().getActiveTasksList()) {
        if (task.getProcessingTimeNsec() > 0) {
          telling.add(task.getTaskId());
        }
      }
    }

    assertThat(telling).containsExactlyInAnyOrder(4000L, 4001L, 4002L);
  }

  @Test
  void deletedTask_thatWouldNeverYieldARow_ends() throws InterruptedException {
    Dataset none = Dataset.range(Long.MAX_VALUE).filter(x -> x.less(0));
    dispatcher.newTasks.add(
        task(4000, DatasetDef.newBuilder().setGraph(none.toGraphDef()).build()).build());
    WorkerServer worker = start(config().withHeartbeatInterval(SOON));
    var reading = CompletableFuture.supplyAsync(() -> get(worker, 4000).getEndOfSequence());
    Thread producer = awaitThread("task-4000");

    dispatcher.toDelete.add(4000L);

    assertThat(producer.join(Duration.ofSeconds(30))).isTrue();
    assertThat(reading.handle((end, failure) -> failure != null || end).join()).isTrue();
  }

  private static Thread awaitThread(String name) throws InterruptedException {
    for (int i = 0; i < 3000; i++) {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals(name)) {
          return thread;
        }
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    throw new AssertionError("no thread " + name);
  }

  @Test
  void taskThatComesTwice_isReadOnce() {
    WorkerServer worker = start(config());
    process(worker, task(4001, Graphs.range(2)));
    process(worker, task(4001, Graphs.range(2)));
    assertThat(read(worker, 4001)).containsExactly(0L, 1L);
  }

  @Test
  void taskThatTheDispatcherDoesNotConfirm_isNotBegun() {
    WorkerServer worker = start(config());
    process(worker, task(4001, Graphs.range(2)));
    dispatcher.heartbeats.clear();

    var _ =
        stub(worker)
            .processTask(
                ProcessTaskRequest.newBuilder()
                    .setTask(task(4001, Graphs.range(7)).setWorkerAddress(worker.address()))
                    .build());
    var _ =
        stub(worker)
            .processTask(
                ProcessTaskRequest.newBuilder()
                    .setTask(task(4002, Graphs.range(7)).setWorkerAddress(worker.address()))
                    .build());

    var _ = dispatcher.nextHeartbeat();
    assertThat(read(worker, 4001)).containsExactly(0L, 1L);
    assertRefused(worker, 4002, StatusCode.UNAVAILABLE, "Task 4002 not found");
  }

  @Test
  void incarnation_isConfirmedToWhoKnowsIt_alone() {
    dispatcher = opened(FakeDispatcher.ours());
    WorkerServer worker = start(config());
    long own = FakeDispatcher.next(dispatcher.extended).getIncarnation();
    var stub = WorkerExtensionsGrpc.newBlockingStub(channel(worker));

    var _ =
        stub.confirmIncarnation(ConfirmIncarnationRequest.newBuilder().setIncarnation(own).build());

    assertThatThrownBy(() ->
            stub.confirmIncarnation(
                ConfirmIncarnationRequest.newBuilder().setIncarnation(own + 1).build()))
        .hasMessageContaining("FAILED_PRECONDITION");
  }

  @Test
  void splitsOfAStockDispatcher_areTakenOneByOne() {
    assertSplitsAreRead();
    assertThat(dispatcher.splitRequests).hasValue(SPLITS.size() + 1);
  }

  @Test
  void splitsOfOurDispatcher_areTakenManyAtATime() {
    dispatcher = opened(FakeDispatcher.ours());
    assertSplitsAreRead();
    assertThat(dispatcher.splitRequests).hasValueLessThan(SPLITS.size());
  }

  private void assertSplitsAreRead() {
    dispatcher.splits.addAll(SPLITS);
    WorkerServer worker = start(config());
    process(
        worker,
        task(4000, Graphs.range(1000))
            .setNumSplitProviders(1)
            .setProcessingModeDef(
                ProcessingModeDef.newBuilder().setShardingPolicy(ShardingPolicy.DYNAMIC)));
    assertThat(read(worker, 4000)).isEqualTo(SPLITS);
  }

  @Test
  void completion_unknownToTheDispatcher_isDropped_andOthersAreReported() {
    dispatcher.unknownTasks.add(4000L);
    WorkerServer worker = start(config());
    process(worker, task(4000, Graphs.range(1)));
    process(worker, task(4001, Graphs.range(1)));
    read(worker, 4000);
    read(worker, 4001);
    assertThat(FakeDispatcher.next(dispatcher.finished)).isEqualTo(4001);
  }

  @Test
  void compressedDataset_isCompressed_unlessTheDispatcherDisabledIt() {
    WorkerServer worker = start(config());
    process(worker, task(4000, Graphs.compressedRange(1)));
    assertThat(CompressedElements.uncompress(get(worker, 4000).getCompressed())).hasSize(1);

    dispatcher.compressionDisabled = true;
    process(worker, task(4001, Graphs.compressedRange(1)));
    assertThat(get(worker, 4001).hasUncompressed()).isTrue();
  }

  @Test
  void stream_isReadOverTheNetwork() {
    WorkerServer worker = start(config());
    process(worker, task(4000, Graphs.compressedRange(300_000)));
    HeartbeatTimer metronome = opened(HeartbeatTimer.start());
    StreamReader reader =
        StreamReader.open(
            channel(worker),
            TaskOpening.of(4000),
            StreamOptions.DEFAULT,
            SystemTicker.INSTANCE,
            metronome,
            () -> {});
    long expected = 0;
    for (StreamItem item = reader.next();
        item instanceof StreamItem.Rows(var chunk);
        item = reader.next()) {
      for (long value : Column.stack(chunk.column(0)).tensor().integers()) {
        assertThat(value).isEqualTo(expected++);
      }
      reader.consumed(item.rows());
    }
    assertThat(expected).isEqualTo(300_000);
    assertThat(FakeDispatcher.next(dispatcher.finished)).isEqualTo(4000);
  }

  @Test
  void datasetAtAPath_isReadThere_orAskedOfTheDispatcher(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("1000"), Graphs.range(1).toByteArray());
    dispatcher.datasets.put("1001", Graphs.range(2));
    WorkerServer worker = start(config());
    process(worker, TaskDef.newBuilder().setTaskId(1).setPath(file.toString()));
    process(
        worker, TaskDef.newBuilder().setTaskId(2).setDatasetId("1001").setPath(folder + "/none"));
    assertThat(read(worker, 1)).containsExactly(0L);
    assertThat(read(worker, 2)).containsExactly(0L, 1L);
  }

  @Test
  void unsupportedOp_isTheAnswerToTheFirstRequest() {
    WorkerServer worker = start(config());
    process(worker, task(4000, Graphs.unsupported()));
    assertRefused(worker, 4000, StatusCode.UNIMPLEMENTED, "FrobnicateDataset");
  }

  @Test
  void endOfADatasetThatIsReadInStep_isAnError() {
    WorkerServer worker = start(config());
    process(worker, task(200, Graphs.range(1)).setNumConsumers(2));
    assertRefused(
        worker, 200, StatusCode.FAILED_PRECONDITION, "but the dataset has cardinality 1.");
  }

  @Test
  void datasetWithAnEnd_ofACachedJob_isRefused() {
    WorkerServer worker = start(config());
    process(worker, task(201, Graphs.range(1)).setUseCrossTrainerCache(true));
    assertRefused(
        worker,
        201,
        StatusCode.INVALID_ARGUMENT,
        "Cross-trainer caching requires the input dataset to be infinite. Got input with"
            + " cardinality 1");
  }

  @Test
  void staticSharding_thatCannotBeDone_isRefused() {
    WorkerServer worker = start(config());
    process(worker, sharded(100, ShardingPolicy.FILE).setNumWorkers(2));
    process(worker, sharded(101, ShardingPolicy.DATA).setNumWorkers(2).setWorkerIndex(2));
    process(worker, sharded(102, ShardingPolicy.HINT));

    assertRefused(worker, 100, StatusCode.NOT_FOUND, "unshardable source dataset");
    assertRefused(worker, 101, StatusCode.INVALID_ARGUMENT, "index should be >= 0 and < 2");
    assertRefused(worker, 102, StatusCode.INVALID_ARGUMENT, "num_workers should be >= 1");
  }

  private TaskDef.Builder sharded(long id, ShardingPolicy policy) {
    return task(id, Graphs.range(9))
        .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicy(policy));
  }

  @Test
  void oddTasks_areRefused_andOthersGoOn() {
    WorkerServer worker = start(config());
    process(worker, TaskDef.newBuilder().setTaskId(1));
    process(worker, task(2, DatasetDef.getDefaultInstance()));
    dispatcher.assign(
        task(3, Graphs.range(1)).setWorkerAddress("elsewhere:1").build(), stub(worker));
    process(
        worker,
        task(4, Graphs.range(1))
            .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicyValue(77)));
    var _ = stub(worker).processTask(ProcessTaskRequest.getDefaultInstance());

    assertRefused(worker, 1, StatusCode.INTERNAL, "no dataset");
    assertRefused(worker, 2, StatusCode.NOT_FOUND, "_Retval");
    assertRefused(worker, 3, StatusCode.INTERNAL, "does not match worker's address");
    assertRefused(worker, 4, StatusCode.INVALID_ARGUMENT, "77");
    assertRefused(worker, -5, StatusCode.UNAVAILABLE, "Task -5 not found");
    process(worker, task(6, Graphs.range(1)));
    assertThat(read(worker, 6)).containsExactly(0L);
  }

  @Test
  void snapshotProgress_isEmpty() {
    WorkerServer worker = start(config());
    assertThat(
            stub(worker)
                .getSnapshotTaskProgresses(GetSnapshotTaskProgressesRequest.getDefaultInstance())
                .getSnapshotTaskProgressesCount())
        .isZero();
  }

  @Test
  void dispatcherThatComesBack_isToldAgain() {
    WorkerServer worker = start(config().withHeartbeatInterval(SOON));
    int port = dispatcher.port();
    dispatcher.close();
    dispatcher = opened(FakeDispatcher.stockAt(port));
    assertThat(dispatcher.nextHeartbeat().getWorkerAddress()).isEqualTo(worker.address());
  }

  private WorkerConfig config() {
    return WorkerConfig.forDispatcher(dispatcher.address());
  }

  private WorkerServer start(WorkerConfig config) {
    WorkerServer worker = opened(new WorkerServer(config));
    worker.start();
    return worker;
  }

  private <T extends AutoCloseable> T opened(T closeable) {
    toClose.add(closeable);
    return closeable;
  }

  private static TaskDef.Builder task(long id, DatasetDef dataset) {
    return TaskDef.newBuilder().setTaskId(id).setDatasetId("1000").setDatasetDef(dataset);
  }

  private void process(WorkerServer worker, TaskDef.Builder task) {
    dispatcher.assign(task.setWorkerAddress(worker.address()).build(), stub(worker));
  }

  private ManagedChannel channel(WorkerServer worker) {
    if (channel == null) {
      channel = GrpcChannels.open(worker.address());
    }
    return channel;
  }

  private WorkerServiceBlockingStub stub(WorkerServer worker) {
    return WorkerServiceGrpc.newBlockingStub(channel(worker)).withDeadlineAfter(60, SECONDS);
  }

  private GetElementResponse get(WorkerServer worker, long task) {
    GetElementRequest request =
        GetElementRequest.newBuilder().setTaskId(task).setTrainerId("a").build();
    return stub(worker).getElement(request);
  }

  private List<Long> read(WorkerServer worker, long task) {
    List<Long> values = new ArrayList<>();
    for (GetElementResponse response = get(worker, task);
        !response.getEndOfSequence();
        response = get(worker, task)) {
      values.add(TensorProtos.read(response.getUncompressed().getComponents(0)).integer(0));
    }
    return values;
  }

  private void assertRefused(WorkerServer worker, long task, StatusCode code, String message) {
    assertThatThrownBy(() -> get(worker, task))
        .satisfies(failure -> {
          StatusException status = GrpcStatuses.fromGrpc(failure);
          assertThat(status.code()).isEqualTo(code);
          assertThat(status.message()).contains(message);
        });
  }
}
