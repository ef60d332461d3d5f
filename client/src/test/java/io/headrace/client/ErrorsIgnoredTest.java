package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.tensor.DataType;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers and workers count the elements that ignoreErrors leaves out. */
@Timeout(120)
final class ErrorsIgnoredTest {
  private static final long N = 300;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  private final ReadStatistics statistics = new ReadStatistics();

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
  }

  /** {@link #N} elements, of which the first fails. */
  private static Dataset failingOnce() {
    return Dataset.range(N).map(x -> x.cast(DataType.INT32)).map(x -> x.mul(0).floorDiv(x));
  }

  /** Reads all elements, and returns how many the iterator says were left out. */
  private long readAll(Dataset dataset, DistributeOptions options) {
    try (ElementIterator elements =
        dataset
            .apply(DataService.distribute(options.withStatistics(statistics), dispatcher.target()))
            .iterator()) {
      while (elements.hasNext()) {
        var _ = elements.next();
      }
      return elements.errorsIgnored();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Transfer.class,
      names = {"STREAM", "LOCAL", "GRPC"})
  void errorsOnAWorker_areCountedByReaderAndWorker(Transfer transfer) {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC).withTransfer(transfer);

    assertThat(readAll(failingOnce().repeat(3).ignoreErrors(), options)).isEqualTo(3);
    assertThat(statistics.errorsIgnored()).isEqualTo(3);
    assertThat(statistics.elements()).isEqualTo(3 * (N - 1));
    assertThat(worker.counts().errorsIgnored()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(ServiceCompression.class)
  void unaryCalls_tellErrorsBeforeTheEnd(ServiceCompression compression) {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
            .withTransfer(Transfer.GRPC)
            .withCompression(compression)
            .withStatistics(statistics);
    Dataset more = Dataset.range(1).map(x -> x.cast(DataType.INT32)).repeat(-1);
    Dataset endless = failingOnce().ignoreErrors().concatenate(more);
    try (ElementIterator elements = read(endless, options)) {
      for (int i = 0; i < N; i++) {
        var _ = elements.next();
      }

      assertThat(elements.errorsIgnored()).isEqualTo(1);
    }
  }

  @Test
  void consumersInStep_countErrors() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
            .withJobName("in step")
            .withConsumers(0, 1)
            .withStatistics(statistics);
    try (ElementIterator elements = read(failingOnce().repeat(-1).ignoreErrors(), options)) {
      for (int i = 0; i < N; i++) {
        var _ = elements.next();
      }

      assertThat(elements.errorsIgnored()).isPositive();
      assertThat(statistics.errorsIgnored()).isEqualTo(elements.errorsIgnored());
    }
  }

  private ElementIterator read(Dataset dataset, DistributeOptions options) {
    return dataset.apply(DataService.distribute(options, dispatcher.target())).iterator();
  }

  @Test
  void errorsBehindDistribute_areCountedByTheIterator() {
    try (ElementIterator elements =
        failingOnce()
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC).withStatistics(statistics),
                    dispatcher.target()))
            .ignoreErrors()
            .iterator()) {
      while (elements.hasNext()) {
        var _ = elements.next();
      }

      assertThat(elements.errorsIgnored()).isEqualTo(1);
      assertThat(statistics.errorsIgnored()).isZero();
      assertThat(worker.counts().errorsIgnored()).isZero();
    }
  }
}
