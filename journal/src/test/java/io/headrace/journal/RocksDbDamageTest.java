package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A journal on damaged files. After any damage, the journal either has all acknowledged records or
 * reports the loss.
 */
final class RocksDbDamageTest {
  private static final Logger LOGGER = Logger.getLogger(RocksDbJournal.class.getName());

  @TempDir Path temporary = Path.of("");
  private Path original = Path.of("");
  private Path damaged = Path.of("");

  private final List<String> logged = new ArrayList<>();

  @BeforeEach
  void catchLog() {
    LOGGER.setFilter(this::note);
  }

  @AfterEach
  void leaveLog() {
    LOGGER.setFilter(null);
  }

  /** Keeps a line, and out of the log of the tests. */
  private boolean note(LogRecord line) {
    logged.add(line.getMessage());
    return false;
  }

  @BeforeEach
  void makeDirectories() {
    original = temporary.resolve("original");
    damaged = temporary.resolve("damaged");
  }

  @Test
  void tornTail_cutAtEveryByte_isCutAndWritingGoesOn() throws IOException {
    byte[] torn;
    Path promised = temporary.resolve("promised");
    Path log;
    int begin;
    try (Journal journal = open(original)) {
      append(journal, "a", "b");
      DirectoryCopy.copy(original, promised);
      log = log(original);
      begin = Files.readAllBytes(log).length;
      append(journal, "c", "d");
      torn = Files.readAllBytes(log);
    }
    for (int length = begin; length < torn.length; length++) {
      DirectoryCopy.copy(promised, damaged);
      Files.write(log(damaged), Arrays.copyOf(torn, length));
      logged.clear();

      assertGoesOn(damaged, "a", "b");
      if (length > begin) {
        assertThat(logged).singleElement().asString().contains("never acknowledged", ".log");
      }
    }
  }

  @Test
  void tornTail_withAMissingMiddle_isCut() throws IOException {
    byte[] torn;
    Path promised = temporary.resolve("promised");
    int begin;
    try (Journal journal = open(original)) {
      append(journal, "a", "b");
      DirectoryCopy.copy(original, promised);
      begin = Files.readAllBytes(log(original)).length;
      append(journal, "c", "d");
      torn = Files.readAllBytes(log(original));
    }
    Arrays.fill(torn, begin + 8, torn.length - 8, (byte) 0);
    DirectoryCopy.copy(promised, damaged);
    Files.write(log(damaged), torn);

    assertGoesOn(damaged, "a", "b");
  }

  @Test
  void unacknowledgedTail_thatIsIntact_isKept() throws IOException {
    Path promised = temporary.resolve("promised");
    try (Journal journal = open(original)) {
      append(journal, "a", "b");
      DirectoryCopy.copy(original, promised);
      append(journal, "c", "d");
      Files.copy(log(original), temporary.resolve("log"));
    }
    DirectoryCopy.copy(promised, damaged);
    Files.write(log(damaged), Files.readAllBytes(temporary.resolve("log")));

    assertGoesOn(damaged, "a", "b", "c", "d");
  }

  @Test
  void log_cutWhereItWasAcknowledged_isDataLossNamingTheRecord() throws IOException {
    try (Journal journal = open(original)) {
      append(journal, "a", "b");
      append(journal, "c");
    }
    byte[] whole = Files.readAllBytes(log(original));
    Files.write(log(original), Arrays.copyOf(whole, whole.length - 1));

    assertDataLoss(original)
        .contains("record 3 ", log(original).toString())
        .doesNotContain("record 2 ");
  }

  @Test
  void log_bitFlippedAnywhere_losesNothingInSilence() throws IOException {
    try (Journal journal = open(original)) {
      for (String word : List.of("a", "b", "c", "d")) {
        append(journal, word, word);
      }
    }
    byte[] whole = Files.readAllBytes(log(original));
    for (int i = 0; i < whole.length; i += 5) {
      DirectoryCopy.copy(original, damaged);
      byte[] flipped = whole.clone();
      flipped[i] ^= (byte) (1 << (i % 8));
      Files.write(log(damaged), flipped);

      assertDataLoss(damaged).as("byte " + i).contains("record ").containsPattern("\\d+\\.log");
    }
  }

  @Test
  void table_bitFlippedAnywhere_losesNothingInSilence() throws IOException, InterruptedException {
    writeTable();
    byte[] whole = Files.readAllBytes(table(original));
    int found = 0;
    for (int i = 0; i < whole.length; i += 13) {
      DirectoryCopy.copy(original, damaged);
      byte[] flipped = whole.clone();
      flipped[i] ^= (byte) (1 << (i % 8));
      Files.write(table(damaged), flipped);
      found += assertWholeOrDataLoss(damaged, "a", "b", "c") ? 0 : 1;
    }
    assertThat(found).isPositive();
  }

