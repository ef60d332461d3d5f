package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A dispatcher that restarts on its port and journal while readers read. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class DispatcherRestartTest {
  private static final long N = 20_000;

  @TempDir private Path workDir;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());

  @BeforeEach
  void start() {
    startDispatcher(0);
    startWorker();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable server : opened.reversed()) {
      server.close();
    }
    dispatcher.close();
  }

  @Test
  void iterator_inMidIteration_goesOnToItsEnd() {
    List<Long> values = new ArrayList<>();
    try (ElementIterator elements = read(options()).iterator()) {
      values.add(elements.next().asLong());
      restart();
      elements.forEachRemaining(element -> values.add(element.asLong()));
    }

    assertThat(values).containsExactlyElementsOf(LongStream.range(0, N).boxed().toList());
  }

  @Test
  void iterator_thatTheDispatcherHasForgotten_failsWithoutTheFramesOfItsTransport() {
    ElementIterator elements = read(options()).iterator();
    opened.add(elements);
    assertThat(elements.next().asLong()).isZero();
    int port = dispatcher.port();
    dispatcher.stop();
    dispatcher = DispatchServer.start(DispatcherConfig.builder().port(port).build());

    assertThatThrownBy(() -> elements.forEachRemaining(_ -> {}))
        .hasMessageContaining("does not know its earlier readers")
        .hasNoCause()
        .satisfies(e ->
            assertThat(e.getStackTrace())
                .noneMatch(frame -> frame.getClassName().startsWith("io.grpc")));
  }

  @Test
  void iterator_whileTheDispatcherIsAway_readsWhatTheWorkersHave() {
    try (ElementIterator elements = read(options()).iterator()) {
      elements.next();
      int port = dispatcher.port();
      dispatcher.stop();
      for (int i = 0; i < N - 1; i++) {
        elements.next();
      }
      startDispatcher(port);

      assertThat(elements.hasNext()).isFalse();
    }
  }

  @Test
  void nextPass_afterARestart_works() {
    Dataset numbers = read(options());
    assertThat(longs(numbers)).hasSize((int) N);
    restart();

    assertThat(longs(numbers)).hasSize((int) N);
  }

  @Test
  void namedJob_isSharedAcrossARestart() {
    DistributeOptions shared = options().withJobName("shared");
    String id = DataService.registerDataset(dispatcher.target(), Dataset.range(N));
    List<Long> values = new ArrayList<>();
    try (ElementIterator first =
        DataService.fromDatasetId(shared, dispatcher.target(), id).iterator()) {
      values.add(first.next().asLong());
      restart();
      String target = dispatcher.target();
      var second =
          CompletableFuture.supplyAsync(() -> longs(DataService.fromDatasetId(shared, target, id)));
      first.forEachRemaining(element -> values.add(element.asLong()));
      values.addAll(second.join());
    }

    assertThat(values).hasSize((int) N).doesNotHaveDuplicates();
  }

  @Test
  void workerThatJoinsAfterARestart_isReadFrom() {
    List<Long> values = new ArrayList<>();
    try (ElementIterator elements = read(options()).iterator()) {
      values.add(elements.next().asLong());
      restart();
      startWorker();
      elements.forEachRemaining(element -> values.add(element.asLong()));
    }

    assertThat(values).hasSize(2 * (int) N);
  }

  private static DistributeOptions options() {
    return DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS);
  }

  private Dataset read(DistributeOptions options) {
    return Dataset.range(N).apply(DataService.distribute(options, dispatcher.target()));
  }

  private void restart() {
    int port = dispatcher.port();
    dispatcher.stop();
    startDispatcher(port);
  }

  private void startDispatcher(int port) {
    dispatcher =
        DispatchServer.start(
            DispatcherConfig.builder()
                .port(port)
                .workDir(workDir.toString())
                .faultTolerantMode(true)
                .build());
  }

  private void startWorker() {
    opened.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
  }

  private static List<Long> longs(Dataset dataset) {
    List<Long> all = new ArrayList<>();
    for (Element element : dataset) {
      all.add(element.asLong());
    }
    return all;
  }
}
