package io.headrace.client;

import static io.headrace.client.PauseOps.pause;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.cluster.Server;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Scanned;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.emulator.FakeGcsServer;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.Verdict;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Twenty jobs, each slow in a known place, and five whose trainers are the limit: the dispatcher
 * names the place, from what workers and readers report. The slow parts sleep, so all run at once.
 */
@Timeout(300)
@SuppressWarnings({
  "InterruptedExceptionSwallowed", // JUnit accepts any exception
  "SystemOut" // the build prints the summary
})
@Isolated // asks where time is lost
final class VerdictsTest {
  /** The time of a row in a slow stage. */
  private static final Duration SLOW = Duration.ofMillis(12);

  private static final Duration GIVE_UP = Duration.ofMinutes(4);
  private static final long MANY = 10_000_000;
  private static final int KILOBYTES = 64;

  /** The rate of the way to the bucket: a commit waits for an answer of several hundred bytes. */
  private static final long JOURNAL_BYTES_PER_SECOND = 4 << 10;

  @TempDir private static Path folder;

  private static FakeGcsServer bucket;

  private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
  private static final Map<String, CompletableFuture<Verdict>> VERDICTS = new LinkedHashMap<>();

  /** How many verdicts are right. */
  private static final AtomicInteger RIGHT = new AtomicInteger();

  /**
   * A job and its verdict.
   *
   * @param name what is slow
   * @param code the verdict's
   * @param stage the beginning of the stage's name; empty if no stage is at fault
   * @param job begins the job, on servers of its own
   */
  record Case(String name, String code, String stage, Job job) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Begins a job named {@code job}. */
  interface Job {
    void begin(Cluster cluster) throws Exception;
  }

  /** Servers and readers of one job. */
  static final class Cluster implements AutoCloseable {
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private @Nullable DispatchServer started;

    /** Starts the dispatcher, which has a journal in memory unless a job starts its own. */
    DispatchServer dispatch(DispatcherConfig config) {
      DispatchServer dispatcher = keep(DispatchServer.start(config));
      started = dispatcher;
      return dispatcher;
    }

    DispatchServer dispatcher() {
      return started == null ? dispatch(DispatcherConfig.defaults()) : started;
    }

    <T extends AutoCloseable> T keep(T started) {
      running.push(started);
      return started;
    }

    WorkerConfig config() {
      return WorkerConfig.forDispatcher(dispatcher().address())
          .withShutdownQuietPeriod(Duration.ZERO);
    }

    WorkerServer worker() {
      return keep(WorkerServer.start(config()));
    }

    DistributeOptions options() {
      return DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("job");
    }

    ElementIterator read(Dataset dataset, DistributeOptions options) {
      return keep(dataset.apply(DataService.distribute(options, dispatcher().target())).iterator());
    }

    /** Reads as fast as it can, until the iterator is closed. */
    void readAll(Dataset dataset) {
      ElementIterator elements = read(dataset, options());
      var _ =
          THREADS.submit(() -> {
            while (elements.hasNext()) {
              var _ = elements.next();
            }
            return null;
          });
    }

    /** A trainer that takes 50 ms an element. */
    void train(Dataset dataset) {
      ElementIterator elements = read(dataset, options());
      var _ =
          THREADS.submit(() -> {
            while (elements.hasNext()) {
              var _ = elements.next();
              Thread.sleep(50);
            }
            return null;
          });
    }

