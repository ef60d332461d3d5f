package io.headrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.TfRecordWriter;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.emulator.FakeGcsServer;
import io.headrace.gcs.GcsFileSystem;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Datasets whose files are in Google Cloud Storage (in the emulator), read by two workers. */
@Timeout(120)
@SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
final class GcsDatasetsTest {
  private static final int FILES = 10;
  private static final int RECORDS = 20;
  private static FakeGcsServer server;

  @TempDir private Path workDir;
  private DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());
  private final List<WorkerServer> workers = new ArrayList<>();
  private String folder;

  @BeforeAll
  static void startBucket() throws Exception {
    server = FakeGcsServer.start();
    System.setProperty(GcsFileSystem.ENDPOINT_PROPERTY, server.endpoint());
  }

  @AfterAll
  static void stopBucket() {
    System.clearProperty(GcsFileSystem.ENDPOINT_PROPERTY);
    server.close();
  }

  @BeforeEach
  void start() throws Exception {
    folder = "gs://" + server.newBucket() + "/data";
    dispatcher =
        DispatchServer.start(
            DispatcherConfig.builder().workDir(workDir.toString()).faultTolerantMode(true).build());
    for (int i = 0; i < 2; i++) {
      workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
    }
  }

  @AfterEach
  void stop() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  private static String record(int file, int record) {
    return "record %d of file %d".formatted(record, file);
  }

  private static List<String> allRecords() {
    return IntStream.range(0, FILES)
        .boxed()
        .flatMap(file -> IntStream.range(0, RECORDS).mapToObj(r -> record(file, r)))
        .toList();
  }

  private void writeRecords(Compression compression) {
    for (int file = 0; file < FILES; file++) {
      String name = "%s/part-%02d.tfrecord".formatted(folder, file);
      try (TfRecordWriter writer = TfRecordWriter.create(name, compression)) {
        for (int r = 0; r < RECORDS; r++) {
          writer.write(record(file, r).getBytes(UTF_8));
        }
      }
    }
  }

  private Dataset distributed(Dataset dataset) {
    return dataset.apply(DataService.distribute(ProcessingMode.DYNAMIC, dispatcher.target()));
  }

  private static String text(Element element) {
    return new String(element.tensor().string(0), UTF_8);
  }

  private static List<String> texts(Dataset dataset) {
    return dataset.stream().map(GcsDatasetsTest::text).toList();
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"NONE", "GZIP"})
  void records_areReadByTwoWorkers_eachOnce(Compression compression) {
    writeRecords(compression);
    Dataset records = Dataset.files(folder + "/part-*.tfrecord").compressed(compression).records();

    assertThat(texts(distributed(records))).containsExactlyInAnyOrderElementsOf(allRecords());
  }

  @Test
  void linesAndNames_areAsTheyWereWritten() {
    DataFiles.write(folder + "/b.txt", "three\nfour".getBytes(UTF_8));
    DataFiles.write(folder + "/a.txt", "one\ntwo\n".getBytes(UTF_8));

    assertThat(texts(distributed(Dataset.files(folder + "/*.txt").lines())))
        .containsExactlyInAnyOrder("one", "two", "three", "four");
    assertThat(texts(Dataset.files(folder + "/*.txt").names()))
        .containsExactly(folder + "/a.txt", folder + "/b.txt");
  }

  @Test
  void patternWithoutFiles_isNotFound() {
    assertThatThrownBy(() -> texts(distributed(Dataset.files(folder + "/none-*").records())))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND))
        .hasMessageContaining(folder + "/none-*");
  }

  @Test
  void checkpoint_isResumed_unlessAFileHasChanged() {
    writeRecords(Compression.NONE);
    Dataset records = Dataset.files(folder + "/part-*.tfrecord").records();
    List<String> read = new ArrayList<>();
    Checkpoint checkpoint;
    try (ElementIterator elements = distributed(records).iterator()) {
      for (int i = 0; i < 70; i++) {
        read.add(text(elements.next()));
      }
      checkpoint = elements.checkpoint();
    }
    DistributeOptions resumed =
        DistributeOptions.of(ProcessingMode.DYNAMIC).resumedFrom(checkpoint);
    Dataset rest = records.apply(DataService.distribute(resumed, dispatcher.target()));

    read.addAll(texts(rest));

    assertThat(read).containsExactlyInAnyOrderElementsOf(allRecords());
    DataFiles.write(folder + "/part-03.tfrecord", new byte[1]);
    assertThatThrownBy(() -> texts(rest))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("1 changed: " + folder + "/part-03.tfrecord");
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void distributedSnapshot_isWrittenAndLoaded(Compression compression) {
    String path = folder + "/snapshot";
    DataService.distributedSave(dispatcher.target(), Dataset.range(300), path, compression);

    assertThat(Dataset.load(path).stream().map(Element::asLong))
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 300).boxed().toList());
    assertThat(DataFiles.exists(path + "/DONE")).isTrue();
  }

  @Test
  void savedDataset_isLoaded_alsoByWorkers() {
    String path = folder + "/saved";
    Dataset.range(200).save(path);
    List<Long> all = LongStream.range(0, 200).boxed().toList();

    assertThat(Dataset.load(path).stream().map(Element::asLong)).containsExactlyElementsOf(all);
    Dataset everywhere =
        Dataset.load(path)
            .apply(DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
    assertThat(everywhere.stream().map(Element::asLong))
        .containsExactlyInAnyOrderElementsOf(
            all.stream().flatMap(number -> Stream.of(number, number)).toList());
  }

  @Test
  void fileCache_isWrittenInTheFirstPass_andReadInTheSecond() {
    Dataset cached = Dataset.range(50).cache(folder + "/cache");
    List<Long> all = LongStream.range(0, 50).boxed().toList();
    DataFiles.createFolders(folder);

    assertThat(cached.stream().map(Element::asLong)).containsExactlyElementsOf(all);
    assertThat(DataFiles.names(folder)).contains("cache.index");
    assertThat(cached.stream().map(Element::asLong)).containsExactlyElementsOf(all);
  }

  @Test
  void snapshotDataset_isWrittenInTheFirstPass_andReadInTheSecond() {
    Dataset kept = Dataset.range(50).snapshot(folder + "/snapshots");
    List<Long> all = LongStream.range(0, 50).boxed().toList();

    assertThat(kept.stream().map(Element::asLong)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(kept.stream().map(Element::asLong)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(DataFiles.names(folder + "/snapshots")).isNotEmpty();
  }
}
