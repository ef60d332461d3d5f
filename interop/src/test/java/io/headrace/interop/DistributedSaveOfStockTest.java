package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stock client that has services of both kinds save datasets, and ours that reads them, too. */
final class DistributedSaveOfStockTest {
  private static final int SECONDS = 500;

  private final Servers workers = new Servers();
  private final Servers dispatchers = new Servers();
  @TempDir private Path workDir;
  @TempDir private Path folder;

  @AfterEach
  void stopServers() {
    workers.close();
    dispatchers.close();
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace"})
  void whatAServiceSaves_isLoaded(String dispatchers, String workers) throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker(workers, dispatcher, 0);

    assertPasses("saves", dispatcher);

    for (String compression : new String[] {"AUTO", "GZIP"}) {
      assertThat(load("plain_" + compression).map(element -> element.get("scalar").asLong()))
          .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 40).boxed().toList());
    }
  }

  @ParameterizedTest
  @CsvSource({"headrace, stock", "stock, headrace", "headrace, headrace"})
  void workersOfBothKinds_shareADataset(String dispatchers, String second)
      throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker("headrace", dispatcher, 0);
    startWorker(second, dispatcher, 0);

    assertPasses("shared", dispatcher);
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace"})
  void aKillOfBothServers_costsNoElement(String dispatchers, String workers)
      throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    String worker = startWorker(workers, dispatcher, 0);
    try (ManagedProcess client = start("goes_on", dispatcher)) {
      assertThat(client.awaitLine("reading", SECONDS)).isEmpty();

      this.workers.killLast();
      this.dispatchers.killLast();
      startDispatcher(dispatchers, port(dispatcher));
      startWorker(workers, dispatcher, port(worker));

      assertThat(client.awaitEnd(SECONDS)).as(client.tailOfLog()).isZero();
    }
  }

  @Test
  void aWorkerThatIsKilledForGood_costsNoElement() throws InterruptedException {
    String dispatcher = startDispatcher("headrace", 0);
    startWorker("headrace", dispatcher, 0);
    startWorker("headrace", dispatcher, 0);
    try (ManagedProcess client = start("goes_on", dispatcher)) {
      assertThat(client.awaitLine("reading", SECONDS)).isEmpty();

      workers.killLast();

      assertThat(client.awaitEnd(SECONDS)).as(client.tailOfLog()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"headrace", "stock"})
  void aFullDisk_endsTheSnapshot(String dispatchers) throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker("headrace", dispatcher, 0);

    assertPasses("full_disk", dispatcher);
  }

  @ParameterizedTest
  @CsvSource({"headrace, stock", "stock, headrace"})
  void whatJavaHasSaved_isLoaded(String dispatchers, String workers) throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker(workers, dispatcher, 0);
    String path = folder.resolve("java").toString();

    DataService.distributedSave(
        "grpc://" + dispatcher, Dataset.range(100).map(x -> x.mul(2L)), path, Compression.SNAPPY);

    assertThat(load("java").map(Element::asLong))
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 100).map(x -> 2 * x).boxed().toList());
  }

  private Stream<Element> load(String name) {
    return Dataset.load(folder.resolve(name).toString()).stream();
  }

  private void assertPasses(String way, String dispatcher) throws InterruptedException {
    try (ManagedProcess client = start(way, dispatcher)) {
      assertThat(client.awaitEnd(SECONDS)).as(client.tailOfLog()).isZero();
    }
  }

  private ManagedProcess start(String way, String dispatcher) {
    return ManagedProcess.start(
        "distributed-save",
        StockTensorFlow.command(
            "distributed_save.py", way, "grpc://" + dispatcher, folder.toString()),
        StockTensorFlow.ENVIRONMENT);
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private String startDispatcher(String kind, int port) throws InterruptedException {
    return kind.equals("stock")
        ? dispatchers.startStockDispatcher(Integer.toString(port), "", workDir.toString())
        : dispatchers.startHeadraceDispatcher("--port=" + port, "--work-dir=" + workDir);
  }

  private String startWorker(String kind, String dispatcher, int port) throws InterruptedException {
    return kind.equals("stock")
        ? workers.startStockWorker(dispatcher, port, 0)
        : workers.startHeadraceWorker(
            dispatcher,
            "--port=" + port,
            "--heartbeat-interval-ms=500",
            "--snapshot-max-chunk-size-bytes=200");
  }
}
