package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.graph.SourceEvaluation;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.Workers;
import io.headrace.journal.RocksDbJournal;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.GetOrCreateIterationResponse;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.WorkerRegistered;
import io.headrace.runtime.time.SystemTicker;
import io.opentelemetry.api.metrics.MeterProvider;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cost of a start after many splits were handed out and many iterations read follows the live
 * state, not the history. {@code -Drecovery.splits=1000000 -Drecovery.iterations=10000} sets the
 * numbers; {@code -Drecovery.workDir=DIR} keeps the journal in an empty directory.
 */
final class RecoveryTest {
  private static final System.Logger LOGGER = System.getLogger("recovery");
  private static final int SPLITS = Integer.getInteger("recovery.splits", 50_000);
  private static final int ITERATIONS = Integer.getInteger("recovery.iterations", 2_000);
  private static final int AT_A_TIME = 1000;
  private static final long MOST_BYTES = 10_000_000;

  /**
   * Bound of the journal's records: those since a compaction, as many before it, and the live
   * state.
   */
  private static final long MOST_RECORDS =
      2L * DispatcherLimits.defaults().compactAfterRecords() + 10L * AT_A_TIME;

  @TempDir private Path temporary;
  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final VirtualTime time = new VirtualTime();
  private final FakeWorkerNetwork network = new FakeWorkerNetwork();
  private Path workDir = Path.of("");

  @BeforeEach
  void chooseWorkDir() {
    workDir = Path.of(System.getProperty("recovery.workDir", temporary.toString()));
  }

  @AfterEach
  void stop() {
    loop.shutdownNow();
  }

  @Test
  void start_afterManySplitsAndIterations_readsWhatIsLive() throws IOException {
    List<JournalRecord> before;
    try (Dispatcher dispatcher = open()) {
      takeSplits(dispatcher);
      readIterations(dispatcher);
      before = dispatcher.snapshot().join();
    }
    assertThat(bytes()).isLessThan(MOST_BYTES);
    long started = SystemTicker.INSTANCE.nanoTime();
    try (Dispatcher dispatcher = open()) {
      long tookMillis = (SystemTicker.INSTANCE.nanoTime() - started) / 1_000_000;
      LOGGER.log(
          Level.INFO,
          "after {0} splits and {1} iterations: {2} bytes, opened in {3} ms",
          SPLITS,
          ITERATIONS,
          bytes(),
          tookMillis);
      assertThat(dispatcher.snapshot().join()).isEqualTo(before);
    }
    assertThat(countRecords()).isLessThan(MOST_RECORDS);
  }

  private void takeSplits(Dispatcher dispatcher) {
    String dataset =
        dispatcher
            .getOrRegisterDataset(
                TestDispatcher.dataset().toBuilder()
                    .setDataset(
                        DatasetDef.newBuilder().setGraph(Dataset.range(1L << 60).toGraphDef()))
                    .build())
            .join()
            .getDatasetId();
    long job = dispatcher.getOrCreateJob(TestDispatcher.dynamicJob(dataset)).join().getJobId();
    var _ = dispatcher.getOrCreateIteration(TestDispatcher.iteration(job, 0)).join();
    GetSplitRequest request = GetSplitRequest.newBuilder().setIterationId(2000).build();
    for (int taken = 0; taken < SPLITS; taken += AT_A_TIME) {
      var _ = all(AT_A_TIME, _ -> dispatcher.split(request, Caller.IN_PROCESS));
    }
  }

  private void readIterations(Dispatcher dispatcher) {
    network.start("w:1");
    var _ =
        dispatcher
            .workerHeartbeat(
                new WorkerReport(
                    Workers.worker(
                        WorkerRegistered.newBuilder()
                            .setWorkerAddress("w:1")
                            .addAllTransferServers(
                                TestDispatcher.report("w:1").getTransferServersList())
                            .build()),
                    Set.of(),
                    Map.of(),
                    Map.of(),
                    Caller.IN_PROCESS),
                Map.of())
            .join();
    String dataset =
        dispatcher
            .getOrRegisterDataset(TestDispatcher.dataset("RangeDataset"))
            .join()
            .getDatasetId();
    long job =
        dispatcher
            .getOrCreateJob(TestDispatcher.job(dataset).toBuilder().setJobName("named").build())
            .join()
            .getJobId();
    long nextTask = 4001; // the first task is of the iteration whose splits were taken
    for (int read = 0; read < ITERATIONS; read += AT_A_TIME) {
      int first = read;
      List<GetOrCreateIterationResponse> clients =
          all(
              AT_A_TIME,
              i -> dispatcher.getOrCreateIteration(TestDispatcher.iteration(job, first + i)));
      long[] tasks = LongStream.range(nextTask, nextTask + AT_A_TIME).toArray();
      nextTask += AT_A_TIME;
      var _ =
          dispatcher.workerUpdate(TestDispatcher.finished("w:1", tasks), Caller.IN_PROCESS).join();
      var _ =
          all(
              AT_A_TIME,
              i -> dispatcher.releaseIterationClient(clients.get(i).getIterationClientId()));
      time.advance(Duration.ofSeconds(1));
    }
  }

  private static <R> List<R> all(int count, IntFunction<CompletableFuture<R>> request) {
    return IntStream.range(0, count).mapToObj(request).toList().stream()
        .map(CompletableFuture::join)
        .toList();
  }

  private Dispatcher open() {
    Dispatcher dispatcher =
        new Dispatcher(
            DispatcherConfig.defaults(),
            new DispatcherDependencies(
                loop,
                Runnable::run,
                time,
                new VirtualProcess(time),
                RocksDbJournal.open(workDir, false),
                network,
                () -> 77,
                SplitSourceFinder.on(Runnable::run, SourceEvaluation.on(Runnable::run), () -> 78),
                DispatcherLimits.defaults(),
                MeterProvider.noop().get("test"),
                () -> {}));
    dispatcher.open();
    return dispatcher;
  }

  private long countRecords() {
    List<byte[]> records = new ArrayList<>();
    try (RocksDbJournal journal = RocksDbJournal.open(workDir, false)) {
      journal.replay(records::add);
    }
    return records.size();
  }

  private long bytes() throws IOException {
    try (Stream<Path> files = Files.walk(workDir)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
