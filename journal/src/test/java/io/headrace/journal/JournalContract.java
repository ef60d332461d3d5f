package io.headrace.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every journal promises. */
interface JournalContract {
  /** Opens the journal under test; after a close, another call opens the same one again. */
  Journal open();

  @Test
  default void replay_newJournal_givesNothing() {
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEmpty();
    }
  }

  @Test
  default void replay_givesWhatWasAppendedInOrder() {
    try (Journal journal = open()) {
      append(journal, "a", "b");
      append(journal, "c");

      assertThat(replay(journal)).containsExactly("a", "b", "c");
    }
  }

  @Test
  default void append_givesTheNumberOfItsLastRecord() {
    try (Journal journal = open()) {
      append(journal, "a", "b");

      assertThat(append(journal, "c")).isEqualTo(3);
    }
  }

  @Test
  default void append_emptyRecord_isKept() {
    try (Journal journal = open()) {
      append(journal, "", "b");

      assertThat(replay(journal)).containsExactly("", "b");
    }
  }

  @Test
  default void append_largeRecord_isKept() {
    String large = "x".repeat(1 << 20);
    try (Journal journal = open()) {
      append(journal, large);

      assertThat(replay(journal)).containsExactly(large);
    }
  }

  @Test
  default void append_manyAtOnce_keepsTheirOrder() {
    try (Journal journal = open()) {
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        expected.add("record " + i);
        var _ = journal.append(bytes("record " + i));
      }
      append(journal, "last");
      expected.add("last");

      assertThat(replay(journal)).isEqualTo(expected);
    }
  }

  @Test
  default void reopen_replaysWhatWasAppended() {
    try (Journal journal = open()) {
      append(journal, "a", "b");
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).containsExactly("a", "b");
    }
  }

  @Test
  default void reopen_numbersGoOn() {
    try (Journal journal = open()) {
      append(journal, "a", "b");
    }
    try (Journal journal = open()) {
      replay(journal);

      assertThat(append(journal, "c")).isEqualTo(3);
    }
  }

  @Test
  default void compact_replacesWhatWasThere() {
    try (Journal journal = open()) {
      append(journal, "a", "b", "c");
      journal.compact(bytes("abc")).join();
      append(journal, "d");

      assertThat(replay(journal)).containsExactly("abc", "d");
    }
  }

  @Test
  default void compact_reopened_replaysTheNewRecords() {
    try (Journal journal = open()) {
      append(journal, "a", "b");
      journal.compact(bytes("ab")).join();
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).containsExactly("ab");
    }
  }

  @Test
  default void append_closed_fails() {
    Journal journal = open();
    journal.close();
    journal.close();

    assertThatThrownBy(() -> append(journal, "a")).hasMessageContaining("closed");
  }

  private static long append(Journal journal, String... records) {
    return journal.append(bytes(records)).join();
  }

  private static List<byte[]> bytes(String... records) {
    return List.of(records).stream().map(r -> r.getBytes(UTF_8)).toList();
  }

  private static List<String> replay(Journal journal) {
    List<String> records = new ArrayList<>();
    journal.replay(record -> records.add(new String(record, UTF_8)));
    return records;
  }
}
