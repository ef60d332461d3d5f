package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.emulator.FakeGcsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code headrace dispatcher} on an unusable work_dir: status 2, one line with the reason, and no
 * change to the files.
 */
@Timeout(value = 5, unit = MINUTES)
final class RefusedWorkDirTest {
  @TempDir Path directory = Path.of("");

  @Test
  void newerFormat_isRefused() throws IOException {
    Files.writeString(directory.resolve("owner"), "headrace journal 2\nhost h\npid 1\nepoch 3\n");
    Files.createDirectory(directory.resolve("journal"));

    assertThatItIsRefused("is of journal format 2", "reads format 1 only");
  }

  @Test
  void otherFiles_areRefused() throws IOException {
    Files.writeString(directory.resolve("thesis.txt"), "mine");

    assertThatItIsRefused("holds no journal of Headrace", "thesis.txt");
  }

  @Test
  void journalOfSomethingElse_isRefused() throws IOException {
    Files.createDirectory(directory.resolve("journal"));
    Files.writeString(directory.resolve("journal/monday.txt"), "rain");

    assertThatItIsRefused("holds no journal of Headrace", "(journal)");
  }

  @Test
  void stockJournal_isRefused() throws IOException {
    Files.createDirectory(directory.resolve("tf_data_dispatcher_journal"));

    assertThatItIsRefused("holds the journal of a TensorFlow dispatcher");
  }

  @Test
  void placeThatCantBeMade_isRefused() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertThatItIsRefused(file.resolve("below"), "can't be used", file.toString());
    assertThatItIsRefused(file, "can't be used", file.toString());
  }

  @Test
  void heldByAnother_isRefused_andTheOtherGoesOn() throws IOException {
    Path held = directory.resolve("held");
    DispatcherConfig config =
        DispatcherConfig.builder().workDir(held.toString()).faultTolerantMode(true).build();
    try (DispatchServer first = DispatchServer.create(config)) {
      first.start();
      assertThatItIsRefused(
          held, "is in use by another dispatcher", "process " + ProcessHandle.current().pid());

      assertThat(first.statistics().workers()).isEmpty();
    }
  }

  @Test
  void bucketThatMayNotBeWritten_isRefused() throws IOException, InterruptedException {
    try (FakeGcsServer emulator = FakeGcsServer.start();
        ReadOnlyGcsProxy buckets = ReadOnlyGcsProxy.of(emulator.endpoint())) {
      String workDir = "gs://" + emulator.newBucket() + "/dispatcher";

      assertRefusal(
          CommandRun.of(
              "dispatcher",
              "--fault-tolerant-mode",
              "--work-dir=" + workDir,
              "--gcs-endpoint=" + buckets.endpoint()),
          workDir,
          "may not be used with the credentials that there are");
      assertThat(buckets.refused()).isPositive();
    }
  }

  private void assertThatItIsRefused(String... said) throws IOException {
    assertThatItIsRefused(directory, said);
  }

  private void assertThatItIsRefused(Path workDir, String... said) throws IOException {
    Map<Path, String> before = content();

    assertRefusal(
        CommandRun.of("dispatcher", "--fault-tolerant-mode", "--work-dir=" + workDir), said);

    assertThat(content()).isEqualTo(before);
  }

  private static void assertRefusal(CommandRun run, String... said) {
    assertThat(run.status()).as(run.err()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).hasLineCount(1).startsWith("headrace dispatcher: ").contains(said);
  }

  /** All paths in the work_dir with the files' contents; for files in use, only the paths. */
  private Map<Path, String> content() throws IOException {
    Map<Path, String> content = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.toList()) {
        boolean readable = Files.isRegularFile(path) && !path.startsWith(directory.resolve("held"));
        content.put(path, readable ? Files.readString(path) : "");
      }
    }
    return content;
  }
}
