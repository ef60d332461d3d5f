package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The failure that a reader gets if the worker of a static shard is gone. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class LostShardTest {
  @Test
  void readerOfAShareWhoseWorkerIsGone_failsNamingIt() {
    DispatcherConfig config =
        DispatcherConfig.builder()
            .workerAddresses(List.of("localhost", "localhost"))
            .workerTimeout(Duration.ofSeconds(3))
            .build();
    try (DispatchServer dispatcher = DispatchServer.start(config);
        WorkerServer stays = startWorker(dispatcher)) {
      WorkerServer goes = startWorker(dispatcher);
      Dataset endless =
          Dataset.range(10)
              .repeat(-1)
              .apply(
                  DataService.distribute(
                      DistributeOptions.of(ProcessingMode.DATA), dispatcher.target()));
      String gone = goes.address();
      try (ElementIterator elements = endless.iterator()) {
        assertThat(elements.next().tensor().integer(0)).isBetween(0L, 9L);
        goes.close();
        assertThatThrownBy(() -> elements.forEachRemaining(_ -> {}))
            .isInstanceOfSatisfying(
                StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
            .hasMessageContaining("worker " + gone + " does not answer");
      }
      assertThat(stays.address()).isNotEqualTo(gone);
    }
  }

  private static WorkerServer startWorker(DispatchServer dispatcher) {
    return WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  }
}
