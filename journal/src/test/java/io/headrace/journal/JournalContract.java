package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The contract that every journal's test runs. */
interface JournalContract {
  /** Opens the journal under test; after a close, another call reopens it. */
  Journal open();

  @Test
  default void replay_newJournal_deliversNothing() {
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEmpty();
    }
  }

  @Test
  default void replay_deliversRecordsInOrder() {
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
        var _ = journal.append(Records.of("record " + i));
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
      journal.compact(Records.of("abc")).join();
      append(journal, "d");

      assertThat(replay(journal)).containsExactly("abc", "d");
    }
  }

  @Test
  default void compact_reopened_replaysTheNewRecords() {
    try (Journal journal = open()) {
      append(journal, "a", "b");
      journal.compact(Records.of("ab")).join();
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).containsExactly("ab");
    }
  }

  @Test
  default void compact_toNothing_numbersGoOn() {
    try (Journal journal = open()) {
      append(journal, "a", "b");

      assertThat(journal.compact(List.of()).join()).isEqualTo(2);
      assertThat(replay(journal)).isEmpty();
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEmpty();
      assertThat(append(journal, "c")).isEqualTo(3);
      assertThat(replay(journal)).containsExactly("c");
    }
  }

  @Test
  default void compact_numbersTheNewRecordsAfterTheOld() {
    try (Journal journal = open()) {
      append(journal, "a", "b", "c");

      assertThat(journal.compact(Records.of("ab", "c")).join()).isEqualTo(5);
      assertThat(append(journal, "d")).isEqualTo(6);
    }
  }

  @Test
  default void compact_manyTimesAndReopened_keepsTheLast() {
    try (Journal journal = open()) {
      for (int i = 0; i < 5; i++) {
        append(journal, "x", "y");
        journal.compact(Records.of("all of " + i)).join();
      }
      append(journal, "z");
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).containsExactly("all of 4", "z");
    }
  }

  @Test
  default void compact_largeRecords_keepsThemAll() {
    List<String> large = List.of("a".repeat(3 << 20), "b".repeat(3 << 20), "c".repeat(3 << 20));
    try (Journal journal = open()) {
      append(journal, "small");
      journal.compact(Records.of(large.toArray(String[]::new))).join();
    }
    try (Journal journal = open()) {
      assertThat(replay(journal)).isEqualTo(large);
    }
  }

  @Test
  default void append_noRecords_givesTheLastNumber() {
    try (Journal journal = open()) {
      append(journal, "a");

      assertThat(journal.append(List.of()).join()).isEqualTo(1);
      assertThat(replay(journal)).containsExactly("a");
    }
  }

  @Test
  default void append_byManyThreads_keepsBatchesWholeAndNumbersApart() throws InterruptedException {
    Queue<Long> numbers = new ConcurrentLinkedQueue<>();
    try (Journal journal = open()) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        String name = "thread " + t;
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int i = 0; i < 20; i++) {
                    numbers.add(append(journal, name, name));
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      List<String> all = replay(journal);

      assertThat(all).hasSize(320);
      for (int i = 0; i < all.size(); i += 2) {
        assertThat(all.get(i)).isEqualTo(all.get(i + 1));
      }
      assertThat(numbers).hasSize(160).doesNotHaveDuplicates().allMatch(n -> n % 2 == 0);
    }
  }

  @Test
  default void replay_readerFails_itsFailureIsThrownAndTheJournalGoesOn() {
    try (Journal journal = open()) {
      append(journal, "a");

      assertThatThrownBy(() -> journal.replay(_ -> fail("no")))
          .isInstanceOf(AssertionError.class)
          .hasMessage("no");
      append(journal, "b");
      assertThat(replay(journal)).containsExactly("a", "b");
    }
  }

  @Test
  default void epoch_growsByOneWithEachOpening() {
    long first;
    try (Journal journal = open()) {
      first = journal.epoch();
      assertThat(first).isPositive();
    }
    try (Journal journal = open()) {
      assertThat(journal.epoch()).isEqualTo(first + 1);
    }
  }

  @Test
  default void append_closed_fails() {
    Journal journal = open();
    journal.close();
    journal.close();

    assertThatThrownBy(() -> append(journal, "a")).hasMessageContaining("closed");
  }
}
