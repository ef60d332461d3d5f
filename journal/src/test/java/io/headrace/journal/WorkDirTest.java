package io.headrace.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Claims of a work_dir. */
final class WorkDirTest {
  private static final WorkDirOwner HERE = new WorkDirOwner("here", 7, "2026-01-01T00:00:00Z", 0);
  private static final WorkDirOwner THERE = new WorkDirOwner("there", 8, "2026-01-02T00:00:00Z", 0);

  @TempDir Path directory = Path.of("");

  @Test
  void open_missingDirectory_isMade() {
    try (Journal journal = open(directory.resolve("a/b"), HERE)) {
      assertThat(journal.epoch()).isEqualTo(1);
    }
  }

  @Test
  void epoch_growsByOneAStart() {
    open(directory, HERE).close();
    open(directory, HERE).close();

    try (Journal journal = open(directory, HERE)) {
      assertThat(journal.epoch()).isEqualTo(3);
    }
  }

  @Test
  void open_heldInThisProcess_isRefusedNamingTheHolder() {
    try (Journal first = open(directory, HERE)) {
      assertRefused(directory, HERE).contains("process 7 on host here");

      assertThat(Records.append(first, "still")).isEqualTo(1);
    }
    open(directory, HERE).close();
  }

  @Test
  void open_heldUnderAnotherName_isRefused() throws IOException {
    Path link =
        Files.createSymbolicLink(
            directory.resolveSibling(directory.getFileName() + "-l"), directory);
    try (Journal _ = open(directory, HERE)) {
      assertRefused(link, HERE).contains("process 7");
    } finally {
      Files.delete(link);
    }
  }

  @Test
  void open_ofAnotherHost_isRefusedUnlessTakenOver() {
    open(directory, THERE).close();

    assertRefused(directory, HERE).contains("process 8 on host there", "--take-over");
    try (Journal journal = RocksDbJournal.open(directory, HERE, true)) {
      assertThat(journal.epoch()).isEqualTo(2);
    }
    open(directory, HERE).close();
  }

  @Test
  void open_ofAnotherHost_changesNothing() throws IOException {
    open(directory, THERE).close();
    byte[] owner = Files.readAllBytes(directory.resolve("owner"));

    assertRefused(directory, HERE);

    assertThat(Files.readAllBytes(directory.resolve("owner"))).isEqualTo(owner);
  }

  @Test
  void open_otherFiles_isRefusedAndChangesNothing() throws IOException {
    Files.writeString(directory.resolve("thesis.txt"), "mine");

    assertRefused(directory, HERE).contains("thesis.txt");

    assertThat(directory.toFile().list()).containsExactly("thesis.txt");
  }

  @Test
  void open_journalOfSomethingElse_isRefusedAndChangesNothing() throws IOException {
    Path journal = Files.createDirectory(directory.resolve("journal"));
    Files.writeString(journal.resolve("monday.txt"), "rain");

    assertRefused(directory, HERE).contains("holds no journal of Headrace", "journal");

    assertThat(directory.toFile().list()).containsExactly("journal");
    assertThat(journal.toFile().list()).containsExactly("monday.txt");
  }

  @Test
  void open_readOnlyFileSystem_isRefusedAndChangesNothing()
      throws IOException, InterruptedException {
    try (SmallDisk disk = SmallDisk.mount(directory, "64k,ro")) {
      assertRefused(disk.directory(), HERE).contains("can't be written to");
      assertRefused(disk.directory().resolve("below"), HERE).contains("can't be used");

      assertThat(directory.toFile().list()).isEmpty();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // in whose /proc nobody makes a folder
  void open_whereNoFolderCanBe_isRefusedInWords() throws IOException {
    assertRefused(Path.of("/proc/nowhere"), HERE)
        .isEqualTo(
            "work_dir /proc/nowhere can't be used: there is no /proc/nowhere, and it can't be"
                + " created");
    Path file = Files.createFile(directory.resolve("file"));
    assertRefused(file, HERE).endsWith(file + " is a file");
  }

  @Test
  void open_stockJournal_isRefusedByName() throws IOException {
    Files.createDirectory(directory.resolve("datasets"));
    Files.createDirectory(directory.resolve("tf_data_dispatcher_journal"));

    assertRefused(directory, HERE).contains("TensorFlow");
  }

  @Test
  void open_newerFormat_isRefusedAndChangesNothing() throws IOException {
    open(directory, HERE).close();
    Path owner = directory.resolve("owner");
    String newer = Files.readString(owner).replace("headrace journal 1", "headrace journal 2");
    Files.writeString(owner, newer);

    assertRefused(directory, HERE).contains("format 2", "format 1");

    assertThat(Files.readString(owner)).isEqualTo(newer);
  }

  @Test
  void open_foreignOwnerFile_isRefused() throws IOException {
    Files.write(directory.resolve("owner"), "root\n".getBytes(UTF_8));

    assertRefused(directory, HERE).contains("owner", "not written by Headrace");
  }

  @Test
  void open_notADirectory_isRefused() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertRefused(file, HERE).contains(file.toString());
    assertRefused(file.resolve("below"), HERE).contains(file.toString());
  }

  @Test
  void open_leftoverOfAFirstStartThatCrashed_beginsAnew() throws IOException {
    Files.createFile(directory.resolve("owner"));
    Files.createDirectory(directory.resolve("journal.new"));
    Files.createFile(directory.resolve("journal.new/CURRENT"));

    try (Journal journal = open(directory, HERE)) {
      assertThat(journal.epoch()).isEqualTo(1);
    }
    assertThat(directory.resolve("journal.new")).doesNotExist();
  }

  private static Journal open(Path directory, WorkDirOwner me) {
    return RocksDbJournal.open(directory, me, false);
  }

  private static AbstractStringAssert<?> assertRefused(Path directory, WorkDirOwner me) {
    StatusException e =
        catchThrowableOfType(StatusException.class, () -> open(directory, me).close());
    assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    return assertThat(e.message()).doesNotContain("\n");
  }
}