    @Override
    public void close() {
      while (!running.isEmpty()) {
        try {
          running.pop().close();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private static Case slow(String name, String code, String stage, Dataset dataset) {
    return new Case(
        name,
        code,
        stage,
        cluster -> {
          var _ = cluster.worker();
          cluster.readAll(dataset);
        });
  }

  private static Case healthy(String name, Dataset dataset) {
    return new Case(
        name,
        "trainer",
        "",
        cluster -> {
          var _ = cluster.worker();
          cluster.train(dataset);
        });
  }

  private static Dataset numbers() {
    return Dataset.range(MANY);
  }

  private static Output slowly(Output x) {
    return pause(x, SLOW);
  }

  /** An element of 64 KiB. */
  private static Output large(Output x) {
    return Ops.fill(Ops.constant(Tensor.vector(KILOBYTES << 7)), x);
  }

  static Stream<Case> cases() {
    return Stream.of(
        slow("map", "stage", "Map", numbers().map(VerdictsTest::slowly)),
        slow("parallel map", "stage", "ParallelMap", numbers().map(VerdictsTest::slowly, 2)),
        slow(
            "map before a shuffle, a batch and a prefetch",
            "stage",
            "Map",
            numbers().map(VerdictsTest::slowly).shuffle(20, 1).batch(4).prefetch(2)),
        slow("filter", "stage", "Filter", numbers().filter(x -> slowly(x).greaterEqual(0L))),
        slow(
            "filter that drops nearly all",
            "filter",
            "Filter",
            numbers().map(x -> pause(x, Duration.ofMillis(1))).filter(x -> x.less(0L))),
        slow("scan", "stage", "Scan", scanned()),
        slow(
            "condition of a take",
            "stage",
            "TakeWhile",
            numbers().takeWhile(x -> slowly(x.output()).greaterEqual(0L))),
        slow(
            "map in a flat map",
            "stage",
            "Map",
            numbers().flatMap(x -> Dataset.range(50).map(VerdictsTest::slowly))),
        slow(
            "map in an interleave",
            "stage",
            "Map",
            numbers()
                .interleave(x -> Dataset.range(50).map(VerdictsTest::slowly), Interleave.cycle(3))),
        slow(
            "one of two that are zipped",
            "stage",
            "Map",
            Dataset.zip(numbers(), numbers().map(VerdictsTest::slowly))),
        slow(
            "map before a cold cache",
            "stage",
            "Map",
            Dataset.range(50_000).map(VerdictsTest::slowly).cache()),
        slow(
            "small buffer",
            "buffer",
            "Prefetch",
            numbers()
                .map(x -> pause(x, Duration.ofMillis(200), 20, ""))
                .prefetch(2)
                .map(x -> pause(x, Duration.ofMillis(9)))),
        new Case("source", "source", "TextLine", VerdictsTest::slowSource),
        new Case("journal", "journal", "", VerdictsTest::slowJournal),
        new Case("one large file", "one_split", "", VerdictsTest::largeFile),
        new Case("worker", "slow_worker", "", VerdictsTest::slowWorker),
        new Case("network", "network", "", VerdictsTest::slowNetwork),
        new Case("no worker", "no_worker", "", cluster -> cluster.readAll(numbers())),
        new Case("rest of the group", "group", "", VerdictsTest::incompleteGroup),
        new Case("no reader", "no_reader", "", VerdictsTest::noReader),
        healthy("trainer of numbers", numbers()),
        healthy("trainer behind a parallel map", numbers().map(x -> x.mul(2L), 2).prefetch(8)),
        healthy("trainer of shuffled batches", numbers().shuffle(1000, 1).batch(32)),
        healthy("trainer behind a filter", numbers().filter(x -> x.greaterEqual(500L)).batch(4)),
        healthy(
            "trainer behind an interleave",
            numbers().interleave(x -> Dataset.range(10), Interleave.cycle(4)).prefetch(4)));
  }

  private static Dataset scanned() {
    return numbers()
        .scan(
            List.of(Tensor.scalar(0L)),
            (state, x) -> Scanned.of(state.getFirst(), slowly(x.output())));
  }

  /** Lines of a pipe, which its writer writes slowly. */
  private static void slowSource(Cluster cluster) throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    var _ = cluster.worker();
    cluster.readAll(Dataset.files(pipe.toString()).lines());
    var _ =
        THREADS.submit(() -> {
          try (OutputStream out = Files.newOutputStream(pipe)) {
            while (true) {
              out.write("a line that comes late\n".getBytes(UTF_8));
              Thread.sleep(SLOW);
            }
          }
        });
  }

  /** Splits of one element, and commits to a bucket that is far away. */
  private static void slowJournal(Cluster cluster) throws Exception {
    int port = URI.create(bucket.endpoint()).getPort();
    ThrottledLink link = cluster.keep(ThrottledLink.open(port, JOURNAL_BYTES_PER_SECOND));
    var _ =
        cluster.dispatch(
            DispatcherConfig.builder()
                .workDir("gs://" + bucket.newBucket() + "/journal")
                .gcsEndpoint("http://" + link.address())
                .build());
    var _ = cluster.worker();
    cluster.readAll(numbers());
  }

  private static void largeFile(Cluster cluster) throws IOException {
    Files.writeString(folder.resolve("part-0"), "1\n");
    String many =
        IntStream.range(0, 100_000).mapToObj(Integer::toString).collect(Collectors.joining("\n"));
    Files.writeString(folder.resolve("part-1"), many);
    for (int i = 0; i < 2; i++) {
      var _ = cluster.worker();
    }
    cluster.readAll(
        Dataset.files(folder + "/part-*")
            .lines()
            .map(line -> slowly(Strings.toNumber(line, DataType.INT64))));
  }

  private static void slowWorker(Cluster cluster) {
    for (int i = 0; i < 2; i++) {
      var _ = cluster.worker();
    }
    Server slow =
        cluster.keep(
            Server.start(ClusterSpec.of(Map.of("slow", List.of("localhost:0"))), "slow", 0));
    var _ = cluster.keep(WorkerServer.start(cluster.config(), slow));
    cluster.readAll(
        numbers()
            .map(x -> pause(pause(x, Duration.ofMillis(5)), Duration.ofMillis(60), 1, "job:slow")));
  }

  private static void slowNetwork(Cluster cluster) throws IOException {
    int port = FreePort.find(new Random());
    ThrottledLink link = cluster.keep(ThrottledLink.open(port, 1 << 20));
    var _ =
        cluster.keep(
            WorkerServer.start(cluster.config().withPort(port).withWorkerAddress(link.address())));
    cluster.readAll(numbers().map(VerdictsTest::large));
  }

  private static void incompleteGroup(Cluster cluster) throws Exception {
    var _ = cluster.worker();
    Checkpoint checkpoint;
    try (ElementIterator elements = cluster.read(numbers(), cluster.options())) {
      var _ = elements.next();
      checkpoint = elements.checkpoint();
    }
    ElementIterator first =
        cluster.read(numbers(), cluster.options().resumedFrom(checkpoint, 0, 2));
    var _ = THREADS.submit(first::hasNext);
  }

  private static void noReader(Cluster cluster) throws Exception {
    var _ = cluster.worker();
    try (ElementIterator elements = cluster.read(numbers(), cluster.options())) {
      var _ = elements.next();
    }
  }

  @BeforeAll
  static void begin() throws Exception {
    bucket = FakeGcsServer.start();
    cases()
        .forEach(of ->
            VERDICTS.put(of.name(), CompletableFuture.supplyAsync(() -> verdictOf(of), THREADS)));
  }

  @AfterAll
  static void end() {
    THREADS.shutdownNow();
    bucket.close();
    System.out.printf("summary: verdicts: %d/%d%n", RIGHT.get(), VERDICTS.size());
  }

  /** The verdict, once it is the one to come, or when it is late. */
  private static Verdict verdictOf(Case of) {
    try (Cluster cluster = new Cluster()) {
      of.job().begin(cluster);
      long began = SystemTicker.INSTANCE.nanoTime();
      Verdict last = Verdict.getDefaultInstance();
      try (DispatcherInspection dispatcher =
          DispatcherInspection.of(cluster.dispatcher().target(), GIVE_UP)) {
        int inARow = 0;
        while (inARow < 3 && SystemTicker.INSTANCE.nanoTime() - began < GIVE_UP.toNanos()) {
          TimeUnit.SECONDS.sleep(1);
          last = ask(dispatcher, last);
          inARow = isOf(of, last) ? inARow + 1 : 0;
        }
      }
      return last;
    } catch (Exception e) {
      throw new IllegalStateException(of.name(), e);
    }
  }

  private static Verdict ask(DispatcherInspection dispatcher, Verdict last) {
    try {
      JobStatistics statistics = dispatcher.statistics("job");
      return statistics.getVerdict();
    } catch (StatusException e) {
      if (e.code() == StatusCode.NOT_FOUND) {
        return last; // the job is about to begin
      }
      throw e;
    }
  }

  private static boolean isOf(Case of, Verdict verdict) {
    return verdict.getCode().equals(of.code()) && verdict.getStage().startsWith(of.stage());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void limit_isNamed(Case of) {
    Verdict verdict = Objects.requireNonNull(VERDICTS.get(of.name())).join();

    assertThat(verdict.getCode()).as(verdict.toString()).isEqualTo(of.code());
    assertThat(verdict.getStage()).as(verdict.toString()).startsWith(of.stage());
    if (of.code().equals("stage")) {
      assertThat(verdict.getText())
          .contains("of that in HeadraceTestPause")
          .containsPattern("\\(VerdictsTest:\\d+\\)");
    }
    var _ = RIGHT.incrementAndGet();
  }
}
