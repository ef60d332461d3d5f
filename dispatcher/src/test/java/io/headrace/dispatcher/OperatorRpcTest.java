package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.DrainWorkerResponse;
import io.headrace.proto.headrace.EndJobRequest;
import io.headrace.proto.headrace.EndJobResponse;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.ForgetClientRequest;
import io.headrace.proto.headrace.ForgetDatasetRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReaderStatus;
import io.headrace.proto.headrace.WorkerStatus;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The changes that operators ask for. */
final class OperatorRpcTest {
  private static final Dataset NUMBERS = Dataset.range(100);

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private DrainWorkerResponse drain(String address) {
    return dispatcher
        .admin()
        .drainWorker(DrainWorkerRequest.newBuilder().setWorkerAddress(address).build());
  }

  private EndJobResponse end(String job) {
    return dispatcher.admin().endJob(EndJobRequest.newBuilder().setJob(job).build());
  }

  private void forget(long client) {
    var _ =
        dispatcher
            .admin()
            .forgetClient(ForgetClientRequest.newBuilder().setIterationClientId(client).build());
  }

  private void forget(String dataset) {
    var _ =
        dispatcher
            .admin()
            .forgetDataset(ForgetDatasetRequest.newBuilder().setDatasetId(dataset).build());
  }

  private ExtendedWorkerHeartbeatResponse heartbeat(TestDispatcher of, String address) {
    return of.extensions()
        .extendedWorkerHeartbeat(
            ExtendedWorkerHeartbeatRequest.newBuilder()
                .setHeartbeat(TestDispatcher.report(address))
                .setIncarnation(address.hashCode())
                .setTracksOrigins(true)
                .build());
  }

  private WorkerStatus worker(String address) {
    return dispatcher
        .admin()
        .getStatus(GetStatusRequest.getDefaultInstance())
        .getWorkersList()
        .stream()
        .filter(worker -> worker.getAddress().equals(address))
        .findFirst()
        .orElseThrow();
  }

  private long read(ShardingPolicy policy) {
    return dispatcher.iterate(
        dispatcher.stub().getOrCreateJob(peers.job(NUMBERS, policy).build()).getJobId(), 1);
  }

  // Draining.

  @Test
  void drainedWorker_isToldToLeave_andGetsNoMoreTasks() {
    peers.start("w:1");
    peers.start("w:2");
    long before = read(ShardingPolicy.DYNAMIC);

    DrainWorkerResponse drained = drain("w:1");
    long after = read(ShardingPolicy.DYNAMIC);

    assertThat(drained.getKind()).isEqualTo(PeerKind.HEADRACE);
    assertThat(drained.getActiveTasks()).isEqualTo(1);
    assertThat(drained.getWaitingTasks()).isZero();
    assertThat(drained.getOtherWorkers()).isEqualTo(1);
    assertThat(dispatcher.network().hurried()).containsExactly("w:1");
    assertThat(heartbeat(dispatcher, "w:1").getLeave()).isTrue();
    assertThat(heartbeat(dispatcher, "w:2").getLeave()).isFalse();
    assertThat(worker("w:1").getState()).isEqualTo(WorkerStatus.State.DRAINING);
    assertThat(peers.tasks(before)).hasSize(2);
    assertThat(peers.tasks(after)).singleElement().matches(t -> t.getWorkerAddress().equals("w:2"));
  }

