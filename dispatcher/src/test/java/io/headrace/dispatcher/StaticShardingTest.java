package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Iterations with static sharding among the configured list of workers. */
final class StaticShardingTest {
  private static final Duration LONG = Duration.ofSeconds(15);

  private TestDispatcher dispatcher = withWorkers("w:1", "w:2");

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE", "DATA", "FILE_OR_DATA", "HINT"})
  void tasks_sayTheWorkersPlaceInTheList(ShardingPolicy policy) {
    FakeWorkerNetwork.Node second = dispatcher.startWorker("w:2");
    FakeWorkerNetwork.Node first = dispatcher.startWorker("w:1");
    read(policy);

    assertShare(only(first), 2, 0);
    assertShare(only(second), 2, 1);
    assertThat(only(first).getProcessingModeDef().getShardingPolicy()).isEqualTo(policy);
  }

  @Test
  void iteration_withoutAList_isNotFound() {
    restart(withWorkers());
    dispatcher.startWorker("w:1");

    assertFails(StatusCode.NOT_FOUND, () -> read(ShardingPolicy.DATA))
        .hasMessageContaining("Failed to shard dataset in tf.data service")
        .hasMessageContaining("worker_addresses");
  }

  @Test
  void iteration_waitsForAWorkerThatIsNotThereYet() {
    FakeWorkerNetwork.Node first = dispatcher.startWorker("w:1");
    long client = read(ShardingPolicy.DATA);
    dispatcher.finish("w:1", only(first).getTaskId());

    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
    FakeWorkerNetwork.Node second = dispatcher.startWorker("w:2");
    assertShare(only(second), 2, 1);
    dispatcher.finish("w:2", only(second).getTaskId());
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void lostWorker_keepsItsShare_whateverTheOthersDo() {
    FakeWorkerNetwork.Node first = dispatcher.startWorker("w:1");
    FakeWorkerNetwork.Node second = dispatcher.startWorker("w:2");
    long client = read(ShardingPolicy.FILE);
    TestDispatcher.Watch watch = dispatcher.watch(client);
    dispatcher.network().freeze("w:2");
    dispatcher.advance(LONG);
    dispatcher.finish("w:1", only(first).getTaskId());
    dispatcher.advance(LONG);

    assertThat(watch.last().getIterationFinished()).isFalse();
    assertThat(watch.last().getLostTasksList()).isEmpty();
    assertThat(watch.last().getSilentWorkersList()).containsExactly("w:2");
    dispatcher.network().thaw("w:2");
    dispatcher.advance(LONG);
    dispatcher.finish("w:2", only(second).getTaskId());
    assertThat(watch.last().getIterationFinished()).isTrue();
  }

  @Test
  void lostWorkersPlace_canBeTaken_andItsShareBegunAnew() {
    restart(withWorkers("host", "w:2"));
    FakeWorkerNetwork.Node lost = dispatcher.startWorker("host:1");
    FakeWorkerNetwork.Node other = dispatcher.startWorker("w:2");
    long client = read(ShardingPolicy.DATA);
    long left = only(lost).getTaskId();
    dispatcher.network().stop("host:1");
    assertFails(StatusCode.FAILED_PRECONDITION, () -> dispatcher.startWorker("host:7"));
    dispatcher.advance(LONG);
    FakeWorkerNetwork.Node next = dispatcher.startWorker("host:7");

    assertShare(only(next), 2, 0);
    dispatcher.finish("host:1", left);
    dispatcher.finish("w:2", only(other).getTaskId());
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
    dispatcher.finish("host:7", only(next).getTaskId());
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
    dispatcher.network().start("host:1");
    assertFails(StatusCode.FAILED_PRECONDITION, () -> dispatcher.heartbeat("host:1"));
  }

  @Test
  void workerThatHasReadItsShare_canTakeAnothersPlace_andItsShare() {
    restart(withWorkers("host", "host"));
    FakeWorkerNetwork.Node moving = dispatcher.startWorker("host:1");
    dispatcher.startWorker("host:2");
    long client = read(ShardingPolicy.DATA);
    dispatcher.finish("host:1", only(moving).getTaskId());
    dispatcher.network().stop("host:1");
    dispatcher.advance(LONG);
    FakeWorkerNetwork.Node next = dispatcher.startWorker("host:7");
    dispatcher.network().stop("host:2");
    dispatcher.advance(LONG);
    FakeWorkerNetwork.Node moved = dispatcher.startWorker("host:1");

    assertThat(next.tasks()).isEmpty();
    assertShare(only(moved), 2, 1);
    dispatcher.finish("host:1", only(moved).getTaskId());
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void workerWithoutAPlaceAnyMore_isGivenNoTasks_whateverAnswersAtItsAddress() {
    restart(withWorkers("host"));
    dispatcher.startWorker("host:1");
    dispatcher.network().stop("host:1");
    dispatcher.advance(LONG);
    FakeWorkerNetwork.Node next = dispatcher.startWorker("host:2");
    FakeWorkerNetwork.Node other = dispatcher.network().start("host:1");
    dispatcher.advance(LONG);

    long client = read(ShardingPolicy.OFF);

    assertThat(other.tasks()).isEmpty();
    dispatcher.finish("host:2", only(next).getTaskId());
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void share_whoseWorkerIsGoneForTooLong_failsItsReaders_untilItIsBack() {
    restart(waitingAMinute("w:1", "w:2"));
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    long client = read(ShardingPolicy.FILE);
    TestDispatcher.Watch watch = dispatcher.watch(client);
    dispatcher.network().stop("w:2");
    dispatcher.advance(Duration.ofSeconds(55));
    assertThat(watch.last().getUnservedSharesList()).isEmpty();
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();

    dispatcher.advance(LONG);

    String why =
        "share 1 of 2 of the dataset has been without a worker for too long: worker w:2 does not"
            + " answer";
    assertThat(watch.last().getUnservedSharesList()).containsExactly(why);
    assertFails(StatusCode.DEADLINE_EXCEEDED, () -> dispatcher.clientHeartbeat(client))
        .hasMessageContaining(why);
    dispatcher.network().start("w:2");
    dispatcher.advance(LONG);
    assertThat(watch.last().getUnservedSharesList()).isEmpty();
    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
  }

  @Test
  void share_whoseWorkerNeverCame_failsItsReaders() {
    restart(waitingAMinute("w:1", "w:2"));
    dispatcher.startWorker("w:1");
    long client = read(ShardingPolicy.DATA);
    TestDispatcher.Watch watch = dispatcher.watch(client);

    dispatcher.advance(Duration.ofSeconds(62));

    assertThat(watch.last().getUnservedSharesList())
        .containsExactly(
            "share 1 of 2 of the dataset has been without a worker for too long: worker w:2 of"
                + " worker_addresses is not there");
  }

  @Test
  void restartedDispatcher_waitsTheFullTimeAgain() {
    restart(waitingAMinute("w:1", "w:2"));
    dispatcher.startWorker("w:1");
    long client = read(ShardingPolicy.DATA);
    dispatcher.advance(Duration.ofSeconds(55));
    dispatcher.close();
    dispatcher = new TestDispatcher(waitingAMinuteFor("w:1", "w:2"), dispatcher.memory().reopen());
    dispatcher.network().start("w:1");
    TestDispatcher.Watch watch = dispatcher.watch(client);

    dispatcher.advance(Duration.ofSeconds(55));
    assertThat(watch.last().getUnservedSharesList()).isEmpty();
    dispatcher.advance(LONG);
    assertThat(watch.last().getUnservedSharesList()).hasSize(1);
  }

  private static DispatcherConfig waitingAMinuteFor(String... entries) {
    return config(entries).toBuilder().workerTimeout(Duration.ofMinutes(1)).build();
  }

  private static TestDispatcher waitingAMinute(String... entries) {
    return new TestDispatcher(waitingAMinuteFor(entries));
  }

  @Test
  void restart_keepsPlacesAndShares() {
    restart(withWorkers("host", "host"));
    dispatcher.startWorker("host:1");
    dispatcher.startWorker("host:2");
    read(ShardingPolicy.HINT);
    dispatcher.close();
    dispatcher = new TestDispatcher(config("host", "host"), dispatcher.memory().reopen());
    FakeWorkerNetwork.Node second = dispatcher.network().start("host:2");
    FakeWorkerNetwork.Node first = dispatcher.network().start("host:1");
    dispatcher.advance(LONG);

    assertShare(only(second), 2, 1);
    assertShare(only(first), 2, 0);
  }

  private long read(ShardingPolicy policy) {
    String dataset = dispatcher.register("RangeDataset");
    long job =
        dispatcher
            .stub()
            .getOrCreateJob(
                TestDispatcher.job(dataset).toBuilder()
                    .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicy(policy))
                    .build())
            .getJobId();
    return dispatcher.iterate(job, 0);
  }

  private static TaskDef only(FakeWorkerNetwork.Node worker) {
    assertThat(worker.tasks()).hasSize(1);
    return worker.tasks().values().iterator().next();
  }

  private static void assertShare(TaskDef task, long workers, long index) {
    assertThat(task.getNumWorkers()).isEqualTo(workers);
    assertThat(task.getWorkerIndex()).isEqualTo(index);
  }

  private void restart(TestDispatcher next) {
    dispatcher.close();
    dispatcher = next;
  }

  private static TestDispatcher withWorkers(String... entries) {
    return new TestDispatcher(config(entries));
  }

  private static DispatcherConfig config(String... entries) {
    return DispatcherConfig.builder().workerAddresses(List.of(entries)).build();
  }
}
