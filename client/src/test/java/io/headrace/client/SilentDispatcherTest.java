package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Padding;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.time.Ticker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Readers that are cut off from the dispatcher but not from the workers. The test advances their
 * time; the dispatcher's time is real.
 */
@Timeout(100)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class SilentDispatcherTest {
  private static final long N = 2_100;
  private static final int BATCH = 7;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofSeconds(2);

  /** Large elements, so that no reader has all of them in flight. */
  private static final Shape PADDED = Shape.of(1 << 13);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());

  private void start(Duration clientTimeout) {
    dispatcher =
        DispatchServer.start(
            DispatcherConfig.builder()
                .clientTimeout(clientTimeout)
                .jobGcCheckInterval(Duration.ofMillis(100))
                .build());
    opened.add(dispatcher);
    opened.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    dispatcher.close();
  }

  /** A reader with a link and a clock of its own. */
  private final class Reader implements AutoCloseable {
    private final AtomicLong nowNanos = new AtomicLong();
    private final CuttableLink link = CuttableLink.open(dispatcher.port());
    private final ConcurrentLinkedQueue<Long> taken = new ConcurrentLinkedQueue<>();
    private final ElementIterator elements;

    Reader(DistributeOptions options) {
      Ticker ticker = nowNanos::get;
      Dataset numbers =
          Dataset.range(1, N + 1, 1).batch(BATCH).paddedBatch(1, false, Padding.to(PADDED));
      String id =
          DataService.registerDataset(
              dispatcher.target(), numbers, ServiceCompression.AUTO, Optional.of("numbers"));
      elements =
          DataService.fromDatasetId(
                  options, link.target(), id, numbers.structure(), Optional.of(ticker))
              .iterator();
      opened.add(this);
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

    /** Reads to the end in the background. */
    CompletableFuture<Reader> rest() {
      return CompletableFuture.supplyAsync(
          () -> take(Integer.MAX_VALUE), Thread.ofVirtual()::start);
    }

    void letPass(Duration duration) {
      nowNanos.addAndGet(duration.toNanos());
    }

    @Override
    public void close() {
      elements.close();
      link.close();
    }
  }

  private static DistributeOptions named() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC)
        .withJobName("shared")
        .withGuarantee(Guarantee.EXACTLY_ONCE);
  }

  private static DistributeOptions alone() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(Guarantee.EXACTLY_ONCE);
  }

  private static void assertAll(Reader... readers) {
    assertThat(Stream.of(readers).flatMap(reader -> reader.taken.stream()).sorted())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, N).boxed().toList());
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  private static void assertDeclaredLost(Reader reader) {
    assertThatThrownBy(() -> reader.take(1))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("was declared lost")
        .hasMessageContaining("go on from the last checkpoint");
  }

  @Test
  void readerWithoutAnAnswer_waits_andGoesOnWhenItIsAnsweredInTime() {
    start(LONG);
    Reader cut = new Reader(named()).take(20);
    Reader other = new Reader(named()).take(20);
    cut.link.cut();
    cut.letPass(LONG.dividedBy(2));
    cut.take(1);
    cut.letPass(LONG.dividedBy(2));
    int before = cut.taken.size();

    CompletableFuture<Reader> waiting = cut.rest();
    await(() -> cut.link.numRefused() > 20);
    assertThat(waiting).isNotDone();
    assertThat(cut.taken).hasSize(before);

    cut.link.heal();
    CompletableFuture.allOf(waiting, other.rest()).join();
    assertAll(cut, other);
  }

  @Test
  void readerThatWaits_endsWhenItIsClosed() {
    start(LONG);
    Reader cut = new Reader(named()).take(20);
    cut.link.cut();
    cut.letPass(LONG);
    CompletableFuture<Reader> waiting = cut.rest();
    await(() -> cut.link.numRefused() > 20);

    cut.close();

    assertThat(waiting.handle((_, failure) -> failure == null ? "" : failure.getMessage()).join())
        .contains("closed");
  }

  @Test
  void readerThatWasDeclaredLost_fails_andTheOtherGetsWhatItDidNotTake() {
    start(SHORT);
    Reader cut = new Reader(named()).take(20);
    Reader other = new Reader(named()).take(20);
    cut.link.cut();
    List<Long> unreported = List.copyOf(cut.take(5).taken);
    await(() -> dispatcher.statistics().numClients() == 1);

    cut.letPass(SHORT.multipliedBy(3));
    cut.link.heal();

    assertDeclaredLost(cut);
    assertThat(cut.taken).hasSize(unreported.size());
    other.rest().join();
    assertThat(other.taken).doesNotHaveDuplicates();
    var all = new HashSet<>(cut.taken);
    all.addAll(other.taken);
    assertThat(all).hasSize((int) N);
  }

  @Test
  void readerThatIsCutOff_isDeclaredLost_onlyWhenItHasLongStopped() {
    start(SHORT);
    Reader cut = new Reader(named()).take(20);
    Reader other = new Reader(named());
    cut.link.cut();
    cut.letPass(SHORT);
    CompletableFuture<Reader> waiting = cut.rest();
    int before = cut.taken.size();
    cut.letPass(SHORT);

    other.rest().join();

    assertThat(waiting).isNotDone();
    assertThat(cut.taken).hasSize(before);
    cut.link.heal();
    assertThat(waiting.handle((_, failure) -> failure != null).join()).isTrue();
    assertThat(other.taken).doesNotHaveDuplicates();
    var all = new HashSet<>(cut.taken);
    all.addAll(other.taken);
    assertThat(all).hasSize((int) N);
  }

  @Test
  void readerOfAJobOfItsOwn_isNeverStopped() {
    start(SHORT);
    Reader single = new Reader(alone()).take(20);
    single.link.cut();
    single.letPass(SHORT.multipliedBy(100));

    single.take(100);

    assertThat(single.taken).hasSize(120 * BATCH);
  }
}
