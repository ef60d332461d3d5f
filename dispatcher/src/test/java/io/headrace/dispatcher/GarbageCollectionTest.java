package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class GarbageCollectionTest {
  private final TestDispatcher dispatcher =
      new TestDispatcher(
          DispatcherConfig.builder()
              .jobGcCheckInterval(Duration.ofSeconds(1))
              .jobGcTimeout(Duration.ofSeconds(20))
              .clientTimeout(Duration.ofSeconds(10))
              .build());

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void client_thatFallsSilent_isReleased() {
    long client = dispatcher.read("RangeDataset");
    dispatcher.clientHeartbeat(client);

    dispatcher.advance(Duration.ofSeconds(12));

    assertFails(StatusCode.NOT_FOUND, () -> dispatcher.clientHeartbeat(client));
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
  void iteration_collectedUnfinished_isMadeAnewForWhoeverAsks() {
    FakeNetwork.Node worker = dispatcher.startWorker("w:1");
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

    dispatcher.advance(Duration.ofSeconds(21));

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
