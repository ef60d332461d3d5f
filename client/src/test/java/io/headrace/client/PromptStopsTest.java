package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that are stopped do not wait for readers that are gone, or that watch. */
@Timeout(60)
final class PromptStopsTest {
  private static final Duration NOT_IN_A_TEST = Duration.ofDays(1);

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(
          WorkerConfig.forDispatcher(dispatcher.address()).withShutdownQuietPeriod(NOT_IN_A_TEST));

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
  }

  private ElementIterator begin(Transfer transfer) {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC)
            .withJobName("kept")
            .withGuarantee(Guarantee.AT_MOST_ONCE)
            .withTransfer(transfer);
    ElementIterator elements =
        Dataset.range(1_000_000_000)
            .apply(DataService.distribute(options, dispatcher.target()))
            .iterator();
    assertThat(elements.next()).isNotNull();
    return elements;
  }

  @ParameterizedTest
  @EnumSource(
      value = Transfer.class,
      names = {"STREAM", "GRPC", "LOCAL"})
  void worker_waitsForNoReaderThatHasClosed(Transfer transfer) {
    begin(transfer).close();

    worker.close();
  }

  @Test
  void dispatcher_endsTheCallsOfItsReaders_andRefusesThemAnew() {
    try (ElementIterator first = begin(Transfer.STREAM);
        ElementIterator second = begin(Transfer.STREAM)) {
      assertThat(first.next()).isNotNull();
      assertThat(second.next()).isNotNull();

      dispatcher.stop(NOT_IN_A_TEST);
    }
  }
}
