package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The journal contract in a bucket of the emulator fake-gcs-server. */
@SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
final class GcsJournalTest extends GcsTests implements JournalContract {
  @Override
  public Journal open() {
    return open(location, GcsSettings.defaults());
  }

  @Test
  void manyAppends_leaveFewObjects_andReplayAll() throws Exception {
    List<String> expected = new ArrayList<>();
    try (GcsJournal journal = open(location, HASTY)) {
      for (int i = 0; i < 100; i++) {
        append(journal, "record " + i);
        expected.add("record " + i);
      }
      journal.awaitClean();

      assertThat(objects().stream().filter(name -> name.startsWith("log/")))
          .hasSizeLessThanOrEqualTo(HASTY.rollUpAfter() + 2);
      // Parts of 64 bytes, with 5 to 9 records each.
      assertThat(objects().stream().filter(name -> name.startsWith("snapshot/")))
          .hasSizeBetween(14, 28);
      assertThat(replay(journal)).isEqualTo(expected);
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEqualTo(expected);
    }
  }

  @Test
  void compact_leavesNothingOfWhatItReplaced() throws Exception {
    try (GcsJournal journal = open(location, HASTY)) {
      for (int i = 0; i < 20; i++) {
        append(journal, "record " + i);
      }
      journal.compact(Records.of("all")).join();
      journal.awaitClean();

      // The hint is written at intervals, so it may or may not exist yet.
      assertThat(objects().stream().filter(name -> !name.equals(GcsObjectNames.ACKNOWLEDGED)))
          .satisfiesExactlyInAnyOrder(
              name -> assertThat(name).isEqualTo(GcsObjectNames.HEADER),
              name -> assertThat(name).isEqualTo(GcsObjectNames.log(1)),
              name -> assertThat(name).startsWith("log/"),
              name -> assertThat(name).startsWith("snapshot/"));
    }
  }

  @Test
  void manyStarts_leaveOneSmallObjectEach() {
    for (int i = 0; i < 20; i++) {
      try (Journal journal = open(location, HASTY)) {
        append(journal, "word " + i);
      }
    }
    try (Journal journal = open(location, HASTY)) {
      assertThat(replay(journal)).hasSize(20);
      assertThat(journal.epoch()).isEqualTo(21);
    }
    assertThat(objects()).hasSizeBetween(22, 22 + 2 * HASTY.rollUpAfter());
  }

  @Test
  void leftoversOfACrashedCompaction_areDeletedAtTheNextStart() throws Exception {
    try (GcsJournal journal = open(location, HASTY);
        GcsBucket bucket = bucket()) {
      append(journal, "a");
      bucket.overwrite(GcsObjectNames.part(1, 99), new byte[10]);
    }
    try (GcsJournal journal = open(location, HASTY)) {
      journal.awaitClean();
      assertThat(objects()).doesNotContain(GcsObjectNames.part(1, 99));
      assertThat(replay(journal)).containsExactly("a");
    }
  }

  @Test
  void partsOfALaterEpoch_areLeftAlone() throws Exception {
    try (GcsJournal journal = open(location, HASTY);
        GcsBucket bucket = bucket()) {
      append(journal, "a");
      bucket.overwrite(GcsObjectNames.part(3, 1), new byte[10]);
    }
    try (GcsJournal journal = open(location, HASTY)) {
      journal.awaitClean();
      assertThat(objects()).contains(GcsObjectNames.part(3, 1));
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

  @Test
  void bucketRoot_isAValidPath() {
    location = new GcsLocation(location.bucket(), "", location.endpoint());
    try (Journal journal = open()) {
      append(journal, "a");
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEqualTo(Collections.singletonList("a"));
    }
  }
}
