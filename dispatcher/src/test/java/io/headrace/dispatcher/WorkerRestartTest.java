package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.LostTask;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker's process ends, and a new incarnation registers at its address. */
final class WorkerRestartTest {
  private final TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void newIncarnation_endsTheTasksOfTheOldOneAndGetsNewOnes() {
    start("w:1", 7);
    long client = dispatcher.read("RangeDataset");
    TestDispatcher.Watch watch = dispatcher.watch(client);

    ExtendedWorkerHeartbeatResponse response = start("w:1", 8);

    assertThat(response.getNewTasksList()).extracting(TaskDef::getTaskId).containsExactly(4001L);
    assertThat(watch.last().getLostTasksList())
        .extracting(LostTask::getTaskId)
        .containsExactly(4000L);
    assertThat(watch.last().getTaskInfoList())
        .extracting(TaskInfo::getTaskId)
        .containsExactly(4001L);
  }

  @Test
  void newIncarnation_afterTheOldOneDidItsPart_getsNoOtherPart() {
    start("w:1", 7);
    start("w:2", 1);
    var _ = dispatcher.read("RangeDataset");
    dispatcher.finish("w:1", 4000);

    assertThat(start("w:1", 8).getNewTasksList()).isEmpty();
  }

  @Test
  void newIncarnation_withTasksOfItsPredecessor_isToldToDeleteThem() {
    start("w:1", 7);
    var _ = dispatcher.read("RangeDataset");

    assertThat(start("w:1", 8, 4000L).getTasksToDeleteList()).containsExactly(4000L);
  }

  @Test
  void sameIncarnation_thatDoesNotNameATaskYet_isGivenItAgain() {
    start("w:1", 7);
    var _ = dispatcher.read("RangeDataset");

    assertThat(start("w:1", 7).getNewTasksList())
        .extracting(TaskDef::getTaskId)
        .containsExactly(4000L);
  }

  @Test
  void newIncarnation_afterTheDispatcherRestarted_isKnownForOne() {
    start("w:1", 7);
    long client = dispatcher.read("RangeDataset");
    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      restarted.network().start("w:1");
      var _ = restarted.extensions().extendedWorkerHeartbeat(heartbeat("w:1", 8));

      assertThat(restarted.clientHeartbeat(client).getTaskInfoList())
          .extracting(TaskInfo::getTaskId)
          .containsExactly(4001L);
    }
  }

  @Test
  void stockWorker_thatHasLostATaskItHad_getsAnotherOne() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");
    dispatcher.advance(Duration.ofSeconds(1));
    worker.tasks().clear();
    dispatcher.advance(Duration.ofSeconds(1));

    assertThat(worker.tasks()).containsOnlyKeys(4001L);
    assertThat(dispatcher.clientHeartbeat(client).getTaskInfoList())
        .extracting(TaskInfo::getTaskId)
        .containsExactly(4001L);
  }

  @Test
  void stockWorker_thatDoesNotNameATaskItHas_keepsIt() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    var _ = dispatcher.read("RangeDataset");
    dispatcher.advance(Duration.ofSeconds(1));

    assertThat(dispatcher.heartbeat("w:1").getNewTasksList()).isEmpty();
    dispatcher.advance(Duration.ofSeconds(2));
    assertThat(worker.tasks()).containsOnlyKeys(4000L);
  }

  @Test
  void stockWorker_thatNeverGotATask_isToldOfItAgain() {
    var _ = dispatcher.startWorker("w:1");
    dispatcher.network().stop("w:1");
    var _ = dispatcher.read("RangeDataset");
    FakeWorkerNetwork.Node worker = dispatcher.network().start("w:1");
    dispatcher.advance(Duration.ofSeconds(1));

    assertThat(worker.tasks()).containsOnlyKeys(4000L);
  }

  private ExtendedWorkerHeartbeatResponse start(String address, long incarnation, Long... tasks) {
    var _ = dispatcher.network().start(address);
    return dispatcher.extensions().extendedWorkerHeartbeat(heartbeat(address, incarnation, tasks));
  }

  private static ExtendedWorkerHeartbeatRequest heartbeat(
      String address, long incarnation, Long... tasks) {
    return ExtendedWorkerHeartbeatRequest.newBuilder()
        .setHeartbeat(TestDispatcher.report(address, tasks))
        .setIncarnation(incarnation)
        .build();
  }
}
