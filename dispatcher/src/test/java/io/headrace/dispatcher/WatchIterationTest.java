package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.IterationUpdates;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WatchIterationTest {
  private final TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void watch_sendsTheFullViewAtOnce() {
    dispatcher.startWorker("w:1");
    TestDispatcher.Watch watch = dispatcher.watch(dispatcher.read("RangeDataset"));

    assertThat(watch.told).hasSize(1);
    assertThat(watch.last().getTaskInfoList())
        .extracting(TaskInfo::getTaskId)
        .containsExactly(4000L);
  }

  @Test
  void watch_newWorker_isToldAtOnce() {
    TestDispatcher.Watch watch = dispatcher.watch(dispatcher.read("RangeDataset"));
    dispatcher.startWorker("w:1");

    assertThat(watch.told).hasSize(2);
    assertThat(watch.last().getTaskInfoCount()).isEqualTo(1);
  }

  @Test
  void watch_thatAcceptsChanges_isToldWhatChanged() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    TestDispatcher.Watch watch = dispatcher.watchChanges(dispatcher.read("RangeDataset"));
    dispatcher.finish("w:2", 4001);

    assertThat(watch.told.getFirst().getTaskInfoCount()).isEqualTo(2);
    assertThat(watch.last().getChangesOnly()).isTrue();
    assertThat(watch.last().getTaskInfoList())
        .extracting(TaskInfo::getTaskId)
        .containsExactly(4001L);
    assertThat(watch.last().getFinishedTaskIdsList()).containsExactly(4001L);
  }

  @Test
  void watch_whoseChangesAreMerged_knowsAll() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    long client = dispatcher.read("RangeDataset");
    TestDispatcher.Watch changes = dispatcher.watchChanges(client);
    dispatcher.startWorker("w:3");
    dispatcher.finish("w:2", 4001);
    dispatcher.network().stop("w:1");
    dispatcher.advance(Duration.ofSeconds(12));

    WatchIterationResponse merged =
        changes.told.stream()
            .reduce(WatchIterationResponse.getDefaultInstance(), IterationUpdates::merge);
    assertThat(merged).isEqualTo(dispatcher.watch(client).last());
    assertThat(merged.getLostTasksCount()).isEqualTo(1);
  }

  @Test
  void watch_endOfTheIteration_isToldAtOnceAndEndsTheStream() {
    dispatcher.startWorker("w:1");
    TestDispatcher.Watch watch = dispatcher.watch(dispatcher.read("RangeDataset"));
    dispatcher.finish("w:1", 4000);

    assertThat(watch.last().getIterationFinished()).isTrue();
    assertThat(watch.last().getFinishedTaskIdsList()).containsExactly(4000L);
    assertThat(watch.end).isCompletedWithValue(true);
  }

  @Test
  void watch_otherIterationsChanges_areNotTold() {
    dispatcher.startWorker("w:1");
    TestDispatcher.Watch watch = dispatcher.watch(dispatcher.read("RangeDataset"));
    dispatcher.read("RangeDataset");
    dispatcher.finish("w:1", 4001);

    assertThat(watch.told).hasSize(1);
  }

  @Test
  void watch_finishedIteration_tellsAndEnds() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");
    dispatcher.finish("w:1", 4000);

    assertThat(dispatcher.watch(client).end).isCompletedWithValue(true);
  }

  @Test
  void watch_unknownClient_isNotFound() {
    assertThat(codeOf(dispatcher.watch(1))).isEqualTo(StatusCode.NOT_FOUND);
  }

  @Test
  void watch_iterationThatNoWorkerMayRun_endsUnimplemented() {
    TestDispatcher.Watch watch = dispatcher.watch(dispatcher.read("OddDataset"));
    dispatcher.network().start("w:1");
    dispatcher.heartbeatKnowing("w:1", "RangeDataset");

    assertThat(codeOf(watch)).isEqualTo(StatusCode.UNIMPLEMENTED);
  }

  @Test
  void watch_again_takesThePlaceOfTheFirst() {
    long client = dispatcher.read("RangeDataset");
    TestDispatcher.Watch first = dispatcher.watch(client);
    TestDispatcher.Watch second = dispatcher.watch(client);

    assertThat(codeOf(first)).isEqualTo(StatusCode.ABORTED);
    assertThat(second.end).isNotDone();
  }

  @Test
  void watch_releasedClient_ends() {
    long client = dispatcher.read("RangeDataset");
    TestDispatcher.Watch watch = dispatcher.watch(client);
    dispatcher.release(client);

    assertThat(codeOf(watch)).isEqualTo(StatusCode.FAILED_PRECONDITION);
  }

  @Test
  void watch_countsAsASignOfLife() {
    long client = dispatcher.read("RangeDataset");
    TestDispatcher.Watch watch = dispatcher.watch(client);

    dispatcher.advance(Duration.ofMinutes(60));

    assertThat(watch.end).isNotDone();
    assertThat(dispatcher.statistics().numClients()).isEqualTo(1);
  }

  @Test
  void watch_leftWhileTooManyRequestsWait_endsLater_andItsClientIsTakenForGone() {
    DispatcherLimits oneWaits =
        new DispatcherLimits(1000, 1_000_000, 100, 1000, 1000, 1000, 1000, 1, 1000);
    try (TestDispatcher busy =
        new TestDispatcher(DispatcherConfig.defaults(), new InMemoryJournal(), oneWaits)) {
      long client = busy.read("RangeDataset");
      Context.CancellableContext caller = Context.current().withCancellation();
      caller.run(() -> busy.watch(client));
      busy.journal().hold();
      var _ = busy.futures().getOrRegisterDataset(TestDispatcher.dataset("TensorDataset"));
      var _ = busy.futures().getOrRegisterDataset(TestDispatcher.dataset("ZipDataset"));
      caller.cancel(null);
      busy.journal().release();
      assertThat(busy.statistics().numClients()).isEqualTo(1);

      busy.advance(Duration.ofMinutes(60));

      assertThat(busy.statistics().numClients()).isZero();
    }
  }

  @Test
  void watch_whileTheJournalIsSlow_tellsOnlyWhatIsDurable() {
    dispatcher.startWorker("w:1");
    TestDispatcher.Watch watch = dispatcher.watch(dispatcher.read("RangeDataset"));
    dispatcher.journal().hold();
    var _ = dispatcher.futures().workerUpdate(TestDispatcher.finished("w:1", 4000));

    assertThat(watch.told).hasSize(1);
    dispatcher.journal().release();
    assertThat(watch.last().getIterationFinished()).isTrue();
  }

  private static StatusCode codeOf(TestDispatcher.Watch watch) {
    StatusException failure = watch.failure;
    assertThat(failure).isNotNull();
    return failure.code();
  }
}
