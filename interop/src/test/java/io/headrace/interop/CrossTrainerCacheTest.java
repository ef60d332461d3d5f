package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two stock trainers of one cached job, on dispatchers and workers of both kinds; the script checks
 * their elements.
 */
final class CrossTrainerCacheTest {
  private static final int SECONDS = 300;

  /** Far less than the first trainer has read when the second one begins, in stock's sizes, too. */
  private static final long SMALL_CACHE = 125_000;

  private static final long DEFAULT_CACHE = 10L << 30;

  private final Servers workers = new Servers();
  private final Servers clients = new Servers();
  private final Servers dispatchers = new Servers();
  @TempDir private Path workDir;

  @AfterEach
  void stopServers() {
    clients.close();
    workers.close();
    dispatchers.close();
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace", "stock, stock"})
  void trainers_getAllElements_overADispatchersKill_andAnewOfAWorkerThatReplacesAKilledOne(
      String dispatchers, String workers) throws InterruptedException {
    Extent.skipRepetition(dispatchers.equals("stock") && workers.equals("stock"));
    String dispatcher = startDispatcher(dispatchers, 0);
    String worker = startWorker(workers, dispatcher, 0, DEFAULT_CACHE);
    ManagedProcess trainers = clients.startTrainers(dispatcher, "together");
    assertThat(trainers.awaitLine("reading", SECONDS)).isEmpty();

    this.dispatchers.killLast();
    var _ = startDispatcher(dispatchers, port(dispatcher));
    this.workers.killLast();
    var _ = startWorker(workers, dispatcher, port(worker), DEFAULT_CACHE);

    assertThat(trainers.awaitLine("anew", SECONDS)).isEmpty();
    assertThat(trainers.awaitEnd(SECONDS)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace", "stock, stock"})
  void lateTrainer_getsWhatTheWindowHolds(String dispatchers, String workers)
      throws InterruptedException {
    Extent.skipRepetition(dispatchers.equals("stock") && workers.equals("stock"));
    String dispatcher = startDispatcher(dispatchers, 0);
    var _ = startWorker(workers, dispatcher, 0, SMALL_CACHE);

    ManagedProcess trainers = clients.startTrainers(dispatcher, "late");

    assertThat(Long.parseLong(trainers.awaitLine("late ", SECONDS))).isGreaterThan(2_500);
    assertThat(trainers.awaitEnd(SECONDS)).isZero();
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private String startDispatcher(String kind, int port) throws InterruptedException {
    return kind.equals("stock")
        ? dispatchers.startStockDispatcher(Integer.toString(port), "", workDir.toString())
        : dispatchers.startHeadraceDispatcher("--port=" + port, "--work-dir=" + workDir);
  }

  private String startWorker(String kind, String dispatcher, int port, long cacheBytes)
      throws InterruptedException {
    return kind.equals("stock")
        ? workers.startStockWorker(dispatcher, port, cacheBytes)
        : workers.startHeadraceWorker(
            dispatcher, "--port=" + port, "--cross-trainer-cache-size-bytes=" + cacheBytes);
  }
}
