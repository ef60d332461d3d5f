package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.data.MaybeRemoveTaskResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Consumers that read in step: how tasks are admitted to their rounds, and removed from them. */
final class CoordinatedReadTest {
  private TestDispatcher dispatcher = new TestDispatcher();
  private String dataset = "";

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void tasks_ofTheFirstWorkers_areReadFromRound0_andKnowTheirConsumers() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    long client = join();

    assertThat(worker.tasks().values()).extracting(TaskDef::getNumConsumers).containsExactly(2L);
    ClientHeartbeatResponse response = heartbeat(client, 0);
    assertThat(response.getTaskInfoList())
        .singleElement()
        .satisfies(info -> assertThat(info.getStartingRound()).isZero());
    assertThat(response.hasBlockRound()).isFalse();
  }

  @Test
  void numConsumers_isComparedWithTheJobs() {
    var _ = join();

    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> dispatcher.stub().getOrCreateJob(job().setNumConsumers(3).build()))
        .hasMessageContaining("Existing number of consumers: <2>; got <3>.");
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> dispatcher.stub().getOrCreateJob(job().clearNumConsumers().build()))
        .hasMessageContaining("Existing number of consumers: <2>; got <none>.");
  }

  @Test
  void numConsumers_ofZero_isInvalid() {
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> dispatcher.stub().getOrCreateJob(job().setNumConsumers(0).build()))
        .hasMessageContaining("num_consumers must be 1 to");
  }

  @Test
  void laterWorker_isAdmitted_onceAllConsumersHoldBeforeItsRound() {
    var _ = dispatcher.startWorker("w:1");
    long a = join();
    long b = join();
    assertThat(dispatcher.startWorker("w:2").tasks().get(4001L)).isNotNull();

    // The first target round is round 1, which consumers have passed.
    assertThat(heartbeat(a, 10).getBlockRound()).isEqualTo(12);
    assertThat(heartbeat(b, 11).getBlockRound()).isEqualTo(12);
    // The first holds; the second has gone on, and all are told a round further ahead.
    assertThat(blocked(a, 12, 12).getBlockRound()).isEqualTo(12);
    assertThat(heartbeat(b, 15).getBlockRound()).isEqualTo(19);
    ClientHeartbeatResponse waiting = blocked(a, 12, 12);
    assertThat(waiting.getBlockRound()).isEqualTo(19);
    assertThat(waiting.getTaskInfoList()).hasSize(1);

    ClientHeartbeatResponse admitted = blocked(b, 16, 19);

    assertThat(admitted.hasBlockRound()).isFalse();
    assertThat(admitted.getTaskInfoList())
        .extracting(TaskInfo::getStartingRound)
        .containsExactly(0L, 19L);
    ClientHeartbeatResponse other = blocked(a, 19, 19);
    assertThat(other.hasBlockRound()).isFalse();
    assertThat(other.getTaskInfoList()).isEqualTo(admitted.getTaskInfoList());
  }

  @Test
  void twoLaterWorkers_areAdmittedOneAfterTheOther() {
    long a = join();
    long b = join();
    var _ = dispatcher.startWorker("w:1");
    var _ = dispatcher.startWorker("w:2");

    assertThat(heartbeat(a, 0).getBlockRound()).isEqualTo(1);
    var _ = blocked(a, 0, 1);
    ClientHeartbeatResponse first = blocked(b, 0, 1);

    assertThat(first.getTaskInfoList())
        .extracting(TaskInfo::getWorkerAddress)
        .containsExactly("w:1");
    assertThat(first.getBlockRound()).isEqualTo(1);
    var _ = blocked(a, 0, 1);
    assertThat(blocked(b, 0, 1).getTaskInfoList())
        .extracting(TaskInfo::getWorkerAddress)
        .containsExactly("w:1", "w:2");
  }

  @Test
  void consumerThatLeaves_doesNotHoldForItsSuccessor() {
    long a = join();
    long b = join();
    var _ = dispatcher.startWorker("w:1");
    var _ = blocked(a, 0, 1);
    dispatcher.release(a);
    long successor = join();

    assertThat(blocked(b, 0, 1).getTaskInfoList()).isEmpty();
    assertThat(blocked(successor, 0, 1).getTaskInfoList()).hasSize(1);
  }

  @Test
  void negotiation_goesOnAfterARestart_andACompaction() {
    var _ = dispatcher.startWorker("w:1");
    long a = join();
    long b = join();
    var _ = dispatcher.startWorker("w:2");
    assertThat(heartbeat(a, 10).getBlockRound()).isEqualTo(12);
    var _ = blocked(a, 11, 12);
    restart(dispatcher.memory().reopen());
    assertThat(heartbeat(b, 5).getBlockRound()).isEqualTo(12);
    restart(compacted());

    ClientHeartbeatResponse admitted = blocked(b, 11, 12);

    assertThat(admitted.getTaskInfoList())
        .extracting(TaskInfo::getStartingRound)
        .containsExactly(0L, 12L);
    restart(compacted());
    assertThat(heartbeat(a, 12).getTaskInfoList()).isEqualTo(admitted.getTaskInfoList());
  }

  @Test
  void task_isRemoved_onceAllConsumersAskInTheSameRound()
      throws InterruptedException, ExecutionException {
    var _ = dispatcher.startWorker("w:1");
    long client = join();

    Future<MaybeRemoveTaskResponse> first = ask(0, 7);
    assertThat(first.isDone()).isFalse();
    assertThat(ask(1, 7).get().getRemoved()).isTrue();
    assertThat(first.get().getRemoved()).isTrue();
    assertThat(heartbeat(client, 7).getTaskInfoList()).isEmpty();
    assertThat(ask(1, 8).get().getRemoved()).isTrue();
  }

  @Test
  void worker_whoseTaskWasRemoved_isAdmittedAnew() throws InterruptedException, ExecutionException {
    var _ = dispatcher.startWorker("w:1");
    long a = join();
    long b = join();
    var _ = ask(0, 7);
    assertThat(ask(1, 7).get().getRemoved()).isTrue();

    WorkerHeartbeatResponse response = dispatcher.heartbeat("w:1", 4000L);

    assertThat(response.getTasksToDeleteList()).containsExactly(4000L);
    assertThat(response.getNewTasksList()).extracting(TaskDef::getTaskId).containsExactly(4001L);
    var _ = blocked(a, 0, 1);
    assertThat(blocked(b, 0, 1).getTaskInfoList())
        .extracting(TaskInfo::getTaskId)
        .containsExactly(4001L);
  }

  @Test
  void removal_inDifferentRounds_isRefusedToBoth() throws InterruptedException, ExecutionException {
    var _ = dispatcher.startWorker("w:1");
    var _ = join();

    Future<MaybeRemoveTaskResponse> first = ask(0, 7);

    assertThat(ask(1, 8).get().getRemoved()).isFalse();
    assertThat(first.get().getRemoved()).isFalse();
  }

  @Test
  void removal_thatNotAllAskFor_isRefusedAfterAWhile()
      throws InterruptedException, ExecutionException {
    var _ = dispatcher.startWorker("w:1");
    var _ = join();

    Future<MaybeRemoveTaskResponse> first = ask(0, 7);
    dispatcher.advance(TaskRemovals.WAIT.minus(Duration.ofSeconds(1)));
    assertThat(first.isDone()).isFalse();
    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(first.get().getRemoved()).isFalse();
  }

  @Test
  void roundThatALostWorkerGaveToSomeOnly_isWaitedFor_thenEndsAllConsumers() {
    Consumers consumers = loseWorkerInRound7();
    Future<MaybeRemoveTaskResponse> first = ask(0, 7);
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT);

    assertFailsInStep(() -> dispatcher.stub().maybeRemoveTask(question(0, 7)));
    assertThat(first).succeedsWithin(Duration.ofMinutes(1)).matches(it -> !it.getRemoved());
    assertFailsInStep(() -> heartbeat(consumers.ahead(), 8));
    dispatcher.release(consumers.ahead());
    assertFailsInStep(() -> heartbeat(consumers.behind(), 7));
    assertFailsInStep(() -> dispatcher.stub().maybeRemoveTask(question(0, 7)));
  }

  /** A consumer that waits for its element of a lost worker's round, and one that has its own. */
  private record Consumers(long behind, long ahead) {}

  private Consumers loseWorkerInRound7() {
    var _ = dispatcher.startWorker("w:1");
    Consumers consumers = new Consumers(join(), join());
    dispatcher.network().stop("w:1");
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT);
    var _ = heartbeat(consumers.behind(), 7);
    var _ = heartbeat(consumers.ahead(), 8);
    return consumers;
  }

  private static void assertFailsInStep(ThrowingCallable call) {
    assertFails(StatusCode.DATA_LOSS, call)
        .hasMessageContainingAll(
            "worker w:1 was lost in round 7 of job 5000 (in step)",
            "given to others but not to consumer 0",
            "start all of them again, under another job name");
  }

  @Test
  void roundThatALostWorkerGaveToSomeOnly_goesOn_whenTheWorkerIsBack() {
    Consumers consumers = loseWorkerInRound7();
    var _ = ask(0, 7);
    dispatcher.advance(Duration.ofSeconds(30));
    var _ = dispatcher.startWorker("w:1");
    var _ = ask(0, 7);
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT);

    assertThat(heartbeat(consumers.ahead(), 8).getTaskInfoList()).hasSize(1);
    assertThat(heartbeat(consumers.behind(), 7).getTaskInfoList()).hasSize(1);
    assertThat(ask(0, 7).isDone()).isFalse();
  }

  @Test
  void workerThatIsLostAgain_afterItRepeatedARound_isLeftAsUsual()
      throws InterruptedException, ExecutionException {
    Consumers consumers = loseWorkerInRound7();
    var _ = ask(0, 7);
    var _ = dispatcher.startWorker("w:1");
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT);
    dispatcher.network().stop("w:1");
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT);
    var _ = heartbeat(consumers.behind(), 9);
    var _ = heartbeat(consumers.ahead(), 9);

    Future<MaybeRemoveTaskResponse> first = ask(0, 9);
    assertThat(ask(1, 9).get().getRemoved()).isTrue();
    assertThat(first.get().getRemoved()).isTrue();
  }

  @Test
  void lostWorkersRound_thatNobodyHasPassed_isWaitedForWithoutEnd() {
    var _ = dispatcher.startWorker("w:1");
    long asking = join();
    long paused = join();
    dispatcher.network().stop("w:1");
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT);
    var _ = heartbeat(asking, 7);
    var _ = heartbeat(paused, 7);
    var _ = ask(0, 7);
    dispatcher.advance(TaskRemovals.CUT_ROUND_WAIT.multipliedBy(3));

    assertThat(ask(0, 7).isDone()).isFalse();
    assertThat(heartbeat(paused, 7).getTaskInfoList()).hasSize(1);
  }

  @Test
  void removal_byConsumersThatTheJobHasNot_isInvalid() {
    var _ = dispatcher.startWorker("w:1");
    var _ = join();

    for (long consumer : new long[] {-1, 2}) {
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () -> dispatcher.stub().maybeRemoveTask(question(consumer, 7)))
          .hasMessageContaining("below the job's 2 consumers, got " + consumer);
    }
    assertThat(ask(0, 7).isDone()).isFalse();
  }

  @Test
  void targetRound_ofTheLastRoundThatThereIs_staysARound() {
    var _ = dispatcher.startWorker("w:1");
    long client = join();
    var _ = dispatcher.startWorker("w:2");

    assertThat(heartbeat(client, Long.MAX_VALUE).getBlockRound()).isPositive();
  }

  @Test
  void removal_ofATaskThatIsNotReadInStep_isRefused() {
    var _ = dispatcher.startWorker("w:1");
    var _ = dispatcher.read("RangeDataset");

    assertFails(
            StatusCode.FAILED_PRECONDITION, () -> dispatcher.stub().maybeRemoveTask(question(0, 7)))
        .hasMessageContaining("MaybeRemoveTask called on a non-round-robin task.");
  }

  @Test
  void lostWorkersTask_staysUntilConsumersRemoveIt() {
    var _ = dispatcher.startWorker("w:1");
    var _ = dispatcher.startWorker("w:2");
    long client = join();
    dispatcher.network().stop("w:1");
    dispatcher.advance(Duration.ofMinutes(10));

    assertThat(heartbeat(client, 3).getTaskInfoList()).hasSize(2);
  }

  @Test
  void lostWorkersTask_thatNobodyReadsYet_isGivenUp() {
    var _ = dispatcher.startWorker("w:1");
    long client = join();
    var _ = dispatcher.startWorker("w:2");
    assertThat(heartbeat(client, 0).getBlockRound()).isEqualTo(1);
    dispatcher.network().stop("w:2");
    dispatcher.advance(Duration.ofMinutes(1));

    ClientHeartbeatResponse response = blocked(client, 0, 1);

    assertThat(response.hasBlockRound()).isFalse();
    assertThat(response.getTaskInfoList()).hasSize(1);
  }

  @Test
  void workersNewProcess_runsTheSameTask() {
    var _ = dispatcher.network().start("w:1");
    var _ = report("w:1", 7);
    long client = join();
    List<TaskInfo> before = heartbeat(client, 0).getTaskInfoList();
    assertThat(before).hasSize(1);

    assertThat(report("w:1", 8).getNewTasksList())
        .extracting(TaskDef::getTaskId)
        .containsExactly(before.getFirst().getTaskId());
    assertThat(heartbeat(client, 4).getTaskInfoList()).isEqualTo(before);
  }

  private ExtendedWorkerHeartbeatResponse report(String address, long incarnation) {
    return dispatcher
        .extensions()
        .extendedWorkerHeartbeat(
            ExtendedWorkerHeartbeatRequest.newBuilder()
                .setHeartbeat(TestDispatcher.report(address))
                .setIncarnation(incarnation)
                .build());
  }

  private GetOrCreateJobRequest.Builder job() {
    if (dataset.isEmpty()) {
      dataset = dispatcher.register("RangeDataset");
    }
    return TestDispatcher.job(dataset).toBuilder().setJobName("in step").setNumConsumers(2);
  }

  private long join() {
    return dispatcher.iterate(dispatcher.stub().getOrCreateJob(job().build()).getJobId(), 1);
  }

  private ClientHeartbeatResponse heartbeat(long client, long round) {
    return dispatcher
        .stub()
        .clientHeartbeat(
            ClientHeartbeatRequest.newBuilder()
                .setIterationClientId(client)
                .setCurrentRound(round)
                .build());
  }

  private ClientHeartbeatResponse blocked(long client, long round, long blockedRound) {
    return dispatcher
        .stub()
        .clientHeartbeat(
            ClientHeartbeatRequest.newBuilder()
                .setIterationClientId(client)
                .setCurrentRound(round)
                .setBlockedRound(blockedRound)
                .build());
  }

  private Future<MaybeRemoveTaskResponse> ask(long consumer, long round) {
    return dispatcher.futures().maybeRemoveTask(question(consumer, round));
  }

  private static MaybeRemoveTaskRequest question(long consumer, long round) {
    return MaybeRemoveTaskRequest.newBuilder()
        .setTaskId(4000)
        .setConsumerIndex(consumer)
        .setRound(round)
        .build();
  }

  /** A journal that has the dispatcher's state alone. */
  private InMemoryJournal compacted() {
    InMemoryJournal journal = new InMemoryJournal();
    var _ =
        journal.compact(dispatcher.snapshot().stream().map(JournalRecord::toByteArray).toList());
    return journal.reopen();
  }

  private void restart(InMemoryJournal journal) {
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), journal);
  }
}
