package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Static sharding: a stock client reads datasets divided between two listed workers. */
final class FixedWorkersTest {
  private static final String WORKERS = "localhost,localhost";

  /** The reads of fixed_workers.py, in order. */
  private static final List<String> READS =
      List.of(
          "a range by FILE",
          "records by FILE",
          "lines by FILE",
          "lines by FILE_OR_DATA",
          "a range by FILE_OR_DATA",
          "a range by DATA",
          "records by DATA",
          "a range by HINT");

  private final Servers servers = new Servers();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  @ParameterizedTest
  @CsvSource({
    "stock,    stock,    HYBRID",
    "headrace, headrace, HYBRID",
    "headrace, stock,    REMOTE",
    "stock,    headrace, REMOTE"
  })
  void read_byEachPolicy_getsEachElementOnce(String dispatcher, String workers, String deployment)
      throws InterruptedException {
    String address =
        dispatcher.equals("stock")
            ? servers.startStockDispatcher("0", WORKERS, "", deployment)
            : servers.startHeadraceDispatcher(
                "--worker-addresses=" + WORKERS, "--deployment-mode=" + deployment);
    for (int i = 0; i < 2; i++) {
      if (workers.equals("stock")) {
        servers.startStockWorker(address);
      } else {
        servers.startHeadraceWorker(address);
      }
    }
    ManagedProcess client = servers.startSharding(address);
    for (String read : READS) {
      assertThat(client.awaitLine(read + ":", 300)).as(read).isEqualTo(" ok");
    }
    assertThat(client.awaitLine("done", 300)).isEqualTo(" 0");
  }
}
