package io.headrace.worker;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.SendHeartbeatRequest;
import io.headrace.proto.headrace.SourceDescription;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.proto.headrace.WorkerExtensionsGrpc;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.HeartbeatTimer;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamOptions;
import io.headrace.rpc.StreamReader;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.time.SystemTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Announcements of a worker, and its stop in the middle of a read, with a scripted dispatcher. */
@Timeout(120)
final class LeavingTest {
  private static final long TASK = 4000;
  private static final long NUM_SPLITS = 100_000;
  private static final Duration NOT_IN_A_TEST = Duration.ofHours(1);

  private final FakeDispatcher dispatcher = FakeDispatcher.ours();
  private final List<Long> got = new ArrayList<>();
  private WorkerServer worker;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    LongStream.range(0, NUM_SPLITS).forEach(dispatcher.splits::add);
    worker = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
    channel = GrpcChannels.open(worker.address());
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    worker.close();
    dispatcher.close();
  }

  private WorkerServiceBlockingStub stub() {
    return WorkerServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, SECONDS);
  }

  /** Begins a task over a range with dynamic sharding. */
  private void begin(DescribeTaskResponse.Builder description) {
    dispatcher.description =
        description
            .addSources(
                SourceDescription.newBuilder().setCount(NUM_SPLITS).setFingerprint(fingerprint()))
            .build();
    dispatcher.assign(
        TaskDef.newBuilder()
            .setTaskId(TASK)
            .setDatasetId("1000")
            .setDatasetDef(Graphs.range(NUM_SPLITS))
            .setNumSplitProviders(1)
            .setWorkerAddress(worker.address())
            .setProcessingModeDef(
                ProcessingModeDef.newBuilder().setShardingPolicy(ShardingPolicy.DYNAMIC))
            .build(),
        stub());
  }

  private static long fingerprint() {
    return DatasetGraph.read(Graphs.range(NUM_SPLITS).getGraph())
        .load(OpRegistry.standard(), StepContext.standalone())
        .splitSources()
        .getFirst()
        .fingerprint();
  }

  private GetElementResponse get() {
    return stub().getElement(GetElementRequest.newBuilder().setTaskId(TASK).build());
  }

  private void read(int count) {
    for (int i = 0; i < count; i++) {
      got.add(TensorProtos.read(get().getUncompressed().getComponents(0)).integer(0));
    }
  }

  /** Reads until the worker is gone. */
  private void readToTheEnd() {
    try {
      while (true) {
        read(1);
      }
    } catch (RuntimeException _) {
      // The worker has left.
    }
  }

  private static DescribeTaskResponse.Builder announced() {
    return DescribeTaskResponse.newBuilder().setAnnouncesDeliveries(true).setMaxAheadMs(50);
  }

  private static DescribeTaskResponse.Builder bounded() {
    return DescribeTaskResponse.newBuilder().setMaxAheadMs(50);
  }

  private RecordSet announcedRecords() {
    RecordSet all = new RecordSet();
    for (ReportDeliveriesRequest report : dispatcher.reports) {
      report
          .getTasksList()
          .forEach(deliveries -> all.addAll(RecordSet.of(deliveries.getRecords())));
    }
    return all;
  }

  @Test
  void everyRow_isAnnouncedBeforeItIsHandedOut() {
    begin(announced());

    for (int i = 0; i < 2000; i++) {
      read(1);
      assertThat(announcedRecords().records(0, Origins.SPLITS).contains(got.getLast())).isTrue();
    }

    List<ReportDeliveriesRequest> reports = List.copyOf(dispatcher.reports);
    TaskDeliveries last = reports.getLast().getTasks(0);
    assertThat(last.getRowsDelivered()).isLessThanOrEqualTo(got.size());
    assertThat(last.getNumber()).isEqualTo(reports.size());
  }

  @Test
  void dispatcherThatDoesNotAnswer_isWaitedFor()
      throws InterruptedException, ExecutionException, TimeoutException {
    begin(announced());
    dispatcher.answersToReports.acquire(Integer.MAX_VALUE);
    CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> read(1));

    assertThat(FakeDispatcher.next(dispatcher.reports).getTasks(0).getNumber()).isEqualTo(1);
    assertThatThrownBy(() -> reading.get(200, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    dispatcher.answersToReports.release(Integer.MAX_VALUE);

    reading.get(60, SECONDS);
    assertThat(got).containsExactly(0L);
  }

  @Test
  void taskThatTheDispatcherHasGivenUp_handsOutNothing() {
    dispatcher.unknownTasks.add(TASK);
    begin(announced());

    assertThatThrownBy(() -> read(1)).hasMessageContaining("no part in the work");
  }

  @Test
  void leavingWorker_handsOutWhatItAnnounced_andNoMore() {
    begin(announced());
    read(500);
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(worker::stop);

    readToTheEnd();

    stopped.join();
    assertThat(announcedRecords().records(0, Origins.SPLITS).size()).isEqualTo(got.size());
    LeaveWorkerRequest goodbye = FakeDispatcher.next(dispatcher.goodbyes);
    assertThat(goodbye.getWorkerAddress()).isEqualTo(worker.address());
    assertThat(goodbye.getTasks(0).getRowsDelivered()).isEqualTo(got.size());
    assertThat(goodbye.getTasks(0).getRowsAnnounced()).isEqualTo(got.size());
    assertThat(dispatcher.finished).isEmpty();
  }

  @Test
  void leavingWorker_handsOutAllOfTheSplitsThatWouldBeLost() {
    begin(bounded());
    read(500);
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(worker::stop);

    readToTheEnd();

    stopped.join();
    assertThat(got.size()).isEqualTo((int) (NUM_SPLITS - dispatcher.splits.size()));
    assertThat(got).isEqualTo(LongStream.range(0, got.size()).boxed().toList());
    assertThat(FakeDispatcher.next(dispatcher.goodbyes).getDrainedTaskIdsList())
        .containsExactly(TASK);
    assertThat(dispatcher.finished).isEmpty();
  }

  @Test
  void leavingWorker_servesNoMore_whileItHandsOutWhatWouldBeLost() {
    begin(bounded());
    read(500);
    Iterator<HealthCheckResponse> health =
        HealthGrpc.newBlockingStub(channel).watch(HealthCheckRequest.getDefaultInstance());
    assertThat(health.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(worker::stop);

    assertThat(health.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    read(1);

    readToTheEnd();
    stopped.join();
  }

  @Test
  void leavingWorker_whoseReaderPauses_waitsForTheQuietPeriodOnly() {
    startAgain(Duration.ofMillis(100));
    begin(bounded());
    read(500);

    worker.stop();

    assertThat(dispatcher.goodbyes).hasSize(2);
    assertThat(List.copyOf(dispatcher.goodbyes).getLast().getDrainedTaskIdsList()).isEmpty();
  }

  /** Starts another worker, with a quiet period of its own. */
  private void startAgain(Duration quietPeriod) {
    worker.close();
    worker =
        WorkerServer.start(
            WorkerConfig.forDispatcher(dispatcher.address()).withShutdownQuietPeriod(quietPeriod));
    channel.shutdownNow();
    channel = GrpcChannels.open(worker.address());
  }

  @Test
  void leavingWorker_waitsForNoReaderThatHasLeftItsStream() {
    startAgain(NOT_IN_A_TEST);
    begin(bounded());
    try (HeartbeatTimer metronome = HeartbeatTimer.start();
        StreamReader reader =
            StreamReader.open(
                channel,
                TaskOpening.of(TASK),
                StreamOptions.DEFAULT,
                SystemTicker.INSTANCE,
                metronome,
                () -> {})) {
      assertThat(reader.next()).isInstanceOf(StreamItem.Rows.class);
    }

    worker.stop();

    assertThat(List.copyOf(dispatcher.goodbyes).getLast().getDrainedTaskIdsList()).isEmpty();
  }

  @Test
  void leavingWorker_waitsForNoReaderWhoseConnectionIsClosed() {
    startAgain(NOT_IN_A_TEST);
    begin(bounded());
    read(500);
    channel.shutdownNow();

    worker.stop();

    assertThat(List.copyOf(dispatcher.goodbyes).getLast().getDrainedTaskIdsList()).isEmpty();
  }

  @Test
  void leavingWorker_waitsForNoStockReaderWhoseConnectionIsClosed() {
    startAgain(NOT_IN_A_TEST);
    begin(announced());
    read(500);
    channel.shutdownNow();

    worker.stop();

    assertThat(List.copyOf(dispatcher.goodbyes).getLast().getTasks(0).getRowsDelivered())
        .isEqualTo(500);
  }

  @Test
  void drainedWorker_leavesAsIfItWereStopped() throws InterruptedException {
    begin(bounded());
    read(500);
    dispatcher.drains = true;
    askForAHeartbeat();

    readToTheEnd();

    worker.join();
    assertThat(got.size()).isEqualTo((int) (NUM_SPLITS - dispatcher.splits.size()));
    assertThat(FakeDispatcher.next(dispatcher.goodbyes).getDrainedTaskIdsList())
        .containsExactly(TASK);
  }

  private void askForAHeartbeat() {
    var _ =
        WorkerExtensionsGrpc.newBlockingStub(channel)
            .withDeadlineAfter(60, SECONDS)
            .sendHeartbeat(SendHeartbeatRequest.getDefaultInstance());
  }

  @Test
  void idleWorker_leavesAtOnce() {
    worker.stop();

    assertThat(dispatcher.goodbyes).hasSize(1);
    assertThat(dispatcher.goodbyes.element().getTasksCount()).isZero();
  }
}
