package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Fencing: several processes that claim one journal. */
final class GcsFenceTest extends GcsTests {
  @Test
  void successor_takesOverTheJournal_andIsNamedToThePredecessor() {
    try (GcsJournal older = open(location, GcsSettings.defaults(), "old-host")) {
      append(older, "a");
      try (GcsJournal newer = open(location, HASTY, "new-host")) {
        assertThat(replay(newer)).containsExactly("a");
        Throwable refused = catchThrowable(() -> append(older, "lost"));

        assertCode(refused, StatusCode.FAILED_PRECONDITION);
        assertThat(older.lost().join().message())
            .contains(location.toString(), "was taken over", "new-host");
        assertThatThrownBy(() -> replay(older)).isInstanceOf(StatusException.class);
        append(newer, "b");
        assertThat(replay(newer)).containsExactly("a", "b");
      }
    }
  }

  @Test
  void idlePredecessor_noticesTheTakeover() {
    try (GcsJournal older = open(location, HASTY);
        GcsJournal newer = open(location, HASTY)) {
      assertCode(older.lost().join(), StatusCode.FAILED_PRECONDITION);
      assertThat(append(newer, "a")).isEqualTo(1);
      assertThat(newer.lost()).isNotDone();
    }
  }

  @Test
  void busyPredecessor_losesNoAcknowledgedRecord() throws InterruptedException {
    List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch some = new CountDownLatch(10);
    try (GcsJournal older = open(location, HASTY)) {
      Thread busy =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int i = 0; ; i++) {
                    append(older, "word " + i);
                    acknowledged.add("word " + i);
                    some.countDown();
                  }
                } catch (RuntimeException e) {
                  // Fenced off by the successor.
                }
              });
      some.await();
      try (GcsJournal newer = open(location, HASTY)) {
        busy.join();
        // One more record may have been written and not acknowledged.
        assertThat(replay(newer))
            .startsWith(acknowledged.toArray(String[]::new))
            .hasSizeLessThanOrEqualTo(acknowledged.size() + 1);
        assertThat(older.lost()).isCompleted();
      }
    }
  }

  @Test
  void manyStartsAtOnce_oneHasTheJournalInTheEnd() {
    List<CompletableFuture<GcsJournal>> starts =
        IntStream.range(0, 6)
            .mapToObj(i ->
                CompletableFuture.supplyAsync(
                    () -> open(location, HASTY, "host-" + i),
                    task -> Thread.ofPlatform().start(task)))
            .toList();
    List<GcsJournal> opened = new ArrayList<>();
    for (CompletableFuture<GcsJournal> start : starts) {
      try {
        opened.add(start.join());
      } catch (RuntimeException e) {
        assertCode(e, StatusCode.FAILED_PRECONDITION);
      }
    }
    GcsJournal last =
        opened.stream().max(Comparator.comparingLong(GcsJournal::epoch)).orElseThrow();
    assertThat(append(last, "mine")).isEqualTo(1);
    assertThat(opened.stream().map(GcsJournal::epoch)).doesNotHaveDuplicates();
    for (GcsJournal journal : opened) {
      if (journal != last) {
        assertCode(journal.lost().join(), StatusCode.FAILED_PRECONDITION);
      }
      journal.close();
    }
  }
}
