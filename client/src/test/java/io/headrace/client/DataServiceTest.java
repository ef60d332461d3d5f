package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A dispatcher and workers on real ports of this process, and a reader of their elements. */
@Timeout(60)
final class DataServiceTest {
  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final List<WorkerServer> workers = new ArrayList<>();

  @AfterEach
  void stop() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  @Test
  void distribute_withOneWorker_givesTheElementsInOrder() {
    startWorkers(1);

    assertThat(longs(distributed(Dataset.range(10))))
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
  }

  @Test
  void distribute_withTwoWorkers_givesEachElementTwice() {
    startWorkers(2);

    assertThat(longs(distributed(Dataset.range(3))))
        .containsExactlyInAnyOrder(0L, 0L, 1L, 1L, 2L, 2L);
  }

  @Test
  void iterator_openedAgain_isTheNextRepetition() {
    startWorkers(1);
    Dataset numbers = distributed(Dataset.range(2));

    assertThat(longs(numbers)).containsExactly(0L, 1L);
    assertThat(longs(numbers)).containsExactly(0L, 1L);
  }

  @Test
  void repeat_afterDistribute_readsAnIterationEachTime() {
    startWorkers(1);

    assertThat(longs(distributed(Dataset.range(2)).repeat(3)))
        .containsExactly(0L, 1L, 0L, 1L, 0L, 1L);
  }

  @Test
  void map_afterDistribute_runsHere() {
    startWorkers(1);

    assertThat(longs(distributed(Dataset.range(3)).map(x -> x.mul(2)))).containsExactly(0L, 2L, 4L);
  }

