package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * A stock client on clusters of two tasks: both Headrace's, or one of them stock, whichever is the
 * master.
 */
final class StockSessionOfTwoTasksTest {
  private final String ps = Servers.freeAddress();
  private final String worker = Servers.freeAddress();
  private final String cluster = "{\"ps\": [\"" + ps + "\"], \"worker\": [\"" + worker + "\"]}";

  private static void assertEveryCasePasses(String master) throws InterruptedException {
    var command = StockTensorFlow.command("two_tasks.py", "grpc://" + master);
    try (var client = ManagedProcess.start("two-tasks", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }

  @Test
  void cluster_ofHeadraceTasks_passesEveryCase() throws InterruptedException {
    try (Servers servers = new Servers()) {
      servers.startHeadraceTask(cluster, "ps");
      servers.startHeadraceTask(cluster, "worker");
      assertEveryCasePasses(worker);
    }
  }

  @Test
  void cluster_withAStockTask_passesEveryCase_whicheverIsTheMaster() throws InterruptedException {
    try (Servers servers = new Servers()) {
      servers.startStockTask(cluster, "ps");
      servers.startHeadraceTask(cluster, "worker");
      assertEveryCasePasses(worker);
      assertEveryCasePasses(ps);
    }
  }
}
