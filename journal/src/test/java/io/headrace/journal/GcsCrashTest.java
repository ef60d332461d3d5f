package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.journal.FaultProxy.Fault;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Crashes a process at each of its changes to the bucket, before or after the change. */
@Execution(ExecutionMode.CONCURRENT) // these tests mostly wait
final class GcsCrashTest extends GcsTests {
  private static final GcsSettings NO_PATIENCE =
      new GcsSettings(Duration.ofSeconds(5), Duration.ZERO, Duration.ofSeconds(5), 3, 16);

  /** One process's life: the records that were acknowledged, and those with the write in flight. */
  private static final class Life {
    List<String> acknowledged = List.of();
    List<String> underWay = List.of();
    boolean isOver;

    /** Two starts with appends, snapshots and a compaction. */
    void run(GcsLocation location) {
      try (GcsJournal journal = open(location, NO_PATIENCE)) {
        for (int i = 0; i < 8; i++) {
          add(journal, "word " + i);
        }
        become(
            List.of("all", "of them"),
            () -> {
              var _ = journal.compact(Records.of("all", "of them")).join();
            });
        add(journal, "a");
      }
      try (GcsJournal journal = open(location, NO_PATIENCE)) {
        add(journal, "b");
        add(journal, "c");
      }
      isOver = true;
    }

    private void add(Journal journal, String word) {
      List<String> next = new ArrayList<>(acknowledged);
      next.add(word);
      become(next, () -> append(journal, word));
    }

    private void become(List<String> next, Runnable write) {
      underWay = next;
      write.run();
      acknowledged = next;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ANSWER_503", "DONE_BUT_503"})
  void crashAtEachChange_keepsAcknowledgedRecords(Fault last) throws IOException {
    boolean isOver = false;
    for (int i = 1; !isOver; i++) {
      location = newLocation();
      isOver = crashAt(i, last);
      assertThat(i).as("changes of one life").isLessThan(200);
    }
  }

  /** Returns whether the process finished before the crash. */
  private boolean crashAt(int change, Fault last) throws IOException {
    Life life = new Life();
    AtomicInteger changes = new AtomicInteger();
    try (FaultProxy proxy = FaultProxy.start(location.endpoint())) {
      proxy.faults(call -> {
        int n = call.isChange() ? changes.incrementAndGet() : changes.get();
        return n < change ? Fault.NONE : n == change && call.isChange() ? last : Fault.ANSWER_503;
      });
      life.run(proxy.before(location));
    } catch (StatusException | CompletionException e) {
      // The simulated crash.
    }
    try (Journal journal = open(location, NO_PATIENCE)) {
      assertThat(replay(journal)).as("change %d", change).isIn(life.acknowledged, life.underWay);
      append(journal, "after");
    }
    try (Journal journal = open(location, NO_PATIENCE)) {
      assertThat(replay(journal)).as("change %d", change).endsWith("after");
    }
    return life.isOver;
  }
}
