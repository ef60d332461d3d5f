package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our readers of a job whose elements several trainers get through the workers' caches. */
@Timeout(180)
final class CachedJobClientTest {
  private final DispatchServer dispatcher =
      DispatchServer.start(DispatcherConfig.builder().build());
  private final List<WorkerServer> workers = new ArrayList<>();
  private final List<ElementIterator> readers = new ArrayList<>();

  CachedJobClientTest() {
    startWorker(0, 10L << 30);
  }

  @AfterEach
  void stop() {
    readers.forEach(ElementIterator::close);
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  @ParameterizedTest
  @EnumSource(Transfer.class)
  void eachTrainer_getsAllElements(Transfer transfer) {
    ElementIterator a = read(options("a").withTransfer(transfer));
    assertThat(take(a, 1000)).isEqualTo(numbers(0, 1000));

    assertThat(take(read(options("b").withTransfer(transfer)), 1000)).isEqualTo(numbers(0, 1000));
    assertThat(take(a, 1000)).isEqualTo(numbers(1000, 2000));
  }

  @Test
  void trainersOfBothTransfers_shareOneCache() {
    assertThat(take(read(options("a").withTransfer(Transfer.GRPC)), 500))
        .isEqualTo(numbers(0, 500));

    assertThat(take(read(options("b").withTransfer(Transfer.STREAM)), 1000))
        .isEqualTo(numbers(0, 1000));
    assertThat(take(read(options("c").withTransfer(Transfer.GRPC)), 1000))
        .isEqualTo(numbers(0, 1000));
  }

  @Test
  void slowTrainer_skipsWhatHasLeftTheWindow() {
    workers.removeLast().close();
    startWorker(0, 100_000);
    List<Long> fast = take(read(options("fast")), 100_000);
    assertThat(fast).isEqualTo(numbers(0, 100_000));

    List<Long> late = take(read(options("late")), 50_000);
    assertThat(late.getFirst()).isGreaterThan(50_000);
    assertThat(late).isEqualTo(numbers(late.getFirst(), late.getFirst() + 50_000));
  }

  @Test
  void workerThatStartsAgain_isReadFromTheBeginning() {
    ElementIterator reader = read(options("a"));
    assertThat(take(reader, 1000)).isEqualTo(numbers(0, 1000));
    int port = workers.getLast().port();
    workers.removeLast().close();
    startWorker(port, 10L << 30);

    List<Long> again = new ArrayList<>();
    while (again.size() < 1000) {
      long element = take(reader, 1).getFirst();
      if (element < 1000) { // others had arrived before
        again.add(element);
      }
    }
    assertThat(again).isEqualTo(numbers(0, 1000));
    assertThat(take(read(options("b")), 1000)).isEqualTo(numbers(0, 1000));
  }

  @Test
  void datasetWithAnEnd_isRefused() {
    ElementIterator reader = read(options("a"), Dataset.range(10));

    assertThatThrownBy(reader::next)
        .hasMessageContaining(
            "Cross-trainer caching requires the input dataset to be infinite. Got input with"
                + " cardinality 10");
  }

  @Test
  void secondPass_isRefused() {
    Dataset cached = endless().apply(DataService.distribute(options("a"), dispatcher.target()));
    readers.add(cached.iterator());
    assertThat(take(readers.getLast(), 1)).containsExactly(0L);
    readers.add(cached.iterator());

    assertThatThrownBy(readers.getLast()::next)
        .hasMessageContaining("disallows multiple repetitions of the same dataset.");
  }

  @Test
  void jobWithoutAName_isRefused() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withCrossTrainerCache("a");

    assertThatThrownBy(() -> read(options))
        .hasMessageContaining("Cross-trainer caching requires named jobs.");
  }

  @Test
  void consumersInStep_areRefused() {
    assertThatThrownBy(() -> read(options("a").withConsumers(0, 2)))
        .hasMessageContaining("Cross-trainer caching does not support coordinated reads.");
  }

  @Test
  void trainerWithoutAnId_isRefused() {
    assertThatThrownBy(() -> options(""))
        .hasMessageContaining("cross-trainer cache requires a non-empty trainer ID.");
  }

  @Test
  void readerWithoutTheCache_isRefused() {
    assertThat(take(read(options("a")), 1)).containsExactly(0L);
    ElementIterator other =
        read(DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withJobName("cached"));

    assertThatThrownBy(other::next)
        .hasMessageContaining("Existing cross-trainer cache: <enabled>; got <disabled>.");
  }

  @Test
  void exactlyOnce_isRefused_andThereAreNoCheckpoints() {
    ElementIterator strict = read(options("a").withGuarantee(Guarantee.EXACTLY_ONCE));
    assertThatThrownBy(strict::next).hasMessageContaining("cross-trainer cache");

    ReadStatistics statistics = new ReadStatistics();
    ElementIterator reader = read(options("a").withStatistics(statistics));
    assertThat(take(reader, 1)).containsExactly(0L);
    assertThat(statistics.guarantee()).isEqualTo(Optional.of(Guarantee.AT_MOST_ONCE));
    assertThatThrownBy(reader::checkpoint)
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("cross-trainer cache");
  }

  private void startWorker(int port, long cacheBytes) {
    workers.add(
        WorkerServer.start(
            WorkerConfig.forDispatcher(dispatcher.address())
                .withPort(port)
                .withCrossTrainerCacheSizeBytes(cacheBytes)));
  }

  private static DistributeOptions options(String trainer) {
    return DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
        .withJobName("cached")
        .withTaskRefreshInterval(Duration.ofMillis(20))
        .withCrossTrainerCache(trainer);
  }

  private static Dataset endless() {
    return Dataset.range(1L << 40).repeat(-1);
  }

  private ElementIterator read(DistributeOptions options) {
    return read(options, endless());
  }

  private ElementIterator read(DistributeOptions options, Dataset dataset) {
    readers.add(dataset.apply(DataService.distribute(options, dispatcher.target())).iterator());
    return readers.getLast();
  }

  private static List<Long> take(ElementIterator reader, int count) {
    List<Long> elements = new ArrayList<>();
    while (elements.size() < count) {
      elements.add(reader.next().tensor().integer(0));
    }
    return elements;
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }
}
