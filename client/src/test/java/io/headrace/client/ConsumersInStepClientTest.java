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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Two of our consumers that read in step. */
@Timeout(180)
@Isolated // reads the log
final class ConsumersInStepClientTest {
  private static final Logger LOGGER = Logger.getLogger(ReadingLog.class.getName());

  private final DispatchServer dispatcher =
      DispatchServer.start(DispatcherConfig.builder().build());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ElementIterator> consumers = new ArrayList<>();
  private final List<WorkerServer> workers = new ArrayList<>();
  private final List<ReadStatistics> statistics = new ArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  @BeforeEach
  void listen() {
    LOGGER.setFilter(line ->
        line.getLevel().equals(Level.WARNING)
            && warnings.add(new SimpleFormatter().formatMessage(line)));
  }

  @BeforeEach
  void startWorker() {
    workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
  }

  @AfterEach
  void stop() {
    consumers.forEach(ElementIterator::close);
    threads.shutdownNow();
    workers.forEach(WorkerServer::close);
    dispatcher.close();
    LOGGER.setFilter(null);
  }

  @Test
  void consumers_getConsecutiveElementsOfOneWorker()
      throws InterruptedException, ExecutionException {
    startConsumers(endless());

    for (long step = 0; step < 50; step++) {
      assertThat(step()).containsExactly(2 * step, 2 * step + 1);
    }
  }

  @Test
  void workerThatJoins_isReadFromTheSameRoundOn() throws InterruptedException, ExecutionException {
    startConsumers(endless());
    assertThat(step()).containsExactly(0L, 1L);
    startWorker();

    long joined = 0;
    for (long expected = 2; joined < 3; ) {
      List<Long> step = step();
      if (step.getFirst() == 2 * joined && step.getFirst() != expected) {
        joined++;
      } else {
        assertThat(step).containsExactly(expected, expected + 1);
        expected += 2;
      }
      assertThat(step.getLast()).isEqualTo(step.getFirst() + 1);
    }
  }

  @Test
  void workerThatLeaves_isLeftByAll() throws InterruptedException, ExecutionException {
    startWorker();
    startConsumers(endless());
    assertThat(step()).containsExactly(0L, 1L);
    assertThat(step()).containsExactly(0L, 1L);
    workers.removeLast().close();

    long last = 0;
    for (int i = 0; i < 20; i++) {
      List<Long> step = step();
      assertThat(step.getLast()).isEqualTo(step.getFirst() + 1);
      last = step.getFirst();
    }
    assertThat(step()).containsExactly(last + 2, last + 3);
  }

  @Test
  void workerThatLeaves_isReportedOnce_byEachConsumer()
      throws InterruptedException, ExecutionException {
    startWorker();
    startConsumers(endless());
    assertThat(step()).hasSize(2);
    assertThat(step()).hasSize(2);
    String gone = workers.getLast().address();
    workers.removeLast().close();

    for (int i = 0; i < 4; i++) {
      assertThat(step()).hasSize(2);
    }

    for (ReadStatistics of : statistics) {
      assertThat(of.lostTasks())
          .singleElement()
          .satisfies(lost -> {
            assertThat(lost.workerAddress()).isEqualTo(gone);
            assertThat(lost.position()).isEqualTo(1);
          });
    }
    assertThat(warnings)
        .hasSize(2)
        .allMatch(line ->
            line.matches(
                "reader \\d+ of job in step: worker "
                    + gone
                    + " was lost with task .* is missing"));
  }

  @Test
  void datasetWithAnEnd_isRefused() {
    startConsumers(Dataset.range(10));

    assertThatThrownBy(this::step).hasMessageContaining("but the dataset has cardinality 10.");
  }

  @Test
  void consumerWithoutAJobName_isRefused() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withConsumers(0, 2);

    assertThatThrownBy(() -> endless().apply(DataService.distribute(options, dispatcher.target())))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("job name");
  }

  @Test
  void placeThatDoesNotExist_isRefused() {
    DistributeOptions options = DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS);

    assertThatThrownBy(() -> options.withConsumers(2, 2)).hasMessageContaining("index 2 of 2");
  }

  private static Dataset endless() {
    return Dataset.range(1L << 40).repeat(-1);
  }

  private void startConsumers(Dataset dataset) {
    for (int i = 0; i < 2; i++) {
      statistics.add(new ReadStatistics());
      DistributeOptions options =
          DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
              .withJobName("in step")
              .withStatistics(statistics.getLast())
              .withTaskRefreshInterval(Duration.ofMillis(20))
              .withConsumers(i, 2);
      consumers.add(dataset.apply(DataService.distribute(options, dispatcher.target())).iterator());
    }
  }

  /** The next element of each consumer. */
  private List<Long> step() throws InterruptedException, ExecutionException {
    List<Future<Long>> elements = new ArrayList<>();
    for (ElementIterator consumer : consumers) {
      elements.add(threads.submit(() -> consumer.next().tensor().integer(0)));
    }
    List<Long> values = new ArrayList<>();
    for (Future<Long> element : elements) {
      values.add(element.get());
    }
    return values;
  }
}
