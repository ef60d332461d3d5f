package io.headrace.client;

import static io.headrace.client.SharedNumbers.N;
import static io.headrace.client.SharedNumbers.assertAll;
import static io.headrace.client.SharedNumbers.assertReplaced;
import static io.headrace.client.SharedNumbers.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.client.SharedNumbers.Reader;
import io.headrace.dataset.Checkpoint;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Readers that resume from tokens in a named job: alone, beside others, and together. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class NamedResumeTest {
  private final SharedNumbers numbers = new SharedNumbers();

  @AfterEach
  void stop() throws Exception {
    numbers.close();
  }

  @Test
  void afterItsPredecessorHasLeft_getsBackWhatThatTookSince() {
    Reader first = numbers.read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.take(20).close();

    Reader second = numbers.read(named().resumedFrom(token));

    assertAll(List.of(before, second.rest()));
  }

  @Test
  void whileItsPredecessorReads_takesItsPlace() {
    Reader first = numbers.read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.take(20);

    Reader second = numbers.read(named().resumedFrom(token));

    assertThat(second.take(1).taken()).isNotEmpty();
    assertReplaced(first);
    assertAll(List.of(before, second.rest()));
  }

  @Test
  void twiceFromTheSameToken_getsTheSameRest() {
    Reader first = numbers.read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.close();
    numbers.read(named().resumedFrom(token)).take(30).close();

    Reader third = numbers.read(named().resumedFrom(token));

    assertAll(List.of(before, third.rest()));
  }

  @Test
  void afterThePassWasReadToItsEnd_getsTheRestAgain() {
    Reader first = numbers.read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    assertThat(first.rest()).hasSize((int) N);
    first.close();

    Reader second = numbers.read(named().resumedFrom(token));

    assertAll(List.of(before, second.rest()));
    second.close();
    assertThat(numbers.read(named()).rest()).isEmpty();
  }

  @Test
  void besideAnotherReader_leavesThatItsOwn() {
    Reader other = numbers.read(named()).take(20);
    Reader first = numbers.read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.take(20).close();

    Reader second = numbers.read(named().resumedFrom(token));

    CompletableFuture<List<Long>> others = other.begin(Reader::rest);
    List<Long> rest = second.rest();
    assertAll(List.of(before, rest, others.join()));
  }

  @Test
  void afterAPassThatAnotherReaderShared_getsWhatThatDidNotTake() {
    Reader other = numbers.read(named()).take(20);
    Reader first = numbers.read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    CompletableFuture<List<Long>> others = other.begin(Reader::rest);
    assertThat(first.rest()).isNotEmpty();
    assertThat(others.join()).isNotEmpty();
    first.close();
    other.close();

    Reader second = numbers.read(named().resumedFrom(token));

    assertAll(List.of(before, second.rest(), others.join()));
  }

  @Test
  void mergedTokens_goOnWithOtherReadersAndWorkers() throws Exception {
    List<Reader> three =
        List.of(numbers.read(named()), numbers.read(named()), numbers.read(named()));
    three.forEach(reader -> reader.take(30));
    List<List<Long>> parts = new ArrayList<>(three.stream().map(Reader::taken).toList());
    Checkpoint merged =
        three.stream().map(Reader::checkpoint).reduce(Checkpoint::merge).orElseThrow();
    three.forEach(reader -> reader.take(10));
    numbers.startAnew(2);

    numbers.readTogether(parts, List.of(merged, merged));

    assertAll(parts);
  }

  @Test
  void mergedTokens_inTheRunningJob_goOnWithOtherReaders() {
    List<Reader> two = List.of(numbers.read(named()), numbers.read(named()));
    two.forEach(reader -> reader.take(30));
    List<List<Long>> parts = new ArrayList<>(two.stream().map(Reader::taken).toList());
    Checkpoint merged = two.get(0).checkpoint().merge(two.get(1).checkpoint());
    two.forEach(reader -> reader.take(10));
    numbers.startWorker();

    numbers.readTogether(parts, List.of(merged, merged, merged));

    assertAll(parts);
    two.forEach(SharedNumbers::assertReplaced);
  }

  @Test
  void ownTokens_ofReadersThatSayHowManyTheyAre_goOnTogether() throws Exception {
    List<Reader> two = List.of(numbers.read(named()), numbers.read(named()));
    two.forEach(reader -> reader.take(30));
    List<List<Long>> parts = new ArrayList<>(two.stream().map(Reader::taken).toList());
    List<Checkpoint> tokens = two.stream().map(Reader::checkpoint).toList();
    numbers.startAnew(3);

    numbers.readTogether(parts, tokens);

    assertAll(parts);
  }

  @Test
  void ownTokens_ofReadersThatDoNotSaySo_areRefused() throws Exception {
    List<Reader> two = List.of(numbers.read(named()), numbers.read(named()));
    two.forEach(reader -> reader.take(30));
    List<Checkpoint> tokens = two.stream().map(Reader::checkpoint).toList();
    numbers.startAnew(1);
    Reader first = numbers.read(named().resumedFrom(tokens.get(0)));
    assertThat(first.take(1).taken()).isNotEmpty();

    assertThatThrownBy(() -> numbers.read(named().resumedFrom(tokens.get(1))).take(1))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("say which it is of how many");
  }
}
