package io.headrace.client;

import static io.headrace.client.SharedNumbers.N;
import static io.headrace.client.SharedNumbers.assertAll;
import static io.headrace.client.SharedNumbers.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.client.SharedNumbers.Reader;
import io.headrace.dataset.Checkpoint;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Groups of readers that resume from merged tokens, repeatedly, in whole or in part. */
@Timeout(120)
@Isolated // reads the log
final class GroupResumeTest {
  private final SharedNumbers numbers = new SharedNumbers();
  private final List<List<Long>> parts = new ArrayList<>();

  /** The merged token of two readers when they were killed. */
  private Checkpoint merged = Checkpoint.ofJson("{format: 2, repetitions: [{repetition: 1}]}");

  @BeforeEach
  void readByTwo() {
    List<Reader> two = List.of(numbers.read(named()), numbers.read(named()));
    two.forEach(reader -> reader.take(30));
    two.forEach(reader -> parts.add(reader.taken()));
    merged = merge(two);
    two.forEach(reader -> reader.take(10));
  }

  @AfterEach
  void stop() throws Exception {
    numbers.close();
  }

  private static Checkpoint merge(List<Reader> readers) {
    return readers.stream().map(Reader::checkpoint).reduce(Checkpoint::merge).orElseThrow();
  }

  /** A group of readers resumed from a token; each takes some elements. */
  private List<Reader> comeTogether(Checkpoint token, int number) {
    List<Reader> group = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      group.add(numbers.read(named().resumedFrom(token, i, number)));
    }
    List<CompletableFuture<Reader>> begun =
        group.stream().map(reader -> reader.begin(of -> of.take(10))).toList();
    begun.forEach(CompletableFuture::join);
    return group;
  }

  @Test
  void afterAGroupOfWhichOneNeverCame_aSmallerOneGoesOn() throws InterruptedException {
    ReadStatistics came = new ReadStatistics();
    Reader waiting = numbers.read(named().resumedFrom(merged, 0, 2).withStatistics(came));
    CompletableFuture<List<Long>> waits = waiting.begin(Reader::rest);
    while (came.guarantee().isEmpty()) {
      Thread.sleep(1);
    }

    Reader alone = numbers.read(named().resumedFrom(merged));
    parts.add(alone.rest());

    assertAll(parts);
    assertThat(waits).failsWithin(Duration.ofMinutes(1));
  }

  @Test
  void group_whoseOldTasksHaveElements_waitsForAllOfIt_andNamesTheMissing()
      throws InterruptedException {
    CompletableFuture<List<Long>> first;
    try (WaitLog log = new WaitLog()) {
      first = numbers.read(named().resumedFrom(merged, 0, 3)).begin(Reader::rest);
      assertThat(log.next())
          .endsWith("waits for readers 1, 2 of 3, which resume together and count from 0");
      assertThat(first).isNotDone();
    }
    Reader second = numbers.read(named().resumedFrom(merged, 1, 3));
    Reader third = numbers.read(named().resumedFrom(merged, 2, 3));
    List.of(first, second.begin(Reader::rest), third.begin(Reader::rest))
        .forEach(rest -> parts.add(rest.join()));

    assertAll(parts);
  }

  /** A checkpoint of a read of its own, of the numbers that {@code options} have. */
  private Checkpoint ofAnotherRead(DistributeOptions options) {
    try (Reader reader = numbers.read(options)) {
      return reader.take(20).checkpoint();
    }
  }

  private static void awaitJoin(ReadStatistics statistics) throws InterruptedException {
    while (statistics.guarantee().isEmpty()) {
      Thread.sleep(1);
    }
  }

  @Test
  void checkpointsOfDifferentReads_areRefused_andTheFirstReaderGoesOnWithItsOwn()
      throws InterruptedException {
    DistributeOptions fresh =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("a new name");
    ReadStatistics joined = new ReadStatistics();
    CompletableFuture<List<Long>> first =
        numbers.read(fresh.resumedFrom(merged, 0, 2).withStatistics(joined)).begin(Reader::rest);
    awaitJoin(joined);
    Checkpoint unnamed = ofAnotherRead(DistributeOptions.of(ProcessingMode.DYNAMIC));
    Checkpoint other =
        ofAnotherRead(DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("other"));

    assertRefused(
        fresh.resumedFrom(unnamed, 1, 2),
        "this reader, number 1 of 2, can't join pass 1 of job ",
        "number 0 of 2, has joined it from a checkpoint of job ",
        "epochs, and this one has one of a read without a job name (reader ",
        "checkpoints of one read");
    assertRefused(
        fresh.resumedFrom(other, 1, 2), "epochs, and this one has one of job ", "other; ");
    parts.add(numbers.read(fresh.resumedFrom(merged, 1, 2)).rest());
    parts.add(first.join());

    assertAll(parts);
  }

  @Test
  void memberThatHasLeft_keepsNoOtherReadFromBeginning() throws InterruptedException {
    DistributeOptions fresh =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("a new name");
    Checkpoint other =
        ofAnotherRead(DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("other"));
    ReadStatistics joined = new ReadStatistics();
    Reader wrong = numbers.read(fresh.resumedFrom(other, 1, 2).withStatistics(joined));
    CompletableFuture<List<Long>> waits = wrong.begin(Reader::rest);
    awaitJoin(joined);
    wrong.close();
    assertThat(waits).failsWithin(Duration.ofMinutes(1));

    CompletableFuture<List<Long>> first =
        numbers.read(fresh.resumedFrom(merged, 0, 2)).begin(Reader::rest);
    parts.add(numbers.read(fresh.resumedFrom(merged, 1, 2)).rest());
    parts.add(first.join());

    assertAll(parts);
  }

  @Test
  void sameNumberFromAnotherCheckpoint_isRefused() throws InterruptedException {
    DistributeOptions fresh =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("a new name");
    Checkpoint own = ofAnotherRead(named());
    ReadStatistics joined = new ReadStatistics();
    CompletableFuture<List<Long>> first =
        numbers.read(fresh.resumedFrom(merged, 0, 2).withStatistics(joined)).begin(Reader::rest);
    awaitJoin(joined);

    assertRefused(
        fresh.resumedFrom(own, 0, 2), "number 0 of 2, has joined it from another checkpoint");
    assertThat(first).isNotDone();
  }

  @Test
  void groupOfAnotherSize_isRefused_whileAReaderOfTheFirstIsThere() throws InterruptedException {
    DistributeOptions fresh =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("a new name");
    Checkpoint own = ofAnotherRead(named());
    ReadStatistics joined = new ReadStatistics();
    CompletableFuture<List<Long>> first =
        numbers.read(fresh.resumedFrom(merged, 0, 2).withStatistics(joined)).begin(Reader::rest);
    awaitJoin(joined);

    assertRefused(
        fresh.resumedFrom(own, 2, 3),
        "this reader, number 2 of 3, can't join",
        "number 0 of 2, has joined it; readers that resume together all say the same number");
    assertThat(first).isNotDone();
  }

  @Test
  void groupOfAnotherSize_fromTheMergedCheckpoint_endsTheFirst_andSaysSo()
      throws InterruptedException {
    List<Reader> two = comeTogether(merged, 2);
    ReadStatistics joined = new ReadStatistics();
    CompletableFuture<List<Long>> third =
        numbers.read(named().resumedFrom(merged, 2, 3).withStatistics(joined)).begin(Reader::rest);
    awaitJoin(joined);

    assertThatThrownBy(two.get(0)::rest)
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(", number 0 of 2, of job ")
        .hasMessageContaining("a reader that resumes as number 2 of 3 from a checkpoint")
        .hasMessageContaining(
            "a group of 3 ends the one of 2: if 2 still read, that reader gave a");
    assertThat(third).isNotDone();
  }

  private void assertRefused(DistributeOptions options, String... why) {
    Reader reader = numbers.read(options);
    assertThatThrownBy(reader::rest)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContainingAll(why);
  }

  @Test
  void backBehindALaterGroup_undoesWhatThatTook() {
    List<Reader> three = comeTogether(merged, 3);
    List<Reader> two = comeTogether(merge(three), 2);
    assertThat(two).allSatisfy(reader -> assertThat(reader.taken()).isNotEmpty());
    two.forEach(Reader::close);

    numbers.readTogether(parts, List.of(merged, merged));

    assertAll(parts);
  }

  @Test
  void backBehindALaterReader_inAServiceThatKnowsOnlyThatOne_undoesWhatItTook() throws Exception {
    Checkpoint later = numbers.read(named().resumedFrom(merged)).take(10).checkpoint();
    numbers.startAnew(1);
    Reader alone = numbers.read(named().resumedFrom(later)).take(10);
    assertThat(alone.taken()).isNotEmpty();
    alone.close();

    numbers.readTogether(parts, List.of(merged, merged));

    assertAll(parts);
  }

  @Test
  void oneFromItsOwnToken_andOneFromTheirs_leaveOneAnotherInPlace() {
    List<Reader> two = comeTogether(merged, 2);
    parts.add(two.get(0).taken());
    Checkpoint own = two.get(0).checkpoint();
    two.get(0).close();
    Reader first = numbers.read(named().resumedFrom(own)).take(10);
    two.get(1).close();

    Reader second = numbers.read(named().resumedFrom(merged, 1, 2));
    CompletableFuture<List<Long>> others = second.begin(Reader::rest);
    parts.add(first.rest());
    parts.add(others.join());

    assertAll(parts);
  }

  @Test
  void tokensOfDifferentPasses_goOnInBoth_alsoTwice() {
    List<Reader> two = comeTogether(merged, 2);
    parts.add(two.get(0).taken());
    Checkpoint earlier = two.get(0).checkpoint();
    two.get(0).take(10).close();
    parts.add(two.get(1).rest());
    List<Long> later = two.get(1).nextPass().take(20).taken();
    Checkpoint token = earlier.merge(two.get(1).checkpoint());
    two.get(1).take(20);

    Reader third = numbers.read(named().resumedFrom(token)).take(1);
    parts.add(third.taken());
    Checkpoint again = third.checkpoint();
    third.take(1).close();
    Reader fourth = numbers.read(named().resumedFrom(again));
    parts.add(fourth.rest());

    assertAll(parts);
    assertAll(List.of(later, fourth.nextPass().rest()));
  }

  @Test
  void whatReadersTookOfALaterPass_isUndone_ifTheyGoBackToAnEarlierOne() {
    List<Reader> two = comeTogether(merged, 2);
    Checkpoint token = merge(two);
    two.forEach(reader -> parts.add(reader.taken()));
    CompletableFuture<List<Long>> others = two.get(1).begin(Reader::rest);
    assertThat(two.get(0).rest()).isNotEmpty();
    assertThat(others.join()).isNotEmpty();
    two.forEach(reader -> reader.nextPass().take(10).close());

    Reader third = numbers.read(named().resumedFrom(token)).take(1);
    parts.add(third.taken());
    Checkpoint again = third.checkpoint();
    third.close();
    Reader fourth = numbers.read(named().resumedFrom(again));
    parts.add(fourth.rest());

    assertAll(parts);
    assertThat(fourth.nextPass().rest()).hasSize((int) N);
  }

  @Test
  void nextPass_doesNotWaitForWhoIsGone() {
    List<Reader> two = comeTogether(merged, 2);
    parts.add(two.get(1).taken());
    two.get(1).close();
    parts.add(two.get(0).rest());

    assertAll(parts);
    assertThat(two.get(0).nextPass().rest()).hasSize((int) N);
  }
}
