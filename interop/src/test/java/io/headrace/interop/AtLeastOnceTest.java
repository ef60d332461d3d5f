package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.client.Transfer;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers of an at-least-once job receive everything while workers are killed. */
final class AtLeastOnceTest {
  private static final int N = 20_000;

  private final Servers dispatchers = new Servers();
  private final Servers workers = new Servers();
  private @TempDir Path folder;

  @AfterEach
  void stopServers() {
    workers.close();
    dispatchers.close();
  }

  private String startDispatcher(String port) throws InterruptedException {
    return dispatchers.startHeadraceDispatcher(
        "--port=" + port,
        "--work-dir=" + folder.resolve("work"),
        "--fault-tolerant-mode",
        "--stock-guarantee=at_least_once");
  }

  /**
   * Reads {@code numbers} to the end, killing a worker meanwhile; returns the number of repeated
   * elements.
   */
  private int readWhileOneIsKilled(Dataset numbers, String dispatcher) throws InterruptedException {
    BitSet seen = new BitSet(N);
    int count = 0;
    try (ElementIterator elements = numbers.iterator()) {
      while (elements.hasNext()) {
        seen.set((int) elements.next().tensor().integer(0));
        if (++count == N / 4) {
          workers.killLast();
        } else if (count == N / 2) {
          dispatchers.killLast();
          var _ = startDispatcher(dispatcher.substring(dispatcher.lastIndexOf(':') + 1));
        }
      }
    }
    assertThat(seen.cardinality()).isEqualTo(N);
    return count - N;
  }

  @Test
  void stockClient_losesNothing_whenAWorkerIsKilled() throws InterruptedException {
    int n = 5000;
    String dispatcher = startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    ManagedProcess client = dispatchers.startCounting(dispatcher, n, "distributed_epoch");
    client.awaitLine("reading", 180);
    workers.killLast();

    String[] counts = client.awaitLine("end", 300).strip().split(" ", -1);

    assertThat(Integer.parseInt(counts[1])).isEqualTo(n);
    assertThat(Integer.parseInt(counts[0])).isBetween(n, 2 * n);
  }

  @Test
  void unaryCalls_loseNothing_andRepeatWhatWasNotReported() throws InterruptedException {
    String dispatcher = startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    ReadStatistics statistics = new ReadStatistics();
    Dataset numbers =
        Dataset.range(N)
            .map(x -> x.mul(1))
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC)
                        .withTransfer(Transfer.GRPC)
                        .withStatistics(statistics),
                    "grpc://" + dispatcher));

    int repeated = readWhileOneIsKilled(numbers, dispatcher);

    assertThat(statistics.guarantee()).contains(Guarantee.AT_LEAST_ONCE);
    assertThat(statistics.lostTasks()).isNotEmpty();
    assertThat(repeated).isBetween(0, N / 4);
  }

  @Test
  void pipelineThatCantTellRecordsApart_losesNothing() throws InterruptedException {
    String dispatcher = startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    ReadStatistics statistics = new ReadStatistics();
    Dataset numbers =
        Dataset.range(N / 100)
            .flatMap(x -> Dataset.range(10).map(y -> x.mul(10).add(y)))
            .flatMap(x -> Dataset.range(10).map(y -> x.mul(10).add(y)))
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.DYNAMIC).withStatistics(statistics),
                    "grpc://" + dispatcher));

    int repeated = readWhileOneIsKilled(numbers, dispatcher);

    assertThat(statistics.guarantee()).contains(Guarantee.AT_LEAST_ONCE);
    assertThat(statistics.guaranteeReason()).startsWith("FlatMapDataset: ");
    assertThat(repeated).isBetween(0, N);
  }
}
