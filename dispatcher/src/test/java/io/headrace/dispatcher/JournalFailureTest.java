package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.TaskFinished;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JournalFailureTest {
  private static final Duration REFUSALS = Duration.ofSeconds(3);

  private final TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void reply_leavesOnlyWhenItsRecordsAreDurable() throws InterruptedException, ExecutionException {
    dispatcher.journal().hold();
    Future<GetOrRegisterDatasetResponse> reply = register();

    assertThat(reply.isDone()).isFalse();
    dispatcher.journal().release();
    assertThat(reply.get().getDatasetId()).isEqualTo("1000");
  }

  @Test
  void requests_thatWaitTogether_areOneBatch() {
    dispatcher.journal().hold();
    List<Future<?>> replies = List.of(register(), register(), register(), register());
    dispatcher.journal().failNextAppend();

    dispatcher.journal().release();

    assertThat(replies.get(0).state()).isEqualTo(Future.State.FAILED);
    assertThat(replies.subList(1, 4))
        .allSatisfy(reply -> assertThat(reply.state()).isEqualTo(Future.State.SUCCESS));
    // The failed append, the probe of the journal, and the batch of three.
    assertThat(dispatcher.journal().appends()).isEqualTo(3);
  }

  @Test
  void readOnlyRequest_thatMayHaveSeenUndurableState_waitsForIt() {
    dispatcher.journal().hold();
    var _ = register();
    Future<?> request =
        dispatcher
            .futures()
            .getDataServiceMetadata(
                GetDataServiceMetadataRequest.newBuilder().setDatasetId("1000").build());

    assertThat(request.isDone()).isFalse();
    dispatcher.journal().release();
    assertThat(request.isDone()).isTrue();
  }

  @Test
  void failedAppend_isUnavailableAndLeavesNoTrace() {
    dispatcher.journal().failNextAppend();

    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.register("RangeDataset"));
    assertThat(dispatcher.statistics().numDatasets()).isZero();
    assertThat(dispatcher.register("RangeDataset")).isEqualTo("1000");
  }

  @Test
  void failedAppend_whoseRecordsAreKept_isThereAfterTheRebuild() {
    dispatcher.journal().failNextAppendButKeepIt();

    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.register("RangeDataset"));
    assertThat(dispatcher.register("RangeDataset")).isEqualTo("1001");
  }

  @Test
  void failedAppend_tellsNoWorkerOfTheTask() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"));
    dispatcher.journal().failNextAppend();

    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.iterate(job, 1));
    assertThat(worker.tasks()).isEmpty();
  }

  @Test
  void failedAppend_whileTasksEnd_losesNothingInTheEnd() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");
    dispatcher.journal().failNextAppend();
    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.finish("w:1", 4000));

    dispatcher.finish("w:1", 4000);

    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isTrue();
  }

  @Test
  void loss_whoseAppendFails_leavesWorkersProbed() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    var _ = dispatcher.read("RangeDataset");
    dispatcher.network().stop("w:1");
    dispatcher.journal().failNextAppend();
    dispatcher.advance(REFUSALS.plusSeconds(1));
    assertThat(dispatcher.statistics().numTasksLost()).isEqualTo(1);

    dispatcher.network().stop("w:2");
    dispatcher.advance(REFUSALS);

    assertThat(dispatcher.statistics().lostWorkers()).containsExactly("w:1", "w:2");
  }

  @Test
  void restart_goesOnWhereItStopped() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");
    try (TestDispatcher restarted = restart(dispatcher.memory())) {
      restarted.finish("w:1", 4000);

      assertThat(restarted.clientHeartbeat(client).getIterationFinished()).isTrue();
    }
  }

  @Test
  void restart_corruptJournal_isDataLossNamingTheRecord() {
    InMemoryJournal memory = new InMemoryJournal();
    memory.append(List.of("no record".getBytes(StandardCharsets.UTF_8))).join();

    assertFails(StatusCode.DATA_LOSS, () -> restart(memory))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("journal record 1");
  }

  @Test
  void restart_journalThatContradictsItself_isDataLoss() {
    InMemoryJournal memory = new InMemoryJournal();
    byte[] record =
        JournalRecord.newBuilder()
            .setTaskFinished(TaskFinished.newBuilder().setTaskId(9))
            .build()
            .toByteArray();
    memory.append(List.of(record)).join();

    assertFails(StatusCode.DATA_LOSS, () -> restart(memory)).hasMessageContaining("TASK_FINISHED");
  }

  private static TestDispatcher restart(InMemoryJournal memory) {
    return new TestDispatcher(DispatcherConfig.defaults(), memory.reopen());
  }

  private ListenableFuture<GetOrRegisterDatasetResponse> register() {
    return dispatcher.futures().getOrRegisterDataset(TestDispatcher.dataset("RangeDataset"));
  }
}