  @Test
  void table_recordDamaged_isDataLossNamingRecordAndFile()
      throws IOException, InterruptedException {
    writeTable();
    byte[] bytes = Files.readAllBytes(table(original));
    bytes[5] ^= 1;
    Files.write(table(original), bytes);

    assertDataLoss(original).contains("records 4 to 6 ", table(original).toString());
  }

  @Test
  void anyFileMissing_losesNothingInSilence() throws IOException, InterruptedException {
    writeTable();
    try (Journal journal = open(original)) {
      append(journal, "d");
    }
    for (Path file : DirectoryCopy.files(original, "")) {
      if (Files.isRegularFile(file)) {
        DirectoryCopy.copy(original, damaged);
        Files.delete(damaged.resolve(original.relativize(file)));
        boolean whole = assertWholeOrDataLoss(damaged, "a", "b", "c", "d");
        if (file.toString().matches(".*(sst|log|acknowledged|CURRENT|MANIFEST-\\d+)")) {
          assertThat(whole).as(file.toString()).isFalse();
        }
      }
    }
  }

  @Test
  void journalMissing_isDataLoss() throws IOException, InterruptedException {
    writeTable();
    DirectoryCopy.delete(original.resolve("journal"));

    assertDataLoss(original).contains(original.resolve("journal").toString(), "missing");
  }

  @Test
  void damage_changesNothing() throws IOException, InterruptedException {
    writeTable();
    byte[] bytes = Files.readAllBytes(table(original));
    bytes[5] ^= 1;
    Files.write(table(original), bytes);
    DirectoryCopy.copy(original, damaged);

    assertDataLoss(original);

    assertSame(original, damaged);
  }

  @Test
  void anotherJournalsAcknowledgements_areRefused() throws IOException {
    try (Journal journal = open(original)) {
      append(journal, "a");
    }
    open(damaged).close();
    Files.write(
        original.resolve("acknowledged"), Files.readAllBytes(damaged.resolve("acknowledged")));

    assertDataLoss(original).contains("acknowledged");
  }

  /** Writes a table file with records 4 to 6; earlier records are compacted away. */
  private void writeTable() throws InterruptedException {
    try (RocksDbJournal journal = RocksDbJournal.open(original, false)) {
      append(journal, "x", "y", "z");
      journal.compact(Records.of("a", "b", "c")).join();
      journal.awaitShrunk();
    }
  }

  private static Journal open(Path directory) {
    return RocksDbJournal.open(directory, false);
  }

  private static void assertGoesOn(Path directory, String... records) {
    try (Journal journal = open(directory)) {
      assertThat(replay(journal)).containsExactly(records);
      assertThat(append(journal, "next")).isEqualTo(records.length + 1L);
    }
    try (Journal journal = open(directory)) {
      assertThat(replay(journal)).hasSize(records.length + 1).endsWith("next");
    }
  }

  /** Returns whether all records are there; fails if some are missing without an error. */
  private static boolean assertWholeOrDataLoss(Path directory, String... records) {
    try (Journal journal = open(directory)) {
      assertThat(replay(journal)).containsExactly(records);
      return true;
    } catch (StatusException e) {
      assertThat(e.code()).as(e.message()).isEqualTo(StatusCode.DATA_LOSS);
      return false;
    }
  }

  private static AbstractStringAssert<?> assertDataLoss(Path directory) {
    try (Journal journal = open(directory)) {
      return fail("opened, with " + replay(journal));
    } catch (StatusException e) {
      assertThat(e.code()).as(e.message()).isEqualTo(StatusCode.DATA_LOSS);
      return assertThat(e.message());
    }
  }

  private static void assertSame(Path one, Path other) throws IOException {
    for (Path file : DirectoryCopy.files(one, "")) {
      Path twin = other.resolve(one.relativize(file));
      if (Files.isRegularFile(file)) {
        assertThat(Files.readAllBytes(file))
            .as(file.toString())
            .isEqualTo(Files.readAllBytes(twin));
      }
    }
    assertThat(DirectoryCopy.files(one, "")).hasSameSizeAs(DirectoryCopy.files(other, ""));
  }

  private static Path log(Path directory) throws IOException {
    return DirectoryCopy.files(directory, ".log").getLast();
  }

  private static Path table(Path directory) throws IOException {
    return DirectoryCopy.files(directory, ".sst").getLast();
  }
}
