package io.headrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Shuffle;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that are added, removed or changed while they are read exactly once. A file has enough
 * lines to fill a worker's buffers, so that most files are not open yet.
 */
@Timeout(300)
final class ChangedFilesTest {
  private static final int FILES = 12;
  private static final int LINES = 40;
  private static final String PADDING = "x".repeat(100_000);

  @TempDir private Path folder;

  private final DispatchServer dispatcher =
      DispatchServer.start(DispatcherConfig.builder().workerTimeout(Duration.ofSeconds(2)).build());
  private final List<WorkerServer> workers = new ArrayList<>();

  @BeforeEach
  void writeFiles() throws IOException {
    for (int i = 0; i < FILES; i++) {
      write(name(i), LINES);
    }
    startWorker();
  }

  @AfterEach
  void stop() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  private void startWorker() {
    workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
  }

  private static String name(int index) {
    return "f%02d".formatted(index);
  }

  private Path write(String name, int lines) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < lines; line++) {
      text.append(name).append('-').append(line).append(PADDING).append('\n');
    }
    return Files.writeString(folder.resolve(name), text);
  }

  private static DistributeOptions exactlyOnce() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(Guarantee.EXACTLY_ONCE);
  }

  /** The first characters of each line. */
  private Dataset lines(DistributeOptions options) {
    return Dataset.listFiles(folder + "/*", Shuffle.seed(1))
        .flatMap(Dataset::textLines)
        .apply(DataService.distribute(options, dispatcher.target()));
  }

  private static List<String> take(ElementIterator elements, int count) {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count && elements.hasNext()) {
      String line = new String(elements.next().tensor().string(0), UTF_8);
      taken.add(line.substring(0, line.indexOf('x')));
    }
    return taken;
  }

  private static List<String> all() {
    return IntStream.range(0, FILES)
        .boxed()
        .flatMap(file -> IntStream.range(0, LINES).mapToObj(line -> name(file) + "-" + line))
        .toList();
  }

  /** A file without a line in {@code taken}. */
  private static String untouched(List<String> taken) {
    return IntStream.range(0, FILES)
        .mapToObj(ChangedFilesTest::name)
        .filter(name -> taken.stream().noneMatch(line -> line.startsWith(name)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void fileThatIsAdded_isNotOfThePass_alsoForALateWorkerWithARemainder() throws IOException {
    List<String> lines;
    try (ElementIterator elements = lines(exactlyOnce()).iterator()) {
      lines = take(elements, 5);
      write("a-first-by-name", 3);
      startWorker();
      workers.getFirst().close();
      lines.addAll(take(elements, Integer.MAX_VALUE));
    }
    assertThat(lines).containsExactlyInAnyOrderElementsOf(all());

    try (ElementIterator elements = lines(exactlyOnce()).iterator()) {
      assertThat(take(elements, Integer.MAX_VALUE)).hasSize(FILES * LINES + 3);
    }
  }

  @Test
  void fileThatIsRemoved_isNotFound_andTheOthersAreWhatTheyWere() throws IOException {
    try (ElementIterator elements = lines(exactlyOnce()).iterator()) {
      List<String> lines = take(elements, 5);
      String gone = lastFile();
      Files.delete(folder.resolve(gone));
      startWorker();
      workers.getFirst().close();

      assertFails(elements, lines, StatusCode.NOT_FOUND, gone);
      lines.addAll(take(elements, Integer.MAX_VALUE));

      assertThat(lines)
          .containsExactlyInAnyOrderElementsOf(
              all().stream().filter(line -> !line.startsWith(gone)).toList());
    }
  }

  @Test
  void fileOfOtherContentAndTheSameSize_isDataLoss() throws IOException {
    try (ElementIterator elements = lines(exactlyOnce()).iterator()) {
      List<String> lines = take(elements, 5);
      String other = lastFile();
      Path file = folder.resolve(other);
      FileTime before = Files.getLastModifiedTime(file);
      Files.writeString(file, Files.readString(file).replace(other, "zzz"));
      Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 3_000));

      assertFails(elements, lines, StatusCode.DATA_LOSS, other);
      lines.addAll(take(elements, Integer.MAX_VALUE));

      assertThat(lines)
          .containsExactlyInAnyOrderElementsOf(
              all().stream().filter(line -> !line.startsWith(other)).toList());
    }
  }

  /** The last file in the shuffle's order, which is the same in each pass. */
  private String lastFile() {
    List<String> lines = new ArrayList<>();
    try (ElementIterator elements = Dataset.listFiles(folder + "/*", Shuffle.seed(1)).iterator()) {
      while (elements.hasNext()) {
        lines.add(new String(elements.next().tensor().string(0), UTF_8));
      }
    }
    return Path.of(lines.getLast()).getFileName().toString();
  }

  /** Reads into {@code lines} until an error that names {@code file}. */
  private void assertFails(
      ElementIterator elements, List<String> lines, StatusCode code, String file) {
    assertThatThrownBy(
            () -> {
              while (true) {
                List<String> next = take(elements, 1);
                assertThat(next).describedAs("lines before the error").isNotEmpty();
                lines.addAll(next);
              }
            })
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(folder.resolve(file).toString());
  }

  @Test
  void tokenOfFilesOfWhichOneWasWrittenAgain_isRefused() throws IOException {
    Checkpoint checkpoint;
    List<String> lines;
    try (ElementIterator elements = lines(exactlyOnce()).iterator()) {
      lines = take(elements, 50);
      checkpoint = elements.checkpoint();
    }
    Path file = folder.resolve(untouched(lines));
    FileTime before = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 3_000));
    try (ElementIterator elements = lines(exactlyOnce().resumedFrom(checkpoint)).iterator()) {
      assertThatThrownBy(elements::hasNext)
          .isInstanceOfSatisfying(
              StatusException.class,
              e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
          .hasMessageContaining("the sources have changed")
          .hasMessageContaining("(1 changed: " + file + "; ");
    }
    Files.setLastModifiedTime(file, before);
    try (ElementIterator elements = lines(exactlyOnce().resumedFrom(checkpoint)).iterator()) {
      lines.addAll(take(elements, Integer.MAX_VALUE));
    }
    assertThat(lines).containsExactlyInAnyOrderElementsOf(all());
  }
}
