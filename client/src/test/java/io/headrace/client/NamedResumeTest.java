package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers that go on from tokens in a job by its name: alone, beside others, and together. */
@Timeout(120)
final class NamedResumeTest {
  private static final long N = 2_100;
  private static final int BATCH = 7;

  /** Large elements, so that no reader has all of them underway. */
  private static final Shape PADDED = Shape.of(1 << 13);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());

  @BeforeEach
  void start() {
    dispatcher = DispatchServer.start(DispatcherConfig.defaults());
    opened.add(dispatcher);
    startWorker();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    dispatcher.close();
  }

  private void startWorker() {
    opened.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
  }

  /** Another service, which knows nothing of the one before. */
  private void startAnew(int workers) throws Exception {
    stop();
    opened.clear();
    dispatcher = DispatchServer.start(DispatcherConfig.defaults());
    opened.add(dispatcher);
    for (int i = 0; i < workers; i++) {
      startWorker();
    }
  }

  private static DistributeOptions named() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("epochs");
  }

  private Reader read(DistributeOptions options) {
    String id =
        DataService.registerDataset(
            dispatcher.target(),
            Dataset.range(1, N + 1, 1).batch(BATCH).paddedBatch(1, false, List.of(PADDED)),
            ServiceCompression.AUTO,
            Optional.of("numbers"));
    Reader reader =
        new Reader(DataService.fromDatasetId(options, dispatcher.target(), id).iterator());
    opened.add(reader);
    return reader;
  }

  /** A reader, and the records that its user has. */
  private static final class Reader implements AutoCloseable {
    private final ElementIterator elements;
    private final List<Long> taken = new ArrayList<>();

    Reader(ElementIterator elements) {
      this.elements = elements;
    }

    Reader take(int most) {
      for (int i = 0; i < most && elements.hasNext(); i++) {
        var batch = elements.next().tensor();
        for (int j = 0; j < BATCH && batch.integer(j) > 0; j++) {
          taken.add(batch.integer(j));
        }
      }
      return this;
    }

    List<Long> rest() {
      return List.copyOf(take(Integer.MAX_VALUE).taken);
    }

    List<Long> taken() {
      return List.copyOf(taken);
    }

    Checkpoint checkpoint() {
      return elements.checkpoint();
    }

    @Override
    public void close() {
      elements.close();
    }
  }

  private static void assertAll(List<? extends Collection<Long>> parts) {
    assertThat(parts.stream().flatMap(Collection::stream).sorted())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, N).boxed().toList());
  }

  private static void assertReplaced(Reader reader) {
    assertThatThrownBy(reader::rest)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("took its place");
  }

  @Test
  void afterItsPredecessorHasLeft_getsBackWhatThatTookSince() {
    Reader first = read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.take(20).close();

    Reader second = read(named().resumedFrom(token));

    assertAll(List.of(before, second.rest()));
  }

  @Test
  void whileItsPredecessorReads_takesItsPlace() {
    Reader first = read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.take(20);

    Reader second = read(named().resumedFrom(token));

    assertThat(second.take(1).taken()).isNotEmpty();
    assertReplaced(first);
    assertAll(List.of(before, second.rest()));
  }

  @Test
  void twiceFromTheSameToken_getsTheSameRest() {
    Reader first = read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.close();
    read(named().resumedFrom(token)).take(30).close();

    Reader third = read(named().resumedFrom(token));

    assertAll(List.of(before, third.rest()));
  }

  @Test
  void afterThePassWasReadToItsEnd_getsTheRestAgain() {
    Reader first = read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    assertThat(first.rest()).hasSize((int) N);
    first.close();

    Reader second = read(named().resumedFrom(token));

    assertAll(List.of(before, second.rest()));
    second.close();
    assertThat(read(named()).rest()).isEmpty();
  }

  @Test
  void besideAnotherReader_leavesThatItsOwn() {
    Reader other = read(named()).take(20);
    Reader first = read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    first.take(20).close();

    Reader second = read(named().resumedFrom(token));

    CompletableFuture<List<Long>> others =
        CompletableFuture.supplyAsync(other::rest, Thread.ofVirtual()::start);
    List<Long> rest = second.rest();
    assertAll(List.of(before, rest, others.join()));
  }

  @Test
  void afterAPassThatAnotherReaderShared_getsWhatThatDidNotTake() {
    Reader other = read(named()).take(20);
    Reader first = read(named()).take(40);
    List<Long> before = first.taken();
    Checkpoint token = first.checkpoint();
    CompletableFuture<List<Long>> others =
        CompletableFuture.supplyAsync(other::rest, Thread.ofVirtual()::start);
    assertThat(first.rest()).isNotEmpty();
    assertThat(others.join()).isNotEmpty();
    first.close();
    other.close();

    Reader second = read(named().resumedFrom(token));

    assertAll(List.of(before, second.rest(), others.join()));
  }

  @Test
  void mergedTokens_goOnWithOtherReadersAndWorkers() throws Exception {
    List<Reader> three = List.of(read(named()), read(named()), read(named()));
    three.forEach(reader -> reader.take(30));
    List<List<Long>> parts = new ArrayList<>(three.stream().map(Reader::taken).toList());
    Checkpoint merged =
        three.stream().map(Reader::checkpoint).reduce(Checkpoint::merge).orElseThrow();
    three.forEach(reader -> reader.take(10));
    startAnew(2);

    readTogether(parts, List.of(merged, merged));

    assertAll(parts);
  }

  @Test
  void mergedTokens_inTheRunningJob_goOnWithOtherReaders() {
    List<Reader> two = List.of(read(named()), read(named()));
    two.forEach(reader -> reader.take(30));
    List<List<Long>> parts = new ArrayList<>(two.stream().map(Reader::taken).toList());
    Checkpoint merged = two.get(0).checkpoint().merge(two.get(1).checkpoint());
    two.forEach(reader -> reader.take(10));
    startWorker();

    readTogether(parts, List.of(merged, merged, merged));

    assertAll(parts);
    two.forEach(NamedResumeTest::assertReplaced);
  }

  @Test
  void ownTokens_ofReadersThatSayHowManyTheyAre_goOnTogether() throws Exception {
    List<Reader> two = List.of(read(named()), read(named()));
    two.forEach(reader -> reader.take(30));
    List<List<Long>> parts = new ArrayList<>(two.stream().map(Reader::taken).toList());
    List<Checkpoint> tokens = two.stream().map(Reader::checkpoint).toList();
    startAnew(3);

    readTogether(parts, tokens);

    assertAll(parts);
  }

  @Test
  void ownTokens_ofReadersThatDoNotSaySo_areRefused() throws Exception {
    List<Reader> two = List.of(read(named()), read(named()));
    two.forEach(reader -> reader.take(30));
    List<Checkpoint> tokens = two.stream().map(Reader::checkpoint).toList();
    startAnew(1);
    Reader first = read(named().resumedFrom(tokens.get(0)));
    assertThat(first.take(1).taken()).isNotEmpty();

    assertThatThrownBy(() -> read(named().resumedFrom(tokens.get(1))).take(1))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("say how many");
  }

  /** As many readers as tokens read to the end at the same time. */
  private void readTogether(List<List<Long>> parts, List<Checkpoint> tokens) {
    List<CompletableFuture<List<Long>>> rests = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Reader reader = read(named().resumedFrom(tokens.get(i), i, tokens.size()));
      rests.add(CompletableFuture.supplyAsync(reader::rest, Thread.ofVirtual()::start));
    }
    rests.forEach(rest -> parts.add(rest.join()));
  }
}
