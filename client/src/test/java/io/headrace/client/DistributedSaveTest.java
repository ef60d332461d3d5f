package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Datasets that workers save; both servers restart on their ports, as after a kill. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class DistributedSaveTest {
  private static final long N = 600;

  /** So small that most commits have a single piece. */
  private static final long CHUNK_BYTES = 500;

  @TempDir private Path folder;
  private final List<WorkerServer> workers = new ArrayList<>();
  private DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());

  @BeforeEach
  void start() {
    startDispatcher(0);
  }

  @AfterEach
  void stop() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  private void startDispatcher(int port) {
    dispatcher =
        DispatchServer.start(
            DispatcherConfig.builder()
                .port(port)
                .workDir(folder.resolve("work").toString())
                .faultTolerantMode(true)
                .build());
  }

  private void startWorker(int port) {
    workers.add(
        WorkerServer.start(
            WorkerConfig.forDispatcher(dispatcher.address())
                .withPort(port)
                .withHeartbeatInterval(Duration.ofMillis(20))
                .withShutdownQuietPeriod(Duration.ZERO)
                .withSnapshotMaxChunkSizeBytes(CHUNK_BYTES)));
  }

  private String path() {
    return folder.resolve("saved").toString();
  }

  private void save(Dataset dataset) {
    DataService.distributedSave(dispatcher.target(), dataset, path(), Compression.SNAPPY);
  }

  private List<Long> loaded() {
    return Dataset.load(path()).stream().map(element -> element.asLong()).toList();
  }

  private static List<Long> range(long n) {
    return LongStream.range(0, n).boxed().toList();
  }

  private void assertRefused(Dataset dataset, StatusCode code, String part) {
    assertThatThrownBy(() -> save(dataset))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).as(e.message()).isEqualTo(code))
        .hasMessageContaining(part);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void load_ofWhatTwoWorkersSave_givesEachElementOnce(Compression compression) {
    startWorker(0);
    startWorker(0);
    DataService.distributedSave(dispatcher.target(), Dataset.range(N), path(), compression);

    assertThat(loaded()).containsExactlyInAnyOrderElementsOf(range(N));
    assertThat(folder.resolve("saved/DONE")).exists();
  }

  @Test
  void load_ofSeveralSourcesAndRepetitions_givesEachElementOnce() {
    startWorker(0);
    save(Dataset.zip(Dataset.range(10), Dataset.range(100, 110, 1)).repeat(3).map((a, b) -> b));

    assertThat(loaded())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 30).map(i -> 100 + i % 10).boxed().toList());
  }

  @Test
  void load_ofNothing_endsAtOnce() {
    startWorker(0);
    save(Dataset.range(0));

    assertThat(loaded()).isEmpty();
  }

  @Test
  void load_overRestartsOfBothServers_givesEachElementOnce()
      throws IOException, InterruptedException {
    startWorker(0);
    save(Dataset.range(N));
    awaitChunks(3);
    restartWorker();
    awaitChunks(6);
    int port = dispatcher.port();
    dispatcher.stop(Duration.ZERO);
    startDispatcher(port);

    assertThat(loaded()).containsExactlyInAnyOrderElementsOf(range(N));
  }

  @Test
  void load_ofRecordsOfFlatMaps_overARestart_givesEachOnce()
      throws IOException, InterruptedException {
    startWorker(0);
    save(
        Dataset.range(100)
            .flatMap(x -> Dataset.range(x.mul(0L).add(20L)).map(y -> y.add(x.mul(20L)))));
    awaitChunks(3);
    restartWorker();

    assertThat(loaded()).containsExactlyInAnyOrderElementsOf(range(2000));
  }

  /** Windows don't tell which records they are made of, so nothing is committed before the end. */
  @Test
  void load_ofElementsOfUnknownOrigin_overARestart_givesEachOnce()
      throws IOException, InterruptedException {
    startWorker(0);
    save(Dataset.range(N).take(N));
    awaitFiles("saved/streams/stream_0/splits/source_0/repetition_0", 20);
    restartWorker();

    assertThat(loaded()).containsExactlyInAnyOrderElementsOf(range(N));
  }

  @Test
  void load_afterAWorkerHasLeftForGood_givesEachElementOnce()
      throws IOException, InterruptedException {
    startWorker(0);
    startWorker(0);
    save(Dataset.range(5 * N));
    awaitFiles("saved/streams/stream_1/splits/source_0/repetition_0", 20);
    workers.removeLast().close();

    assertThat(loaded()).containsExactlyInAnyOrderElementsOf(range(5 * N));
  }

  private void restartWorker() {
    WorkerServer worker = workers.removeLast();
    int port = worker.port();
    worker.close();
    startWorker(port);
  }

  private void awaitChunks(int count) throws IOException, InterruptedException {
    awaitFiles("saved/chunks", count);
  }

  /** Waits for at least {@code count} files in a folder. */
  private void awaitFiles(String name, int count) throws IOException, InterruptedException {
    while (count(folder.resolve(name)) < count) {
      Thread.onSpinWait();
    }
  }

  private static long count(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }

  @Test
  void load_whileAStreamFails_failsWithItsError() {
    startWorker(0);
    save(Dataset.range(10).map(x -> x.mul(0L).add(10L).floorDiv(x.sub(4L))));

    assertThatThrownBy(this::loaded)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("ivi");
    assertThat(folder.resolve("saved/DONE")).doesNotExist();
  }

  @Test
  void save_whereSomethingIs_isRefused() throws IOException {
    Files.createDirectory(folder.resolve("saved"));

    assertRefused(Dataset.range(3), StatusCode.ALREADY_EXISTS, path() + " already exists");
  }

  @Test
  void save_twice_isRefused() {
    save(Dataset.range(3));

    assertRefused(Dataset.range(3), StatusCode.ALREADY_EXISTS, "already started or completed");
  }

  @Test
  void save_ofAnInfiniteDataset_isRefused() {
    assertRefused(Dataset.range(3).repeat(-1), StatusCode.INVALID_ARGUMENT, "infinite");
  }

  @Test
  void save_withoutAJournal_isRefused() {
    try (DispatchServer forgetful = DispatchServer.start(DispatcherConfig.defaults())) {
      assertThatThrownBy(() ->
              DataService.distributedSave(
                  forgetful.target(), Dataset.range(3), path(), Compression.NONE))
          .hasMessageContaining("fault tolerant mode");
    }
  }

  @Test
  void load_beforeTheSnapshotIsDone_givesWhatIsThere() {
    save(Dataset.range(N));
    try (ElementIterator elements = Dataset.load(path()).iterator()) {
      startWorker(0);
      assertThat(elements.next()).isNotNull();
    }
  }
}
