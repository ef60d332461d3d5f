package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Readers do not notice that a Headrace dispatcher is killed during an iteration and restarted on
 * its port and work_dir. The exception are stock workers' concurrent GetSplit calls: without a
 * request number, the dispatcher can't repeat a lost answer, so its split is lost, or would be read
 * twice.
 */
final class KilledDispatcherTest {
  /**
   * How long the dispatcher is away. If that is more than 0, readers are forgotten after 5 s, which
   * is less than TensorFlow's channels may wait until they try again.
   */
  private static final int DOWNTIME_SECONDS = Integer.getInteger("downtime.seconds", 0);

  private final Servers servers = new Servers();
  private final Servers dispatchers = new Servers();
  @TempDir private Path workDir;

  @AfterEach
  void stopServers() {
    servers.close();
    dispatchers.close();
  }

  @ParameterizedTest
  @CsvSource({
    "headrace, parallel_epochs,   10000, 0",
    "headrace, distributed_epoch, 5000,  0",
    "stock,    parallel_epochs,   10000, 0",
    "stock,    distributed_epoch, 2000,  2"
  })
  void read_byStock_getsAll(String workers, String mode, int elements, int missing)
      throws InterruptedException {
    String dispatcher = startDispatcher("0");
    for (int i = 0; i < 2; i++) {
      if (workers.equals("stock")) {
        servers.startStockWorker(dispatcher);
      } else {
        servers.startHeadraceWorker(dispatcher);
      }
    }
    // Stock workers fetch single splits, which takes long on shared cores.
    int n = mode.equals("parallel_epochs") ? elements / 2 : elements;
    ManagedProcess client = servers.startCounting(dispatcher, n, mode);
    client.awaitLine("reading", 180);
    killAndStartAgain(dispatcher);
    Scanner counts = new Scanner(client.awaitLine("end", 300));
    int read = counts.nextInt();
    int distinct = counts.nextInt();
    assertThat(read).isBetween(elements - missing, elements);
    assertThat(distinct).isEqualTo(mode.equals("parallel_epochs") ? n : read);
  }

  @Test
  void read_byOurs_getsAll_inThisEpochAndTheNext() throws InterruptedException {
    String dispatcher = startDispatcher("0");
    servers.startHeadraceWorker(dispatcher);
    servers.startHeadraceWorker(dispatcher);
    Dataset shared =
        Dataset.range(500_000)
            .apply(DataService.distribute(ProcessingMode.DYNAMIC, "grpc://" + dispatcher));
    for (int epoch = 0; epoch < 2; epoch++) {
      List<Long> values = new ArrayList<>();
      try (ElementIterator elements = shared.iterator()) {
        while (values.size() < 1000) {
          values.add(elements.next().tensor().integer(0));
        }
        killAndStartAgain(dispatcher);
        elements.forEachRemaining(element -> values.add(element.tensor().integer(0)));
      }
      assertThat(values.stream().sorted().toList())
          .isEqualTo(LongStream.range(0, 500_000).boxed().toList());
    }
  }

  private void killAndStartAgain(String dispatcher) throws InterruptedException {
    dispatchers.killLast();
    Thread.sleep(Duration.ofSeconds(DOWNTIME_SECONDS));
    startDispatcher(dispatcher.substring(dispatcher.lastIndexOf(':') + 1));
  }

  private String startDispatcher(String port) throws InterruptedException {
    List<String> flags =
        new ArrayList<>(
            List.of("--port=" + port, "--work-dir=" + workDir, "--fault-tolerant-mode"));
    if (DOWNTIME_SECONDS > 0) {
      flags.add("--client-timeout-ms=5000");
    }
    return dispatchers.startHeadraceDispatcher(flags.toArray(String[]::new));
  }
}
