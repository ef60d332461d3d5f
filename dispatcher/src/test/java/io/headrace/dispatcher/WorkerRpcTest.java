package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.GetWorkersRequest;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerInfo;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WorkerRpcTest {
  private final TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void newIteration_tellsEachWorkerOfItsTask() {
    FakeWorkerNetwork.Node one = dispatcher.startWorker("w:1");
    FakeWorkerNetwork.Node two = dispatcher.startWorker("w:2");
    dispatcher.read("RangeDataset");

    assertThat(one.tasks()).containsOnlyKeys(4000L);
    TaskDef task = one.tasks().values().iterator().next();
    assertThat(task.getDatasetId()).isEqualTo("1000");
    assertThat(task.getIterationId()).isEqualTo(2000);
    assertThat(task.getWorkerAddress()).isEqualTo("w:1");
    assertThat(task.getDatasetDef().getGraph().getNode(0).getOp()).isEqualTo("RangeDataset");
    assertThat(two.tasks()).containsOnlyKeys(4001L);
  }

  @Test
  void clientHeartbeat_listsWhereTasksAreRead() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");

    TaskInfo info = dispatcher.clientHeartbeat(client).getTaskInfo(0);
    assertThat(info.getWorkerAddress()).isEqualTo("w:1");
    assertThat(info.getTransferServers(0).getProtocol()).isEqualTo("grpc");
    assertThat(info.getTaskId()).isEqualTo(4000);
    assertThat(info.getWorkerUid()).isEqualTo(-1);
  }

  @Test
  void heartbeat_newWorkerInMidIteration_getsATask() {
    long client = dispatcher.read("RangeDataset");
    dispatcher.network().start("w:1");

    WorkerHeartbeatResponse response = dispatcher.heartbeat("w:1");

    assertThat(response.getNewTasksList()).extracting(TaskDef::getTaskId).containsExactly(4000L);
    assertThat(dispatcher.clientHeartbeat(client).getTaskInfoCount()).isEqualTo(1);
  }

  @Test
  void heartbeat_tasksItHas_areNotToldAgain() {
    dispatcher.startWorker("w:1");
    dispatcher.network().stop("w:1");
    dispatcher.read("RangeDataset");

    assertThat(dispatcher.heartbeat("w:1").getNewTasksCount()).isEqualTo(1);
    assertThat(dispatcher.heartbeat("w:1", 4000L).getNewTasksCount()).isZero();
  }

  @Test
  void heartbeat_tasksThatAreNotItsOwn_areDeleted() {
    dispatcher.startWorker("w:1");
    dispatcher.read("RangeDataset");
    dispatcher.finish("w:1", 4000);

    assertThat(dispatcher.heartbeat("w:1", 4000L, 17L, -3L).getTasksToDeleteList())
        .containsExactly(-3L, 17L, 4000L);
  }

  @Test
  void heartbeat_workerThatDoesNotExist_isUnavailableAndCostsNothing() {
    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.heartbeat("nowhere:1"))
        .hasMessageContaining("nowhere:1 does not answer the dispatcher");
    assertThat(dispatcher.statistics().workers()).isEmpty();
    assertThat(dispatcher.network().forgotten()).containsExactly("nowhere:1");
  }

  @Test
  void heartbeat_withoutAddress_isInvalid() {
    assertFails(StatusCode.INVALID_ARGUMENT, () -> dispatcher.heartbeat(""))
        .hasMessageContaining("worker_address");
  }

  @Test
  void heartbeat_withoutTransferServer_isInvalid() {
    WorkerHeartbeatRequest request =
        TestDispatcher.report("w:1").toBuilder().clearTransferServers().build();

    assertFails(StatusCode.INVALID_ARGUMENT, () -> dispatcher.stub().workerHeartbeat(request))
        .hasMessageContaining("transfer_servers");
  }

  @Test
  void heartbeat_changedTags_areTold() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");
    var _ =
        dispatcher
            .stub()
            .workerHeartbeat(
                TestDispatcher.report("w:1").toBuilder().addWorkerTags("COLOCATED").build());

    assertThat(dispatcher.clientHeartbeat(client).getTaskInfo(0).getWorkerTagsList())
        .containsExactly("COLOCATED");
  }

  @Test
  void update_allTasksFinished_finishesTheIteration() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    long client = dispatcher.read("RangeDataset");

    dispatcher.finish("w:1", 4000);
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
    dispatcher.finish("w:2", 4001);

    ClientHeartbeatResponse last = dispatcher.clientHeartbeat(client);
    assertThat(last.getIterationFinished()).isTrue();
    assertThat(last.getTaskInfoList())
        .extracting(TaskInfo::getTaskId)
        .containsExactly(4000L, 4001L);
  }

  @Test
  void update_unknownTaskInTheBatch_isPassedOver() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");

    dispatcher.finish("w:1", 99, 4000, 4000, -1);

    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void update_taskOfAnotherWorker_isInvalidAndChangesNothing() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");

    assertFails(StatusCode.INVALID_ARGUMENT, () -> dispatcher.finish("w:2", 4000));
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
  }

  @Test
  void newTask_thatCouldNotBeSent_isSentAfterTheNextProbe() {
    dispatcher.startWorker("w:1");
    dispatcher.network().stop("w:1");
    dispatcher.read("RangeDataset");
    FakeWorkerNetwork.Node restarted = dispatcher.network().start("w:1");

    dispatcher.advance(Duration.ofSeconds(1));

    assertThat(restarted.tasks()).containsOnlyKeys(4000L);
  }

  @Test
  void workers_listsTheRegisteredOnes() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");

    assertThat(
            dispatcher.stub().getWorkers(GetWorkersRequest.getDefaultInstance()).getWorkersList())
        .extracting(WorkerInfo::getAddress)
        .containsExactlyInAnyOrder("w:1", "w:2");
  }

  @Test
  void heartbeat_workerThatIsNotInTheList_isRefusedInTensorFlowsWords() {
    try (TestDispatcher fixed =
        new TestDispatcher(
            DispatcherConfig.builder().workerAddresses(List.of("host:%port%")).build())) {
      fixed.startWorker("host:1");

      assertFails(StatusCode.FAILED_PRECONDITION, () -> fixed.startWorker("host:2"))
          .hasMessageContaining("Failed to assign an index for worker host:2");
    }
  }

  // The ops that workers know.

  @Test
  void newIteration_workerThatLacksAnOp_getsNoTask() {
    FakeWorkerNetwork.Node knowing = dispatcher.network().start("w:1");
    FakeWorkerNetwork.Node lacking = dispatcher.network().start("w:2");
    dispatcher.heartbeatKnowing("w:1", "RangeDataset", "OddDataset");
    dispatcher.heartbeatKnowing("w:2", "RangeDataset");

    dispatcher.read("RangeDataset", "OddDataset");

    assertThat(knowing.tasks()).hasSize(1);
    assertThat(lacking.tasks()).isEmpty();
  }

  @Test
  void newIteration_opThatNoWorkerKnows_isUnimplementedNamingOpAndNode() {
    dispatcher.network().start("w:1");
    dispatcher.heartbeatKnowing("w:1", "RangeDataset");

    assertFails(StatusCode.UNIMPLEMENTED, () -> dispatcher.read("RangeDataset", "OddDataset"))
        .hasMessageContaining("Op OddDataset (node node1)");
  }

  @Test
  void newIteration_workerThatDoesNotSayWhatItKnows_isTakenToKnowAll() {
    dispatcher.network().start("w:1");
    dispatcher.heartbeatKnowing("w:1", "RangeDataset");
    FakeWorkerNetwork.Node stock = dispatcher.startWorker("w:2");

    dispatcher.read("OddDataset");

    assertThat(stock.tasks()).hasSize(1);
  }

  @Test
  void clientHeartbeat_onlyWorkersThatLackAnOpRegistered_isUnimplemented() {
    long client = dispatcher.read("OddDataset");
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();

    dispatcher.network().start("w:1");
    dispatcher.heartbeatKnowing("w:1", "RangeDataset");

    assertFails(StatusCode.UNIMPLEMENTED, () -> dispatcher.clientHeartbeat(client))
        .hasMessageContaining("OddDataset");
  }
}
