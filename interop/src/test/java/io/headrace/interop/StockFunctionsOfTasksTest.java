package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stock client whose functions span several of three tasks, each Headrace or stock, with either
 * as the master.
 */
final class StockFunctionsOfTasksTest {
  private final String ps = Servers.freeAddress();
  private final String other = Servers.freeAddress();
  private final String worker = Servers.freeAddress();
  private final String cluster =
      "{\"ps\": [\"%s\", \"%s\"], \"worker\": [\"%s\"]}".formatted(ps, other, worker);

  private void start(Servers servers, String job, int index, boolean isStock)
      throws InterruptedException {
    var _ =
        isStock
            ? servers.startStockTask(cluster, job, index)
            : servers.startHeadraceTask(cluster, job, index);
  }

  private static void assertEveryCasePasses(String master) throws InterruptedException {
    var command = StockTensorFlow.command("two_tasks_functions.py", "grpc://" + master);
    try (var client = ManagedProcess.start("functions", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(900)).as(client.tailOfLog()).isZero();
    }
  }

  /**
   * The pairing with only stock tasks validates the cases themselves.
   *
   * @param stock the stock tasks among both parameter servers and the worker
   */
  @ParameterizedTest(name = "stock: {0}")
  @ValueSource(strings = {"ps0 ps1 worker", "", "ps0", "ps1", "worker", "ps0 ps1"})
  void functions_ofSeveralTasks_passEveryCase_whicheverIsTheMaster(String stock)
      throws InterruptedException {
    Extent.skipRepetition(stock.equals("ps0 ps1 worker"));
    try (Servers servers = new Servers()) {
      start(servers, "ps", 0, stock.contains("ps0"));
      start(servers, "ps", 1, stock.contains("ps1"));
      start(servers, "worker", 0, stock.contains("worker"));
      assertEveryCasePasses(worker);
      assertEveryCasePasses(ps);
    }
  }
}
