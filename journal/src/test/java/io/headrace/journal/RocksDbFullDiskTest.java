package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A journal on a disk that is full, and later has room again. */
final class RocksDbFullDiskTest {
  @TempDir(cleanup = CleanupMode.NEVER)
  Path mountPoint = Path.of("");

  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<String> acknowledged = new ArrayList<>();

  @BeforeEach
  void mount() throws IOException, InterruptedException {
    open.add(SmallDisk.mount(mountPoint, "48m"));
  }

  @AfterEach
  void unmount() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    Files.delete(mountPoint);
  }

  private SmallDisk disk() {
    return (SmallDisk) open.getFirst();
  }

  @Test
  void append_whileFull_isUnavailable_andRecoversOnceThereIsRoom() throws IOException {
    try (Journal journal = open()) {
      appendWord(journal, "first");
      disk().fill(200_000);
      fillUp(journal);

      for (int i = 0; i < 3; i++) {
        assertThat(replay(journal)).isEqualTo(acknowledged);
        assertUnavailable(() -> append(journal, "x".repeat(10_000)));
      }
      assertThat(replay(journal)).isEqualTo(acknowledged);
      disk().makeRoom();
      appendWord(journal, "room");
      appendWord(journal, "again");

      assertThat(replay(journal)).isEqualTo(acknowledged);
    }
    assertReopened();
  }

  @Test
  void append_whileFull_failsUntilReplayedOrResumed() throws IOException {
    try (Journal journal = open()) {
      disk().fill(100_000);
      fillUp(journal);
      journal.resume();
      assertUnavailable(() -> append(journal, "x".repeat(10_000)));
      disk().makeRoom();

      assertUnavailable(() -> append(journal, "too early"));
      assertThat(replay(journal)).isEqualTo(acknowledged);
      appendWord(journal, "now");
      journal.resume();
      appendWord(journal, "and again");
    }
    assertReopened();
  }

  @Test
  void compact_whileFull_keepsTheOldRecords() throws IOException {
    try (Journal journal = open()) {
      appendWord(journal, "first");
      disk().fill(500_000);

      assertUnavailable(() -> journal.compact(Records.of("x".repeat(12 << 20), "y")).join());
      assertThat(replay(journal)).isEqualTo(acknowledged);
      disk().makeRoom();
      appendWord(journal, "second");
      assertThat(replay(journal)).isEqualTo(acknowledged);
    }
    assertReopened();
  }

  @Test
  void killed_whileFull_hasAllAcknowledgedRecords() throws IOException {
    try (Journal journal = open()) {
      appendWord(journal, "first");
      disk().fill(200_000);
      fillUp(journal);
      // The state after a kill: the copy has nothing of the journal's orderly close.
      DirectoryCopy.copy(work(), mountPoint.resolveSibling("copy"));
    }
    disk().makeRoom();
    DirectoryCopy.copy(mountPoint.resolveSibling("copy"), work());
    DirectoryCopy.delete(mountPoint.resolveSibling("copy"));

    assertReopened();
  }

  @Test
  void open_whileFull_isRefusedAndLosesNothing() throws IOException {
    try (Journal journal = open()) {
      appendWord(journal, "first");
    }
    disk().fill(0);

    StatusException e = catchThrowableOfType(StatusException.class, () -> open().close());
    assertThat(e.message()).contains("No space left on device", work().toString());
    disk().makeRoom();

    assertReopened();
  }

  private Path work() {
    return mountPoint.resolve("work");
  }

  private Journal open() {
    return RocksDbJournal.open(work(), false);
  }

  private void appendWord(Journal journal, String word) {
    append(journal, word);
    acknowledged.add(word);
  }

  /** Appends until an append fails as expected. */
  private void fillUp(Journal journal) {
    assertUnavailable(() -> {
      for (int i = 0; i < 10_000; i++) {
        appendWord(journal, i + "x".repeat(10_000));
      }
    });
  }

  private void assertReopened() {
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEqualTo(acknowledged);
      appendWord(journal, "after");
      assertThat(replay(journal)).isEqualTo(acknowledged);
    }
  }

  private static void assertUnavailable(Runnable append) {
    assertThatThrownBy(append::run)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE));
  }
}
