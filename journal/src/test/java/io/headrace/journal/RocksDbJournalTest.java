package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal contract with RocksDB on a real disk. */
final class RocksDbJournalTest implements JournalContract {
  @TempDir Path directory = Path.of("");

  @Override
  public RocksDbJournal open() {
    return RocksDbJournal.open(directory, false);
  }

  @Test
  void compact_givesTheDiskBack() throws IOException, InterruptedException {
    try (RocksDbJournal journal = open()) {
      for (int i = 0; i < 4; i++) {
        append(journal, "x".repeat(1 << 20), "y".repeat(1 << 20));
        journal.compact(Records.of("small")).join();
      }
      journal.awaitShrunk();

      assertThat(bytesOnDisk()).isLessThan(100_000);
    }
  }

  @Test
  void close_whileFilesShrink_losesNothing() {
    List<String> large = Collections.nCopies(20, "x".repeat(1 << 20));
    for (int i = 0; i < 4; i++) {
      try (Journal journal = open()) {
        journal.compact(Records.of(large.toArray(String[]::new))).join();
        append(journal, "last");
      }
      try (Journal journal = open()) {
        assertThat(replay(journal)).hasSize(21).startsWith(large.getFirst()).endsWith("last");
      }
    }
  }

  @Test
  void manyStarts_leaveLittleBehind() throws IOException {
    for (int i = 0; i < 12; i++) {
      try (Journal journal = open()) {
        append(journal, "word " + i);
      }
    }
    assertThat(bytesOnDisk()).isLessThan(150_000);
    try (Journal journal = open()) {
      assertThat(replay(journal)).hasSize(12);
    }
  }

  @Test
  void append_beyondTheQueueLimit_blocksUntilThereIsRoom() {
    byte[] large = new byte[16 << 20];
    try (Journal journal = open()) {
      CompletableFuture<Long> last = journal.append(List.of(large));
      for (int i = 0; i < 7; i++) {
        last = journal.append(List.of(large));
      }
      assertThat(last.join()).isEqualTo(8);
    }
  }

  @Test
  void close_writesQueuedAppends() {
    CompletableFuture<Long> last;
    try (Journal journal = open()) {
      for (int i = 0; i < 50; i++) {
        var _ = journal.append(Records.of("word " + i));
      }
      last = journal.append(Records.of("last"));
    }
    assertThat(last).isCompletedWithValue(51L);
    try (Journal journal = open()) {
      assertThat(replay(journal)).hasSize(51).endsWith("last");
    }
  }

  private long bytesOnDisk() throws IOException {
    long bytes = 0;
    for (Path file : DirectoryCopy.files(directory, "")) {
      bytes += Files.isRegularFile(file) ? Files.size(file) : 0;
    }
    return bytes;
  }
}
