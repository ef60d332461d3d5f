package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.runtime.origin.RecordSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that say that they leave. */
final class LeavingWorkerTest {
  private static final Dataset NUMBERS = Dataset.range(100);

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  /** A stock client joins the first pass of a new job. */
  private long read(Dataset dataset, ShardingPolicy policy) {
    GetOrCreateJobRequest job = peers.job(dataset, policy).build();
    return dispatcher.iterate(dispatcher.stub().getOrCreateJob(job).getJobId(), 1);
  }

  private static LeaveWorkerRequest.Builder leaving(String address) {
    return LeaveWorkerRequest.newBuilder()
        .setWorkerAddress(address)
        .setIncarnation(address.hashCode());
  }

  private void leave(LeaveWorkerRequest.Builder request) {
    var _ = dispatcher.extensions().leaveWorker(request.build());
  }

  private Task task(long id) {
    DispatcherState state = new DispatcherState();
    dispatcher.snapshot().forEach(state::apply);
    return state.iterations().findTask(id).orElseThrow();
  }

  private List<String> workersOf(long client) {
    return peers.tasks(client).stream().map(TaskInfo::getWorkerAddress).toList();
  }

  @Test
  void announcedTask_ofALeavingWorker_isMadeElsewhere_andNothingIsMissing() {
    peers.start("w:1");
    peers.start("w:2");
    long client = read(NUMBERS, ShardingPolicy.DYNAMIC);
    long left = peers.task(client, "w:1");
    var _ = peers.take(left, 10);
    peers.announce(left, 1, TestPeers.splits(0, 4), 4, 0);

    leave(
        leaving("w:1")
            .addTasks(
                TaskDeliveries.newBuilder()
                    .setTaskId(left)
                    .setNumber(2)
                    .setRecords(new RecordSet().toProto())
                    .setRowsAnnounced(4)
                    .setRowsDelivered(4)));

    assertThat(task(left).lossReason()).isEqualTo(LossReason.WORKER_LEFT);
    assertThat(task(left).lostRows()).hasValue(0);
    assertThat(dispatcher.statistics().numTasksLost()).isZero();
    assertThat(dispatcher.statistics().workers()).containsExactly("w:2");
    assertThat(workersOf(client)).containsExactly("w:2", "w:2");
    long remainder = peers.tasks(client).getLast().getTaskId();
    assertThat(peers.take(remainder, 100).getFirstSplit()).isEqualTo(4);
  }

  @Test
  void exactlyOnce_aLeavingWorkersTaskIsSettledAtOnce() {
    peers.start("w:1");
    peers.start("w:2");
    long client =
        peers
            .join(peers.request(NUMBERS).setGuarantee(Guarantee.EXACTLY_ONCE))
            .getIterationClientId();
    TestDispatcher.Watch watch = dispatcher.watch(client);
    long left = peers.task(client, "w:1");
    var _ = peers.take(left, 10);

    leave(leaving("w:1"));

    assertThat(watch.last().getSettlementsList())
        .singleElement()
        .satisfies(open -> assertThat(open.getLostTaskId()).isEqualTo(left));
    assertThat(watch.last().getLostTasks(0).getReason()).isEqualTo(LossReason.WORKER_LEFT);
    assertThat(dispatcher.statistics().numTasksLost()).isZero();
  }

  @Test
  void exactlyOnce_aTaskOfALostWorkerIsLost_ifItHadTakenSplits() {
    peers.start("w:1");
    peers.start("w:2");
    long client =
        peers
            .join(peers.request(NUMBERS).setGuarantee(Guarantee.EXACTLY_ONCE))
            .getIterationClientId();
    peers.lose("w:1");
    assertThat(dispatcher.statistics().numTasksLost()).isZero();

    var _ = peers.take(peers.task(client, "w:2"), 10);
    peers.lose("w:2");

    assertThat(dispatcher.statistics().numTasksLost()).isEqualTo(1);
  }

  @Test
  void drainedTask_missesNoSplits() {
    peers.start("w:1");
    peers.start("w:2");
    long client = read(NUMBERS.take(50), ShardingPolicy.DYNAMIC);
    long left = peers.task(client, "w:1");
    var _ = peers.take(left, 10);

    leave(leaving("w:1").addDrainedTaskIds(left));

    assertThat(task(left).lostSplits()).hasValue(0);
    assertThat(dispatcher.statistics().numSplitsLost()).isZero();
  }

  @Test
  void onlyWorkerOfAPassThatCanNotBeMadeAgain_isWaitedFor() {
    peers.start("w:1");
    long client = read(NUMBERS.take(50), ShardingPolicy.DYNAMIC);
    long task = peers.task(client, "w:1");

    leave(leaving("w:1").addDrainedTaskIds(task));

    assertThat(task(task).isActive()).isTrue();
    assertThat(dispatcher.statistics().workers()).isEmpty();
    assertThat(dispatcher.statistics().lostWorkers()).containsExactly("w:1");
  }

  @Test
  void formerProcess_canNotLeaveForItsSuccessor() {
    peers.start("w:1", 1);
    peers.start("w:1", 2);

    leave(LeaveWorkerRequest.newBuilder().setWorkerAddress("w:1").setIncarnation(1));

    assertThat(dispatcher.statistics().workers()).containsExactly("w:1");
  }

  @Test
  void repeatedGoodbye_changesNothing() {
    peers.start("w:1");
    peers.start("w:2");
    long client = read(NUMBERS, ShardingPolicy.DYNAMIC);
    leave(leaving("w:1"));
    var before = dispatcher.snapshot();

    leave(leaving("w:1"));

    assertThat(dispatcher.snapshot()).isEqualTo(before);
    assertThat(workersOf(client)).isNotEmpty().allMatch("w:2"::equals);
  }
}