  @Test
  void drain_outlivesTheDispatcher() {
    peers.start("w:1");
    var _ = drain("w:1");

    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      restarted.network().start("w:1");
      assertThat(heartbeat(restarted, "w:1").getLeave()).isTrue();
    }
  }

  @Test
  void anotherProcessAtTheAddress_isNotDrained() {
    peers.start("w:1", 1);
    var _ = drain("w:1");

    peers.start("w:1", 2);

    assertThat(worker("w:1").getState()).isEqualTo(WorkerStatus.State.REGISTERED);
  }

  @Test
  void drainedWorker_thatHasLeft_isRegisteredNoMore() {
    peers.start("w:1");
    peers.start("w:2");
    var _ = read(ShardingPolicy.DYNAMIC);
    var _ = drain("w:1");

    var _ =
        dispatcher
            .extensions()
            .leaveWorker(
                LeaveWorkerRequest.newBuilder()
                    .setWorkerAddress("w:1")
                    .setIncarnation("w:1".hashCode())
                    .build());

    assertThat(dispatcher.statistics().workers()).containsExactly("w:2");
  }

  @Test
  void drain_isIdempotent_andCanBeTakenBack() {
    peers.start("w:1");
    var _ = drain("w:1");
    int appends = dispatcher.journal().appends();

    var _ = drain("w:1");
    assertThat(dispatcher.journal().appends()).isEqualTo(appends);

    var _ =
        dispatcher
            .admin()
            .drainWorker(
                DrainWorkerRequest.newBuilder().setWorkerAddress("w:1").setCancel(true).build());
    long client = read(ShardingPolicy.DYNAMIC);
    assertThat(heartbeat(dispatcher, "w:1").getLeave()).isFalse();
    assertThat(peers.tasks(client)).hasSize(1);
  }

  @Test
  void drainingWorker_isAskedAgainWithEachQuestion() {
    peers.start("w:1");
    var _ = drain("w:1");
    dispatcher.network().hurried().clear();

    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(dispatcher.network().hurried()).containsExactly("w:1");
  }

  @Test
  void stockWorker_getsNoMoreTasks_untilAnotherProcessIsThere() {
    var _ = dispatcher.startWorker("w:1");
    DrainWorkerResponse drained = drain("w:1");
    long client = read(ShardingPolicy.DYNAMIC);

    assertThat(drained.getKind()).isEqualTo(PeerKind.STOCK);
    assertThat(drained.getOtherWorkers()).isZero();
    assertThat(dispatcher.network().hurried()).isEmpty();
    assertThat(dispatcher.heartbeat("w:1").getNewTasksList()).isEmpty();

    peers.lose("w:1");
    var _ = dispatcher.startWorker("w:1");
    assertThat(peers.tasks(client)).hasSize(1);
  }

  @Test
  void onlyWorkerOfAPassThatCanNotBeMadeAgain_hasATaskThatWaits() {
    peers.start("w:1");
    var _ = read(ShardingPolicy.OFF);

    assertThat(drain("w:1").getWaitingTasks()).isEqualTo(1);
  }

  @Test
  void drainOfAnUnknownWorker_isRefused() {
    assertFails(StatusCode.NOT_FOUND, () -> drain("w:9"))
        .hasMessageContaining("no worker is registered at \"w:9\"");
  }

  // Ending jobs.

  @Test
  void endedJob_failsItsReaders_andSaysWhy() {
    peers.start("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "training");
    long stock = dispatcher.iterate(job, 1);
    long watching = dispatcher.iterate(job, 1);
    TestDispatcher.Watch watch = dispatcher.watch(watching);

    EndJobResponse ended = end("training");

    assertThat(ended.getJobId()).isEqualTo(job);
    assertThat(ended.getReaders()).isEqualTo(2);
    assertThat(ended.getTasks()).isEqualTo(1);
    String why = "job " + job + " (training) was ended by an operator";
    assertFails(StatusCode.FAILED_PRECONDITION, () -> dispatcher.clientHeartbeat(stock))
        .hasMessageContaining(why);
    assertThat(Objects.requireNonNull(watch.failure).code())
        .isEqualTo(StatusCode.FAILED_PRECONDITION);
    assertThat(watch.failure).hasMessageContaining(why);
  }

  @Test
  void endedJob_leavesItsWorkersNoTask_andItsNameFree() {
    peers.start("w:1");
    String dataset = dispatcher.register("RangeDataset");
    long job = dispatcher.createJob(dataset, "training");
    var _ = dispatcher.iterate(job, 1);

    var _ = end(Long.toString(job));

    assertThat(dispatcher.network().hurried()).containsExactly("w:1");
    ExtendedWorkerHeartbeatResponse told =
        dispatcher
            .extensions()
            .extendedWorkerHeartbeat(
                ExtendedWorkerHeartbeatRequest.newBuilder()
                    .setHeartbeat(TestDispatcher.report("w:1", 4000L))
                    .setIncarnation("w:1".hashCode())
                    .setTracksOrigins(true)
                    .build());
    assertThat(told.getTasksToDeleteList()).containsExactly(4000L);
    assertThat(dispatcher.createJob(dataset, "training")).isNotEqualTo(job);
  }

  @Test
  void endedJob_staysEndedAfterARestart() {
    peers.start("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "training");
    var _ = dispatcher.iterate(job, 1);
    var _ = end("training");

    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      assertThat(restarted.admin().getStatus(GetStatusRequest.getDefaultInstance()).getJobsList())
          .isEmpty();
    }
  }

  @Test
  void endOfAnUnknownJob_isRefused() {
    assertFails(StatusCode.NOT_FOUND, () -> end("x"))
        .hasMessageContaining("no job has the name or id \"x\"");
  }

  // Forgetting.

  @Test
  void forgottenReader_leavesItsPass_asIfItWereSilent() {
    peers.start("w:1");
    var request = peers.request(NUMBERS, "shared").setGuarantee(Guarantee.EXACTLY_ONCE);
    long gone = peers.join(request.setReader(1)).getIterationClientId();
    long stays = peers.join(request.setReader(2)).getIterationClientId();
    var _ = peers.take(peers.task(stays, "w:1"), 10);

    forget(gone);

    // Its records are settled when the others have read the rest.
    assertThat(dispatcher.snapshot())
        .anyMatch(record -> record.getIterationCreated().getUnaccounted());
    assertThat(dispatcher.admin().getStatus(GetStatusRequest.getDefaultInstance()).getReadersList())
        .extracting(ReaderStatus::getId)
        .containsExactly(stays);
    assertFails(StatusCode.FAILED_PRECONDITION, () -> dispatcher.clientHeartbeat(gone))
        .hasMessageContaining("an operator gave up reader " + gone);
  }

  @Test
  void unknownReader_canNotBeForgotten() {
    assertFails(StatusCode.NOT_FOUND, () -> forget(7)).hasMessageContaining("no reader 7");
  }

  @Test
  void datasetOfAJob_canNotBeForgotten_beforeTheJobHasEnded() {
    String dataset = dispatcher.register("RangeDataset");
    long job = dispatcher.createJob(dataset, "training");

    assertFails(StatusCode.FAILED_PRECONDITION, () -> forget(dataset))
        .hasMessageContaining("dataset %s belongs to job %d (training)".formatted(dataset, job));

    var _ = end("training");
    forget(dataset);
    assertFails(StatusCode.NOT_FOUND, () -> forget(dataset));
  }
}
