package io.headrace.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journals that are read and left as they are. */
final class JournalReaderTest extends GcsTests {
  @TempDir Path directory = Path.of("");

  private static List<String> words(JournalReader.Content content) {
    return content.records().stream().map(record -> new String(record, UTF_8)).toList();
  }

  /** The content of each file below the directory. */
  private Map<String, String> files() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        contents.put(
            directory.relativize(file).toString(),
            new String(Files.readAllBytes(file), ISO_8859_1));
      }
    }
    return contents;
  }

  private static void assertRefused(StatusCode code, String words, Path directory) {
    assertThatThrownBy(() -> JournalReader.read(directory))
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }

  @Test
  void read_hasAllRecords_andChangesNoFile() throws IOException {
    try (Journal journal = RocksDbJournal.open(directory, false)) {
      var _ = Records.append(journal, "a", "b");
      var _ = Records.append(journal, "c");
    }
    Map<String, String> before = files();

    JournalReader.Content content = JournalReader.read(directory);

    assertThat(words(content)).containsExactly("a", "b", "c");
    assertThat(content.first()).isEqualTo(1);
    assertThat(content.epoch()).isEqualTo(1);
    assertThat(content.lastUser()).contains("process " + ProcessHandle.current().pid());
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void compactedJournal_beginsWithALaterRecord() {
    try (Journal journal = RocksDbJournal.open(directory, false)) {
      var _ = Records.append(journal, "a", "b");
      var _ = journal.compact(Records.of("ab")).join();
    }

    JournalReader.Content content = JournalReader.read(directory);

    assertThat(words(content)).containsExactly("ab");
    assertThat(content.first()).isEqualTo(3);
  }

  @Test
  void journalInUse_isRefused_andGoesOn() {
    try (Journal journal = RocksDbJournal.open(directory, false)) {
      assertRefused(StatusCode.FAILED_PRECONDITION, "is in use by another dispatcher", directory);

      assertThat(Records.append(journal, "a")).isEqualTo(1);
    }
  }

  @Test
  void directoryWithoutAJournal_isRefused_andStaysEmpty() throws IOException {
    assertRefused(StatusCode.FAILED_PRECONDITION, "holds no journal of Headrace", directory);

    assertThat(files()).isEmpty();
  }

  @Test
  void missingRecord_isDataLoss() throws IOException {
    try (Journal journal = RocksDbJournal.open(directory, false)) {
      var _ = Records.append(journal, "a");
    }
    try (Stream<Path> all = Files.list(directory.resolve("journal"))) {
      for (Path log : all.filter(file -> file.toString().endsWith(".log")).toList()) {
        Files.write(log, new byte[0]);
      }
    }

    assertRefused(StatusCode.DATA_LOSS, "is damaged", directory);
  }

  @Test
  void journalInABucket_isReadWhileItIsInUse() {
    try (Journal journal = GcsJournal.open(location)) {
      var _ = Records.append(journal, "a", "b");

      assertThat(words(JournalReader.read(location))).containsExactly("a", "b");

      var _ = Records.append(journal, "c");
      assertThat(words(JournalReader.read(location))).containsExactly("a", "b", "c");
    }
  }

  @Test
  void bucketWithoutAJournal_isRefused() {
    assertThatThrownBy(() -> JournalReader.read(location))
        .hasMessageContaining("holds no journal of Headrace");
  }
}
