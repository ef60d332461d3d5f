package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A client whose dispatcher is unreachable: it waits, logs warnings, and can be stopped. */
@Timeout(300)
@Isolated // reads the log
final class AbsentDispatcherTest {
  private static final Logger LOGGER = Logger.getLogger(DispatcherClient.class.getName());
  private static final long SIX_SECONDS = 6_000_000_000L;

  private final CountDownLatch said = new CountDownLatch(1);
  private final AtomicLong now = new AtomicLong();
  private final Ticker quickTicker = () -> now.addAndGet(SIX_SECONDS);
  private int port;

  @BeforeEach
  void listen() {
    port = FreePort.find(new SplittableRandom());
    LOGGER.setFilter(this::note);
  }

  @AfterEach
  void stopListening() {
    LOGGER.setFilter(null);
  }

  /** Notes that a client says that it waits for a dispatcher at {@link #port}. */
  private boolean note(LogRecord line) {
    String message = new SimpleFormatter().formatMessage(line);
    if (message.contains("waiting for the dispatcher at localhost:" + port)) {
      said.countDown();
    }
    return true;
  }

  @Test
  void warnings_comeAfter10And30SecondsAndAfter1And5Minutes_andEach5MinutesThen() {
    assertThat(
            IntStream.range(0, 6)
                .mapToObj(DispatcherClient::warnedNanos)
                .map(TimeUnit.NANOSECONDS::toSeconds))
        .containsExactly(10L, 30L, 60L, 300L, 600L, 900L);
  }

  @Test
  void addressOfAWorker_isToldFromADispatchers() {
    try (DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        WorkerServer worker =
            WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()))) {
      assertThatThrownBy(() ->
              Dataset.range(3)
                  .apply(DataService.distribute(ProcessingMode.DYNAMIC, worker.target()))
                  .forEach(_ -> {}))
          .isInstanceOf(StatusException.class)
          .hasMessageContaining(
              "the server at %s is no dispatcher (is it the address of a worker?)",
              worker.address());
    }
  }

  @Test
  void client_waits_saysForWhomItDoes_andEndsWhenCancelled() throws InterruptedException {
    Cancellation cancellation = new Cancellation();
    CompletableFuture<DispatcherClient> opening =
        CompletableFuture.supplyAsync(() -> open(cancellation));
    said.await();
    assertThat(opening).isNotDone();

    cancellation.cancel();

    assertThat(codeOf(opening::join)).isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void client_goesOn_onceTheDispatcherIsThere() throws InterruptedException {
    CompletableFuture<DispatcherClient> opening =
        CompletableFuture.supplyAsync(() -> open(new Cancellation()));
    said.await();
    try (DispatchServer dispatcher =
        DispatchServer.create(DispatcherConfig.builder().port(port).build())) {
      dispatcher.start();

      opening.join().close();
    }
  }

  @Test
  void firstContact_isBoundedByTheTimeout_andTellsWhatWasTried() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withDispatcherTimeout(Duration.ofMillis(300));

    assertThatThrownBy(() ->
            Dataset.range(3).apply(DataService.distribute(options, "grpc://localhost:" + port)))
        .hasMessageContaining("localhost:" + port)
        .hasMessageContaining("withDispatcherTimeout")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.DEADLINE_EXCEEDED);
  }

  @Test
  void firstContact_withADispatcherThatAcceptsAndIsSilent_isBoundedByTheTimeout()
      throws IOException {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withDispatcherTimeout(Duration.ofMillis(300));
    Dataset distributed =
        DataService.fromDatasetId(
            options, "grpc://localhost:" + port, "1000", Dataset.range(3).structure());

    try (ServerSocket _ = new ServerSocket(port);
        ElementIterator elements = distributed.iterator()) {
      assertThatThrownBy(elements::hasNext)
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    }
  }

  @Test
  void registration_endsWhenItsThreadIsInterrupted() throws InterruptedException {
    FutureTask<String> registering =
        new FutureTask<>(
            () -> DataService.registerDataset("grpc://localhost:" + port, Dataset.range(3)));
    Thread thread = Thread.ofPlatform().start(registering);
    thread.interrupt();

    assertThat(codeOf(() -> get(registering))).isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void iterator_ofADispatcherThatNeverAnswers_endsWhenItIsClosed() throws IOException {
    Dataset distributed =
        DataService.fromDatasetId(
            DistributeOptions.of(ProcessingMode.DYNAMIC),
            "grpc://localhost:" + port,
            "1000",
            Dataset.range(3).structure());
    ElementIterator elements = distributed.iterator();
    try (ServerSocket silent = new ServerSocket(port)) {
      CompletableFuture<Boolean> asking = CompletableFuture.supplyAsync(elements::hasNext);
      try (Socket _ = silent.accept()) {
        assertThat(asking).isNotDone();

        elements.close();

        assertThat(asking.handle((more, failure) -> failure == null && more).join()).isFalse();
      }
    }
  }

  private DispatcherClient open(Cancellation cancellation) {
    return DispatcherClient.open(
        "grpc://localhost:" + port, quickTicker, new Random(7), cancellation, Optional.empty());
  }

  private static <T> T get(FutureTask<T> task) {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static StatusCode codeOf(Supplier<?> call) {
    try {
      throw new AssertionError("it brought " + call.get());
    } catch (CompletionException e) {
      return StatusException.codeOf(Objects.requireNonNull(e.getCause()));
    } catch (StatusException e) {
      return e.code();
    }
  }
}
