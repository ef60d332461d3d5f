package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headrace.journal.FaultProxy.Fault;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A bucket that is slow, fails, or carries requests out late. */
@Execution(ExecutionMode.CONCURRENT) // these tests mostly wait
final class GcsFaultTest extends GcsTests {
  private FaultProxy proxy;

  @BeforeEach
  void startProxy() throws IOException {
    proxy = FaultProxy.start(emulator().endpoint());
  }

  @AfterEach
  void stopProxy() {
    proxy.close();
  }

  private GcsJournal openThroughProxy() {
    return open(proxy.before(location), HASTY);
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"NONE", "ANSWER_403"})
  void append_transientFault_isWrittenOnce(Fault fault) {
    try (GcsJournal journal = openThroughProxy()) {
      AtomicInteger writes = new AtomicInteger();
      proxy.faults(call ->
          call.writes(GcsObjectNames.log(2)) && writes.getAndIncrement() == 0 ? fault : Fault.NONE);

      assertThat(append(journal, "a", "b")).isEqualTo(2);
      assertThat(append(journal, "c")).isEqualTo(3);
      assertThat(writes.get()).isPositive();
      assertThat(replay(journal)).containsExactly("a", "b", "c");
    }
    assertHolds("a", "b", "c");
  }

  @Test
  void errorOfTheWriter_isAnOutage_thatEnds() throws InterruptedException {
    AtomicInteger thrown = new AtomicInteger();
    CountDownLatch threw = new CountDownLatch(1);
    Ticker broken =
        () -> {
          if (Thread.currentThread().getName().equals("journal-writer")
              && thrown.getAndIncrement() == 0) {
            threw.countDown();
            throw new NoClassDefFoundError("of a test");
          }
          return SystemTicker.INSTANCE.nanoTime();
        };
    try (GcsJournal journal =
        GcsJournal.open(location, HASTY, broken, new WorkDirOwner("host", 7, "then", 0))) {
      threw.await();

      boolean written = false;
      while (!written) {
        written = catchThrowable(() -> append(journal, "a")) == null;
        if (!written) {
          replay(journal);
        }
      }
    }
    assertHolds("a");
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"NONE", "ANSWER_403"})
  void compact_transientFaults_doNoHarm(Fault fault) {
    try (GcsJournal journal = openThroughProxy()) {
      append(journal, "a");
      List<String> seen = new ArrayList<>();
      proxy.faults(call -> {
        synchronized (seen) {
          boolean again = !call.isChange() || seen.contains(call.object());
          seen.add(call.object());
          return again ? Fault.NONE : fault;
        }
      });
      assertThat(journal.compact(Records.of("A", "B")).join()).isEqualTo(3);
      append(journal, "c");
    }
    assertHolds("A", "B", "c");
  }

  @Test
  void open_transientFaults_areRetried() {
    try (GcsJournal journal = open(location, HASTY)) {
      append(journal, "a");
    }
    AtomicInteger calls = new AtomicInteger();
    proxy.faults(_ -> calls.getAndIncrement() % 2 == 0 ? Fault.ANSWER_429 : Fault.NONE);
    try (GcsJournal journal = openThroughProxy()) {
      assertThat(replay(journal)).containsExactly("a");
      assertThat(journal.epoch()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ANSWER_403", "ANSWER_429", "ANSWER_503", "NO_ANSWER"})
  void outage_appendsAreUnavailable_replaysWork_andAppendsRecover(Fault fault) {
    try (GcsJournal journal = openThroughProxy()) {
      append(journal, "a");
      proxy.faults(_ -> fault);
      assertUnavailable(journal.append(Records.of("b")));
      for (int i = 0; i < 3; i++) {
        assertThat(replay(journal)).containsExactly("a");
        CompletableFuture<Long> refused = journal.append(Records.of("c"));
        assertThat(refused).as("at once").isCompletedExceptionally();
        assertUnavailable(refused);
      }
      proxy.faults(_ -> Fault.NONE);
      appendAfterOutage(journal, "d");
      append(journal, "e");

      assertThat(replay(journal)).containsExactly("a", "d", "e");
    }
    assertHolds("a", "d", "e");
  }

  @Test
  void outage_appendsFailUntilReplayed() throws InterruptedException {
    try (GcsJournal journal = openThroughProxy()) {
      proxy.faults(_ -> Fault.ANSWER_503);
      assertUnavailable(journal.append(Records.of("a")));
      proxy.faults(_ -> Fault.NONE);
      while (!messageOf(journal.append(Records.of("b"))).contains("was not replayed since")) {
        Thread.sleep(20);
      }
      assertThat(replay(journal)).isEmpty();
      assertThat(append(journal, "c")).isEqualTo(1);
    }
    assertHolds("c");
  }

  @Test
  void outage_compactionFailsAndTheOldRecordsStay() {
    try (GcsJournal journal = openThroughProxy()) {
      append(journal, "a", "b");
      proxy.faults(call -> call.isChange() ? Fault.ANSWER_503 : Fault.NONE);
      assertUnavailable(journal.compact(Records.of("ab")));
      assertThat(replay(journal)).containsExactly("a", "b");
      proxy.faults(_ -> Fault.NONE);
      appendAfterOutage(journal, "c");
    }
    assertHolds("a", "b", "c");
  }

  @Test
  void outage_closeReturnsSoon() {
    GcsJournal journal = openThroughProxy();
    append(journal, "a");
    proxy.faults(_ -> Fault.ANSWER_503);
    assertUnavailable(journal.append(Records.of("b")));
    journal.close();

    assertHolds("a");
  }

  /** The write succeeds, its caller gets UNAVAILABLE, and the journal goes on without it. */
  @Test
  void abandonedWrite_thatSucceeded_doesNotCount() {
    try (GcsJournal journal = openThroughProxy()) {
      append(journal, "a");
      proxy.faults(
          call -> call.writes(GcsObjectNames.log(3)) ? Fault.DONE_BUT_503 : Fault.ANSWER_503);
      assertUnavailable(journal.append(Records.of("given up")));
      proxy.faults(_ -> Fault.NONE);
      appendAfterOutage(journal, "b");
      for (int i = 0; i < 2 * HASTY.rollUpAfter(); i++) {
        append(journal, "c");
      }
      assertThat(replay(journal)).startsWith("a", "b", "c").doesNotContain("given up");
    }
    try (GcsJournal journal = open(location, HASTY)) {
      assertThat(replay(journal)).hasSize(2 + 2 * HASTY.rollUpAfter()).doesNotContain("given up");
    }
  }

  @Test
  void abandonedWrite_thatArrivesLate_doesNotCount() throws IOException, InterruptedException {
    try (GcsJournal journal = openThroughProxy()) {
      append(journal, "a");
      proxy.faults(call -> call.writes(GcsObjectNames.log(3)) ? Fault.LATER : Fault.ANSWER_503);
      assertUnavailable(journal.append(Records.of("given up")));
      proxy.faults(_ -> Fault.NONE);
      appendAfterOutage(journal, "b");
      proxy.deliverLate();
      append(journal, "c");
    }
    assertHolds("a", "b", "c");
  }

  @SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
  @Test
  void predecessorsWrite_afterTheSuccessorsCompaction_changesNothing() throws Exception {
    try (GcsJournal first = openThroughProxy()) {
      append(first, "a");
      proxy.faults(call -> call.writes(GcsObjectNames.log(3)) ? Fault.LATER : Fault.NO_ANSWER);
      CompletableFuture<Long> late = first.append(Records.of("late"));
      try (GcsJournal second = open(location, HASTY)) {
        append(second, "b");
        second.compact(Records.of("ab")).join();
        second.awaitClean();
        assertUnavailable(late);
        proxy.faults(_ -> Fault.NONE);
        proxy.deliverLate();
        append(second, "c");

        assertCode(first.lost().join(), StatusCode.FAILED_PRECONDITION);
        assertThat(replay(second)).containsExactly("ab", "c");
      }
    }
    assertHolds("ab", "c");
  }

  /**
   * The number was taken by an earlier attempt, whose object the successor replaced and deleted.
   */
  @SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
  @Test
  void predecessor_whoseNumberIsFreeAgain_isStillSuperseded() throws Exception {
    try (GcsJournal first = openThroughProxy()) {
      append(first, "a");
      proxy.faults(
          call -> call.writes(GcsObjectNames.log(3)) ? Fault.DONE_BUT_503 : Fault.ANSWER_503);
      assertUnavailable(first.append(Records.of("b")));
      proxy.faults(_ -> Fault.ANSWER_503);
      try (GcsJournal second = open(location, HASTY)) {
        assertThat(replay(second)).containsExactly("a", "b");
        second.compact(Records.of("ab")).join();
        second.awaitClean();
        assertThat(objects()).doesNotContain(GcsObjectNames.log(3));
        proxy.faults(_ -> Fault.NONE);

        assertCode(first.lost().join(), StatusCode.FAILED_PRECONDITION);
        append(second, "c");
      }
    }
    assertHolds("ab", "c");
  }

  @Test
  void undeletableObject_doesNoHarm() {
    try (GcsJournal journal = openThroughProxy()) {
      proxy.faults(call -> call.method().equals("DELETE") ? Fault.ANSWER_403 : Fault.NONE);
      for (int i = 0; i < 3 * HASTY.rollUpAfter(); i++) {
        append(journal, "x");
      }
      journal.compact(Records.of("all")).join();
      append(journal, "last");
    }
    assertHolds("all", "last");
  }

  private void appendAfterOutage(Journal journal, String word) {
    while (true) {
      var _ = replay(journal);
      CompletableFuture<Long> appended = journal.append(Records.of(word));
      @Nullable Throwable failure = catchThrowable(appended::join);
      if (failure == null) {
        return;
      }
      assertCode(failure, StatusCode.UNAVAILABLE);
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void assertHolds(String... words) {
    try (Journal journal = open(location, HASTY)) {
      assertThat(replay(journal)).containsExactly(words);
      append(journal, "after");
      assertThat(replay(journal)).endsWith("after");
    }
  }

  private static void assertUnavailable(CompletableFuture<Long> append) {
    assertCode(catchThrowable(append::join), StatusCode.UNAVAILABLE);
  }

  private static String messageOf(CompletableFuture<Long> append) {
    return catchThrowable(append::join).getCause() instanceof StatusException e ? e.message() : "";
  }
}
