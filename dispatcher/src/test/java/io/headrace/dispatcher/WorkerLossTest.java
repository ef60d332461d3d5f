package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.TaskPosition;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WorkerLossTest {
  private static final Duration REFUSALS = Duration.ofSeconds(3);
  private static final Duration SILENCE = Duration.ofSeconds(11);

  private final TestDispatcher dispatcher = new TestDispatcher();
  private long client;

  @BeforeEach
  void read() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    client = dispatcher.read("RangeDataset");
  }

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void everyWorker_isProbedEverySecond() {
    int before = dispatcher.network().probes();

    dispatcher.advance(Duration.ofSeconds(5));

    assertThat(dispatcher.network().probes() - before).isEqualTo(10);
  }

  @Test
  void worker_thatRefusesThrice_isLost() {
    dispatcher.network().stop("w:1");

    dispatcher.advance(REFUSALS);

    assertThat(dispatcher.statistics().lostWorkers()).containsExactly("w:1");
    assertThat(dispatcher.statistics().workers()).containsExactly("w:2");
  }

  @Test
  void worker_thatRefusesTwice_isNotLost() {
    dispatcher.network().stop("w:1");
    dispatcher.advance(Duration.ofSeconds(2));
    dispatcher.network().start("w:1");
    dispatcher.advance(Duration.ofSeconds(2));
    dispatcher.network().stop("w:1");
    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(dispatcher.statistics().lostWorkers()).isEmpty();
  }

  @Test
  void worker_thatIsSilentForTenSeconds_isLost() {
    dispatcher.network().freeze("w:1");

    dispatcher.advance(Duration.ofSeconds(9));
    assertThat(dispatcher.statistics().lostWorkers()).isEmpty();
    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(dispatcher.statistics().lostWorkers()).containsExactly("w:1");
  }

  @Test
  void suspendedDispatcher_declaresNoWorkerLost() {
    dispatcher.network().freeze("w:1");
    dispatcher.advance(Duration.ofSeconds(2));
    dispatcher.sleep(Duration.ofMinutes(5));
    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(dispatcher.statistics().lostWorkers()).isEmpty();
  }

  @Test
  void lostTask_whileAnotherLives_isEnded() {
    dispatcher.network().stop("w:1");
    dispatcher.advance(REFUSALS);

    assertThat(dispatcher.clientHeartbeat(client).getTaskInfoList())
        .extracting(TaskInfo::getWorkerAddress)
        .containsExactly("w:2");
    dispatcher.finish("w:2", 4001);
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void lostTask_afterAnotherCameToItsEnd_isEndedAndFinishesTheIteration() {
    dispatcher.finish("w:2", 4001);
    dispatcher.network().freeze("w:1");

    dispatcher.advance(SILENCE);

    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void lostTasks_ofAllWorkers_areWaitedFor() {
    dispatcher.network().stop("w:1");
    dispatcher.network().stop("w:2");

    dispatcher.advance(Duration.ofMinutes(1));

    ClientHeartbeatResponse response = dispatcher.clientHeartbeat(client);
    assertThat(response.getIterationFinished()).isFalse();
    assertThat(response.getTaskInfoCount()).isPositive();
  }

  @Test
  void lostTask_thatWasWaitedFor_endsWhenAnotherWorkerComes() {
    dispatcher.network().stop("w:1");
    dispatcher.network().stop("w:2");
    dispatcher.advance(REFUSALS);

    dispatcher.startWorker("w:3");

    assertThat(dispatcher.clientHeartbeat(client).getTaskInfoList())
        .extracting(TaskInfo::getWorkerAddress)
        .containsExactly("w:3");
  }

  @Test
  void loss_isReportedWithWorkerAndPosition() {
    var _ =
        dispatcher
            .extensions()
            .extendedWorkerHeartbeat(
                ExtendedWorkerHeartbeatRequest.newBuilder()
                    .setHeartbeat(TestDispatcher.report("w:1", 4000L))
                    .addTaskPositions(TaskPosition.newBuilder().setTaskId(4000).setPosition(17))
                    .build());
    dispatcher.network().stop("w:1");
    dispatcher.advance(REFUSALS);

    assertThat(dispatcher.statistics().numTasksLost()).isEqualTo(1);
    assertThat(dispatcher.statistics().recentlyLost())
        .singleElement()
        .satisfies(lost -> {
          assertThat(lost.taskId()).isEqualTo(4000);
          assertThat(lost.workerAddress()).isEqualTo("w:1");
          assertThat(lost.position()).hasValue(17);
        });
  }

  @Test
  void watch_tellsOfTheLoss() {
    TestDispatcher.Watch watch = dispatcher.watch(client);
    dispatcher.network().stop("w:1");
    dispatcher.advance(REFUSALS);

    WatchIterationResponse last = watch.last();
    assertThat(last.getLostTasksList())
        .singleElement()
        .satisfies(lost -> assertThat(lost.getWorkerAddress()).isEqualTo("w:1"));
    assertThat(last.getTaskInfoList()).extracting(TaskInfo::getTaskId).containsExactly(4001L);
  }

  @Test
  void watch_listsSilentWorkers_untilTheyAreBack() {
    TestDispatcher.Watch watch = dispatcher.watch(client);
    dispatcher.network().stop("w:1");
    dispatcher.network().stop("w:2");
    dispatcher.advance(REFUSALS);
    assertThat(watch.last().getSilentWorkersList()).isNotEmpty();

    dispatcher.network().start("w:1");
    dispatcher.network().start("w:2");
    dispatcher.advance(Duration.ofSeconds(1));

    assertThat(watch.last().getSilentWorkersList()).isEmpty();
  }

  @Test
  void newIteration_getsNoTaskOnALostWorker() {
    dispatcher.network().stop("w:1");
    dispatcher.advance(REFUSALS);

    long next = dispatcher.read("RangeDataset");

    assertThat(dispatcher.clientHeartbeat(next).getTaskInfoList())
        .extracting(TaskInfo::getWorkerAddress)
        .containsExactly("w:2");
  }

  @Test
  void onlyWorker_backAtItsAddress_getsOtherTasksForThoseItLost() {
    dispatcher.finish("w:2", 4001);
    long next = dispatcher.read("RangeDataset");
    dispatcher.finish("w:2", 4003);
    assertThat(dispatcher.clientHeartbeat(next).getIterationFinished()).isFalse();
    dispatcher.network().stop("w:1");
    dispatcher.advance(Duration.ofSeconds(2));
    FakeWorkerNetwork.Node worker = dispatcher.network().start("w:1");
    assertThat(dispatcher.heartbeat("w:1").getNewTasksList()).isEmpty();

    dispatcher.advance(Duration.ofSeconds(1));

    assertThat(worker.tasks()).containsOnlyKeys(4004L, 4005L);
  }

  @Test
  void worker_backAfterItsTaskWasEnded_getsANewOne() {
    dispatcher.network().stop("w:1");
    dispatcher.advance(REFUSALS);
    dispatcher.network().start("w:1");

    assertThat(dispatcher.heartbeat("w:1").getNewTasksList())
        .extracting(TaskDef::getTaskId)
        .containsExactly(4002L);
    assertThat(dispatcher.statistics().lostWorkers()).isEmpty();
  }

  @Test
  void worker_thatWasFrozenAndAnswersAgain_isToldWhatToDeleteAndToDo() {
    dispatcher.network().freeze("w:1");
    dispatcher.advance(SILENCE);
    dispatcher.network().thaw("w:1");

    assertThat(dispatcher.heartbeat("w:1", 4000L).getTasksToDeleteList()).containsExactly(4000L);
  }

  @Test
  void lostWorker_thatReportsButDoesNotAnswer_staysLost() {
    dispatcher.network().stop("w:1");
    dispatcher.advance(REFUSALS);

    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.heartbeat("w:1"));
    assertThat(dispatcher.statistics().lostWorkers()).containsExactly("w:1");
  }

  @Test
  void lostWorker_withoutTasks_isRemovedAfterTheTimeout() {
    dispatcher.network().stop("w:1");

    dispatcher.advance(Duration.ofMinutes(21));

    assertThat(dispatcher.statistics().workers()).containsExactly("w:2");
    assertThat(dispatcher.network().forgotten()).contains("w:1");
  }
}