  @Test
  void dynamicSharding_givesEachElementOnce_inEachRepetition() {
    startWorkers(3);
    Dataset shared =
        Dataset.range(20_000)
            .map(x -> x.mul(2))
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC), dispatcher.target()));

    List<Long> all = LongStream.range(0, 20_000).map(x -> 2 * x).boxed().toList();
    assertThat(longs(shared).stream().sorted().toList()).isEqualTo(all);
    assertThat(longs(shared).stream().sorted().toList()).isEqualTo(all);
  }

  @Test
  void dynamicSharding_workerThatJoinsLate_hasItsShare() {
    startWorkers(1);
    Dataset shared =
        Dataset.range(1_000_000)
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC), dispatcher.target()));
    List<Long> values = new ArrayList<>();
    try (ElementIterator elements = shared.iterator()) {
      for (int i = 0; i < 10; i++) {
        values.add(elements.next().tensor().integer(0));
      }
      startWorkers(1);
      elements.forEachRemaining(element -> values.add(element.tensor().integer(0)));
    }

    assertThat(values).hasSize(1_000_000).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(names = {"DATA", "FILE_OR_DATA"})
  void staticSharding_givesEachElementOnce_inEachRepetition(ProcessingMode mode) {
    try (Shards shards = new Shards()) {
      Dataset numbers = shards.distribute(mode, Dataset.range(1001).map(x -> x.add(5)));

      List<Long> all = LongStream.range(5, 1006).boxed().toList();
      assertThat(longs(numbers)).containsExactlyInAnyOrderElementsOf(all);
      assertThat(longs(numbers)).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  @Test
  void staticSharding_byHint_isWhereTheDatasetSays() {
    try (Shards shards = new Shards()) {
      Dataset hinted = Dataset.range(20).shard(Dataset.SHARD_HINT, 0).repeat(2);
      List<Long> read = longs(shards.distribute(ProcessingMode.HINT, hinted));

      assertThat(read).hasSize(40);
      assertThat(read.stream().distinct()).hasSize(20);
    }
  }

  @Test
  void staticSharding_byFilesWithoutFiles_isNotFound() {
    try (Shards shards = new Shards()) {
      Dataset numbers = shards.distribute(ProcessingMode.FILE, Dataset.range(20));

      assertThatThrownBy(() -> longs(numbers))
          .hasMessageContaining("unshardable source dataset")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.NOT_FOUND);
    }
  }

  @Test
  void staticSharding_withoutAListOfWorkers_isNotFound() {
    startWorkers(1);
    Dataset numbers =
        Dataset.range(20).apply(DataService.distribute(ProcessingMode.DATA, dispatcher.target()));

    assertThatThrownBy(() -> longs(numbers))
        .hasMessageContaining("worker_addresses")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  /** A dispatcher with a fixed list of two workers, and the workers. */
  private static final class Shards implements AutoCloseable {
    private final DispatchServer dispatcher =
        DispatchServer.start(
            DispatcherConfig.builder().workerAddresses(List.of("localhost", "localhost")).build());

    private final WorkerServer first =
        WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));

    private final WorkerServer second =
        WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));

    Dataset distribute(ProcessingMode mode, Dataset dataset) {
      return dataset.apply(DataService.distribute(mode, dispatcher.target()));
    }

    @Override
    public void close() {
      first.close();
      second.close();
      dispatcher.close();
    }
  }

  @Test
  void distribute_byUnaryCalls_givesTheSame() {
    startWorkers(1);
    DistributeOptions unary = options().withTransfer(Transfer.GRPC);

    assertThat(longs(Dataset.range(5).apply(DataService.distribute(unary, dispatcher.target()))))
        .containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void distribute_byUnaryCallsUncompressed_givesTheSame() {
    startWorkers(1);
    DistributeOptions unary =
        options().withTransfer(Transfer.GRPC).withCompression(ServiceCompression.NONE);

    assertThat(longs(Dataset.range(5).apply(DataService.distribute(unary, dispatcher.target()))))
        .containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void distribute_withFewOutstandingRequests_givesTheSame() {
    startWorkers(3);
    DistributeOptions few = options().withMaxOutstandingRequests(1);

    assertThat(longs(Dataset.range(50).apply(DataService.distribute(few, dispatcher.target()))))
        .hasSize(150);
    assertThat(few.statistics().guarantee()).hasValue(Guarantee.AT_MOST_ONCE);
  }

  @Test
  void fromDatasetId_readsWhatWasRegistered() {
    startWorkers(1);
    String id =
        DataService.registerDataset(dispatcher.target(), Dataset.range(3).map(x -> x.neg()));

    assertThat(longs(DataService.fromDatasetId(options(), dispatcher.target(), id)))
        .containsExactly(0L, -1L, -2L);
  }

  @Test
  void jobName_ofTwoReaders_dividesTheElements() {
    startWorkers(1);
    DistributeOptions shared = options().withJobName("shared");
    String id = DataService.registerDataset(dispatcher.target(), Dataset.range(50_000));

    var first = CompletableFuture.supplyAsync(() -> longs(fromId(shared, id)));
    List<Long> seen = new ArrayList<>(longs(fromId(shared, id)));
    seen.addAll(first.join());

    assertThat(seen).hasSize(50_000).doesNotHaveDuplicates();
  }

  private Dataset fromId(DistributeOptions options, String id) {
    return DataService.fromDatasetId(options, dispatcher.target(), id);
  }

  @Test
  void workerThatJoinsInMidIteration_isReadFrom() {
    startWorkers(1);
    DistributeOptions options = options();
    Dataset numbers =
        Dataset.range(1000).repeat(-1).apply(DataService.distribute(options, dispatcher.target()));
    try (var elements = numbers.iterator()) {
      elements.next();
      startWorkers(1);
      while (options.statistics().elementsByWorker().size() < 2) {
        elements.next();
      }
    }
    assertThat(options.statistics().elementsByWorker()).hasSize(2);
  }

  @Test
  void statistics_countWhatWasRead() {
    startWorkers(1);
    DistributeOptions options = options();

    longs(Dataset.range(100).apply(DataService.distribute(options, dispatcher.target())));

    assertThat(options.statistics().elements()).isEqualTo(100);
    assertThat(options.statistics().bytes()).isEqualTo(800);
  }

  private static DistributeOptions options() {
    return DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS);
  }

  @Test
  void readersThatResumeTogether_needANameOfTheirJob() {
    Checkpoint checkpoint = Checkpoint.ofJson("{format: 2, repetitions: [{repetition: 1}]}");
    DistributeOptions second = options().resumedFrom(checkpoint, 1, 2);

    assertThatThrownBy(
            () -> Dataset.range(4).apply(DataService.distribute(second, dispatcher.target())))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("withJobName")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  private Dataset distributed(Dataset dataset) {
    return dataset.apply(
        DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
  }

  private void startWorkers(int count) {
    for (int i = 0; i < count; i++) {
      workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
    }
  }

  private static List<Long> longs(Dataset dataset) {
    List<Long> all = new ArrayList<>();
    for (Element element : dataset) {
      all.add(element.asLong());
    }
    return all;
  }
}
