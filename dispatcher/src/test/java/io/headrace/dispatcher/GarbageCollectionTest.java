package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class GarbageCollectionTest {
  private static final DispatcherConfig CONFIG =
      DispatcherConfig.builder()
          .jobGcCheckInterval(Duration.ofSeconds(1))
          .jobGcTimeout(Duration.ofSeconds(20))
          .clientTimeout(Duration.ofSeconds(10))
          .jobTombstoneTimeout(Duration.ofSeconds(100))
          .datasetGcTimeout(Duration.ofSeconds(300))
          .build();

  private final TestDispatcher dispatcher = new TestDispatcher(CONFIG);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void datasets_beyondHalfTheLimit_areForgotten_longestUnusedFirst_butNoneOfAJob() {
    DispatcherLimits roomForEight =
        new DispatcherLimits(8, 1_000_000, 100, 1000, 1000, 1000, 1000, 1000, 1000);
    try (TestDispatcher small = new TestDispatcher(CONFIG, new InMemoryJournal(), roomForEight)) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        ids.add(small.register("RangeDataset"));
        small.advance(Duration.ofSeconds(2));
      }
      var _ = small.createJob(ids.getFirst(), "named");
      assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> small.register("RangeDataset"));

      small.advance(Duration.ofSeconds(25));

      assertThat(ids.stream().filter(id -> isThere(small, id)))
          .containsExactly(ids.get(0), ids.get(5), ids.get(6), ids.get(7));
      assertThat(small.register("RangeDataset")).isNotIn(ids);
    }
  }

  private static boolean isThere(TestDispatcher dispatcher, String datasetId) {
    return dispatcher.snapshot().stream()
        .anyMatch(record -> record.getDatasetRegistered().getDatasetId().equals(datasetId));
  }

  @Test
  void client_thatFallsSilent_isReleased() {
    long client = dispatcher.read("RangeDataset");
    dispatcher.clientHeartbeat(client);

    dispatcher.advance(Duration.ofSeconds(12));

    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.clientHeartbeat(client));
  }

  @Test
  void client_isKeptUntilAStockChannelConnectsAgain_afterTheDispatcherWasAway() {
    InMemoryJournal journal = new InMemoryJournal();
    long client;
    try (TestDispatcher before = new TestDispatcher(CONFIG, journal)) {
      client = before.read("RangeDataset");
      before.clientHeartbeat(client);
    }
    try (TestDispatcher after = new TestDispatcher(CONFIG, journal.reopen())) {
      after.advance(Duration.ofSeconds(160));
      assertThat(after.clientHeartbeat(client).getIterationFinished()).isFalse();

      after.advance(Duration.ofSeconds(25));
      assertFails(StatusCode.NOT_FOUND, () -> after.clientHeartbeat(client));
    }
  }

  @Test
  void client_thatGoesOn_isKept() {
    long client = dispatcher.read("RangeDataset");
    for (int i = 0; i < 10; i++) {
      dispatcher.clientHeartbeat(client);
      dispatcher.advance(Duration.ofSeconds(5));
    }

    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
  }

  @Test
  void client_whoseHeartbeatWaitsForTheJournal_isKept() {
    long client = dispatcher.read("RangeDataset");
    dispatcher.clientHeartbeat(client);
    dispatcher.advance(Duration.ofSeconds(9));
    dispatcher.journal().hold();
    var _ = dispatcher.futures().getOrRegisterDataset(TestDispatcher.dataset("TensorDataset"));
    dispatcher.advance(Duration.ofSeconds(5));
    var heartbeat =
        dispatcher
            .futures()
            .clientHeartbeat(
                ClientHeartbeatRequest.newBuilder().setIterationClientId(client).build());
    dispatcher.advance(Duration.ofSeconds(5));

    dispatcher.journal().release();

    assertThat(Futures.getUnchecked(heartbeat).getIterationFinished()).isFalse();
  }

  @Test
  void client_thatDidNotBeginYet_isKept() {
    long client = dispatcher.read("RangeDataset");

    dispatcher.advance(Duration.ofMinutes(10));

    assertThat(dispatcher.clientHeartbeat(client).getIterationFinished()).isFalse();
  }

  @Test
  void iteration_leftByItsClients_isCollectedAndItsTasksDeleted() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "named");
    dispatcher.release(dispatcher.iterate(job, 1));

    dispatcher.advance(Duration.ofSeconds(21));

    assertThat(dispatcher.heartbeat("w:1", 4000L).getTasksToDeleteList()).containsExactly(4000L);
    assertThat(dispatcher.statistics().numUnfinishedIterations()).isZero();
  }

  @Test
  void iteration_collectedUnfinished_isCreatedAnewOnRequest() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "named");
    dispatcher.release(dispatcher.iterate(job, 1));
    dispatcher.advance(Duration.ofSeconds(21));

    dispatcher.iterate(job, 1);

    assertThat(worker.tasks().get(4001L)).isNotNull();
  }

  @Test
  void iteration_collectedFinished_staysFinishedForLateClients() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "named");
    long client = dispatcher.iterate(job, 1);
    dispatcher.finish("w:1", 4000);
    dispatcher.release(client);
    dispatcher.advance(Duration.ofSeconds(21));

    assertThat(dispatcher.clientHeartbeat(dispatcher.iterate(job, 1)).getIterationFinished())
        .isTrue();
  }

  @Test
  void finishedRepetition_isEmptyForLateClients_afterARestart() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "named");
    readToItsEnd(job, 1, 4000);
    readToItsEnd(job, 2, 4001);

    try (TestDispatcher next =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      assertThat(next.clientHeartbeat(next.iterate(job, 2)).getIterationFinished()).isTrue();
      assertThat(next.clientHeartbeat(next.iterate(job, 3)).getIterationFinished()).isFalse();
    }
  }

  @Test
  void finishedRepetition_isRestoredFromASnapshot() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "named");
    readToItsEnd(job, 1, 4000);

    List<byte[]> snapshot = dispatcher.snapshot().stream().map(JournalRecord::toByteArray).toList();
    var _ = dispatcher.memory().compact(snapshot);

    try (TestDispatcher next =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      assertThat(next.clientHeartbeat(next.iterate(job, 1)).getIterationFinished()).isTrue();
    }
  }

  @Test
  void unusedNamedJob_isForgottenAfterTheTombstoneTimeout() {
    dispatcher.startWorker("w:1");
    String dataset = dispatcher.register("RangeDataset");
    long job = dispatcher.createJob(dataset, "named");
    readToItsEnd(job, 1, 4000);

    dispatcher.advance(Duration.ofSeconds(90));
    assertThat(dispatcher.createJob(dataset, "named")).isEqualTo(job);
    dispatcher.advance(Duration.ofSeconds(20));

    assertThat(dispatcher.createJob(dataset, "named")).isNotEqualTo(job);
  }

  @Test
  void namedJob_withSplitsLeft_isKept() {
    long job =
        dispatcher
            .stub()
            .getOrCreateJob(
                TestDispatcher.dynamicJob(dispatcher.register(Dataset.range(10))).toBuilder()
                    .setJobName("named")
                    .build())
            .getJobId();
    dispatcher.release(dispatcher.iterate(job, 1));

    dispatcher.advance(Duration.ofSeconds(200));

    assertThat(dispatcher.statistics().numJobs()).isEqualTo(1);
  }

  @Test
  void unusedDataset_isForgotten() {
    String dataset = dispatcher.register("RangeDataset");

    dispatcher.advance(Duration.ofSeconds(302));

    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.createJob(dataset));
    assertThat(dispatcher.register("RangeDataset")).isNotEqualTo(dataset);
  }

  @Test
  void dataset_isForgottenSoonAfterItsTimeout() {
    DispatcherConfig config =
        DispatcherConfig.builder().datasetGcTimeout(Duration.ofSeconds(30)).build();
    try (TestDispatcher quick = new TestDispatcher(config)) {
      String dataset = quick.register("RangeDataset");
      quick.advance(Duration.ofSeconds(25));
      assertThat(isThere(quick, dataset)).isTrue();

      quick.advance(Duration.ofSeconds(20));

      assertThat(isThere(quick, dataset)).isFalse();
    }
  }

  @Test
  void dataset_ofAJob_isKept() {
    dispatcher.startWorker("w:1");
    String dataset = dispatcher.register("RangeDataset");
    long client = dispatcher.iterate(dispatcher.createJob(dataset), 1);
    for (int i = 0; i < 100; i++) {
      dispatcher.clientHeartbeat(client);
      dispatcher.advance(Duration.ofSeconds(5));
    }

    assertThat(dispatcher.statistics().numDatasets()).isEqualTo(1);
  }

  private void readToItsEnd(long job, long repetition, long task) {
    long client = dispatcher.iterate(job, repetition);
    dispatcher.finish("w:1", task);
    dispatcher.release(client);
    dispatcher.advance(Duration.ofSeconds(2));
  }

  @Test
  void iteration_thatIsReadAgainInTime_isKept() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "named");
    dispatcher.release(dispatcher.iterate(job, 1));
    dispatcher.advance(Duration.ofSeconds(15));
    long client = dispatcher.iterate(job, 1);
    dispatcher.advance(Duration.ofSeconds(15));

    assertThat(dispatcher.clientHeartbeat(client).getTaskInfo(0).getTaskId()).isEqualTo(4000);
  }

  @Test
  void anonymousJob_left_isForgotten() {
    long client = dispatcher.read("RangeDataset");
    dispatcher.createJob("1000");
    dispatcher.release(client);

    dispatcher.advance(Duration.ofSeconds(21));

    assertThat(dispatcher.statistics().numJobs()).isZero();
  }

  @Test
  void anonymousJob_thatIsRead_isKept() {
    long client = dispatcher.read("RangeDataset");
    for (int i = 0; i < 10; i++) {
      dispatcher.clientHeartbeat(client);
      dispatcher.advance(Duration.ofSeconds(5));
    }

    assertThat(dispatcher.statistics().numJobs()).isEqualTo(1);
  }

  @Test
  void manyEpochs_leaveNothingBehind() {
    dispatcher.startWorker("w:1");
    String dataset = dispatcher.register("RangeDataset");
    for (int i = 0; i < 100; i++) {
      long client = dispatcher.iterate(dispatcher.createJob(dataset), 1);
      dispatcher.finish("w:1", 4000 + i);
      dispatcher.release(client);
    }

    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(dispatcher.statistics().numJobs()).isZero();
    assertThat(dispatcher.statistics().numClients()).isZero();
  }

  @Test
  void negativeTimeout_collectsNothing() {
    try (TestDispatcher never =
        new TestDispatcher(
            DispatcherConfig.builder().jobGcTimeout(Duration.ofMillis(-1)).build())) {
      long client = never.read("RangeDataset");
      never.clientHeartbeat(client);
      never.advance(Duration.ofHours(1));

      assertThat(never.clientHeartbeat(client).getIterationFinished()).isFalse();
    }
  }
}
