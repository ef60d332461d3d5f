package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stock client on clusters of two tasks, each Headrace or stock, with either as the master. */
final class StockSessionOfTwoTasksTest {
  private final String ps = Servers.freeAddress();
  private final String worker = Servers.freeAddress();
  private final String cluster = "{\"ps\": [\"" + ps + "\"], \"worker\": [\"" + worker + "\"]}";

  private static void assertEveryCasePasses(String master) throws InterruptedException {
    assertEveryCasePasses("two_tasks.py", master);
  }

  private static void assertEveryCasePasses(String script, String master, String... more)
      throws InterruptedException {
    String[] arguments =
        Stream.concat(Stream.of("grpc://" + master), Stream.of(more)).toArray(String[]::new);
    var command = StockTensorFlow.command(script, arguments);
    try (var client = ManagedProcess.start("two-tasks", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(900)).as(client.tailOfLog()).isZero();
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
      assertEveryCasePasses("two_tasks.py", ps, "fused-at=worker");
    }
  }

  /** The pairing with only stock tasks validates the cases themselves. */
  @ParameterizedTest(name = "ps stock: {0}, worker stock: {1}")
  @CsvSource({"true, true", "false, false", "true, false", "false, true"})
  void loopsOverBothTasks_passEveryCase_whicheverIsTheMaster(
      boolean isPsStock, boolean isWorkerStock) throws InterruptedException {
    Extent.skipRepetition(isPsStock && isWorkerStock);
    try (Servers servers = new Servers()) {
      servers.startTaskOfTwoCpus(cluster, "ps", isPsStock);
      servers.startTaskOfTwoCpus(cluster, "worker", isWorkerStock);
      assertEveryCasePasses("two_tasks_loops.py", worker);
      assertEveryCasePasses("two_tasks_loops.py", ps);
    }
  }
}
