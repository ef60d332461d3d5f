package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.ChunkReader;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The logs of a reader and of a worker, which tell comings and goings at info. */
@Timeout(300)
@Isolated // reads the log
final class ReadingLogTest {
  private static final List<Logger> LOGGERS =
      List.of(
          Logger.getLogger(ReadingLog.class.getName()),
          Logger.getLogger("io.headrace.worker.WorkerLog"));

  /** The first reader of a dispatcher. */
  private static final long READER = 3000;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final Set<String> sources = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void listen() {
    LOGGERS.forEach(logger -> logger.setFilter(this::note));
  }

  @AfterEach
  void stop() {
    LOGGERS.forEach(logger -> logger.setFilter(null));
    dispatcher.close();
  }

  /** Keeps a line, and out of the log of the tests. */
  private boolean note(LogRecord line) {
    lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
    sources.add(line.getSourceClassName());
    return false;
  }

  @Test
  void pass_isLoggedByItsReaderAndItsWorker_fromItsBeginningToItsEnd() {
    String worker;
    try (WorkerServer started =
        WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()))) {
      worker = started.address();
      Dataset shared =
          Dataset.range(7)
              .apply(DataService.distribute(ProcessingMode.DYNAMIC, dispatcher.target()));

      assertThat(shared).hasSize(7);
    }

    assertThat(lines)
        .contains("INFO worker " + worker + " is registered at dispatcher " + dispatcher.address())
        .anyMatch(line -> line.matches("INFO task \\d+ of iteration \\d+, of dataset .* has come"))
        .anyMatch(line ->
            line.matches("INFO reader \\d+ has joined pass 1 of dataset .*, read exactly once"))
        .anyMatch(line -> line.matches("INFO reader \\d+ reads task \\d+ of worker " + worker))
        .anyMatch(line -> line.matches("INFO reader \\d+ has read pass 1 to its end"));
    assertThat(sources)
        .containsExactlyInAnyOrderElementsOf(LOGGERS.stream().map(Logger::getName).toList());
  }

  @Test
  void readerOfANamedJob_isLoggedWithIt_andLeavesBeforeTheEnd() {
    DistributeOptions named = DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("training");
    try (WorkerServer _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
        ElementIterator elements =
            Dataset.range(1L << 40)
                .apply(DataService.distribute(named, dispatcher.target()))
                .iterator()) {
      assertThat(elements.next()).isNotNull();
    }

    assertThat(lines)
        .anyMatch(line -> line.matches("INFO reader \\d+ of job training has joined pass 1 .*"))
        .anyMatch(line ->
            line.matches("INFO reader \\d+ of job training has left pass 1 before its end"));
  }

  @Test
  void readerThatLeaves_hasReportedItsElements() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(Guarantee.AT_MOST_ONCE);
    Dataset read = Dataset.range(7).apply(DataService.distribute(options, dispatcher.target()));
    try (WorkerServer _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
        DispatcherInspection status =
            DispatcherInspection.of(dispatcher.target(), Duration.ofMinutes(1))) {
      assertThat(read).hasSize(7);

      assertThat(status.status(10).getJobs(0).getIterations(0).getElementsReturned()).isEqualTo(7);
    }
  }

  @Test
  void waitForElements_isPerhapsForOtherReaders_whereTheyShareAJob() {
    assertThat(ReadingLog.sentNone(List.of("w:1"), Optional.empty()))
        .isEqualTo("workers [w:1] have sent none");
    assertThat(ReadingLog.sentNone(List.of("w:1"), Optional.of("epoch")))
        .isEqualTo(
            "workers [w:1] have sent none; other readers of job epoch may hold the rest, and not"
                + " take it");
  }

  @Test
  void readThatIsRefused_hasNothingOfWorkers() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(Guarantee.EXACTLY_ONCE);
    try (ChunkReader refused =
        Dataset.range(7)
            .take(3)
            .apply(DataService.distribute(options, dispatcher.target()))
            .chunks()) {
      assertThatThrownBy(refused::next).hasMessageContaining("exactly once");
      assertThat(refused.readsFromWorkers()).isFalse();
    }
  }

  @Test
  void readThatHasBegun_hasElementsOfWorkers() {
    try (WorkerServer _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
        ChunkReader begun =
            Dataset.range(7)
                .apply(DataService.distribute(ProcessingMode.DYNAMIC, dispatcher.target()))
                .chunks()) {
      assertThat(begun.next()).isNotNull();
      assertThat(begun.readsFromWorkers()).isTrue();
    }
  }

  @Test
  void passThatWasReadToItsEnd_isToldToALaterReader() {
    DistributeOptions named = DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("training");
    Dataset shared = Dataset.range(7).apply(DataService.distribute(named, dispatcher.target()));
    try (WorkerServer _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()))) {
      assertThat(shared).hasSize(7);
      assertThat(lines).noneMatch(line -> line.startsWith("WARNING"));
      Dataset later = Dataset.range(7).apply(DataService.distribute(named, dispatcher.target()));

      assertThat(later).isEmpty();
    }

    assertThat(lines)
        .anyMatch(line ->
            line.matches(
                "WARNING reader \\d+ got no elements: pass 1 of job training was read to its end"
                    + " without it; under another job name the dataset is read anew"));
  }

  @ParameterizedTest
  @CsvSource({"EXACTLY_ONCE, INFO", "AT_MOST_ONCE, WARNING"})
  void eachLostTask_isLoggedOnce_asTheStatisticsHaveIt(Guarantee guarantee, String level) {
    ReadStatistics statistics = new ReadStatistics();
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC)
            .withGuarantee(guarantee)
            .withStatistics(statistics);
    Dataset endless =
        Dataset.range(1L << 40).apply(DataService.distribute(options, dispatcher.target()));
    List<WorkerServer> workers = Stream.generate(this::startWorker).limit(4).toList();
    try (ElementIterator elements = endless.iterator()) {
      while (statistics.elementsByWorker().size() < workers.size()) {
        assertThat(elements.next()).isNotNull();
      }
      for (WorkerServer leaving : workers.subList(0, 3)) {
        leaving.close();
        while (statistics.lostTasks().stream()
            .noneMatch(lost -> lost.workerAddress().equals(leaving.address()))) {
          assertThat(elements.next()).isNotNull();
        }
      }
    } finally {
      workers.forEach(WorkerServer::close);
    }

    assertThat(lines.stream().filter(line -> line.contains(" elements: ")))
        .containsExactlyElementsOf(
            statistics.lostTasks().stream()
                .map(lost -> "%s reader %d: %s".formatted(level, READER, lost))
                .toList());
  }

  /** Starts a worker that leaves its readers at once. */
  private WorkerServer startWorker() {
    return WorkerServer.start(
        WorkerConfig.forDispatcher(dispatcher.address()).withShutdownQuietPeriod(Duration.ZERO));
  }
}
