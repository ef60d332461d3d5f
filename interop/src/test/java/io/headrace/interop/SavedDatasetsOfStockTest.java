package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.SaveOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Saved datasets, file caches and snapshots: an unchanged stock client on our worker, of either
 * dispatcher, and our client beside stock. Each reads what the other wrote, and nothing that was
 * not written to its end.
 */
final class SavedDatasetsOfStockTest {
  private static final List<Compression> KINDS =
      List.of(Compression.NONE, Compression.GZIP, Compression.SNAPPY);

  @TempDir private Path folder;

  private ManagedProcess start(String way, String... dispatcher) {
    List<String> arguments = new ArrayList<>(List.of(way));
    arguments.addAll(List.of(dispatcher));
    arguments.add(folder.toString());
    return ManagedProcess.start(
        "saved",
        StockTensorFlow.command("saved.py", arguments.toArray(String[]::new)),
        StockTensorFlow.ENVIRONMENT);
  }

  private static void assertPasses(ManagedProcess client) throws InterruptedException {
    assertThat(client.awaitEnd(600)).as(client.tailOfLog()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatEachSideWrites_theOtherReads(boolean isOfStock) throws InterruptedException {
    // A dispatcher of either kind hands the worker the same graphs.
    Extent.skipRepetition(isOfStock);
    try (Servers servers = new Servers()) {
      String dispatcher =
          isOfStock ? servers.startStockDispatcher() : servers.startHeadraceDispatcher();
      servers.startHeadraceWorker(dispatcher);
      try (ManagedProcess client = start("all", "grpc://" + dispatcher)) {
        assertPasses(client);
      }
    }
  }

  @Test
  void chunksOfASnapshot_areDividedAmongStockWorkersAndOurs() throws InterruptedException {
    try (Servers servers = new Servers()) {
      String dispatcher = servers.startHeadraceDispatcher();
      servers.startStockWorker(dispatcher);
      servers.startHeadraceWorker(dispatcher);
      try (ManagedProcess client = start("chunks", "grpc://" + dispatcher)) {
        assertPasses(client);
      }
    }
  }

  @Test
  void whatAKilledWorkerLeft_isTakenForWholeByNobody() throws InterruptedException {
    try (Servers servers = new Servers()) {
      String dispatcher = servers.startHeadraceDispatcher();
      servers.startHeadraceWorker(dispatcher);
      try (ManagedProcess writer = start("write", "grpc://" + dispatcher)) {
        writer.awaitLine("reading", 120);
        servers.killLast();
      }
      servers.startHeadraceWorker(dispatcher);
      try (ManagedProcess reader = start("killed", "grpc://" + dispatcher)) {
        assertPasses(reader);
      }
    }
  }

  @Test
  void whatJavaSaves_stockLoads_andTheReverse() throws InterruptedException {
    Dataset elements =
        Dataset.range(50)
            .mapElement(x ->
                Map.of(
                    "a", x.output(),
                    "b", List.of(x.output().mul(2L), x.output().asString())))
            .batch(8);
    for (Compression kind : KINDS) {
      elements.save(folder.resolve("java" + kind).toString(), SaveOptions.SAVE.compression(kind));
    }
    assertThat(Dataset.range(20).cache(folder.resolve("java_cache").toString()).stream())
        .hasSize(20);

    try (ManagedProcess client = start("check")) {
      assertPasses(client);
    }

    for (Compression kind : KINDS) {
      Dataset loaded = Dataset.load(folder.resolve("stock" + kind).toString(), kind);
      assertThat(loaded.stream().map(Element::toString))
          .as("%s", kind)
          .containsExactlyInAnyOrderElementsOf(elements.stream().map(Element::toString).toList());
    }
    assertThat(Dataset.range(0).cache(folder.resolve("stock_cache").toString()).stream())
        .extracting(Element::asLong)
        .hasSize(30)
        .isSorted();
  }
}
