package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stock client saves and restores on Headrace's server, trains in a monitored session, and writes
 * summaries; stock TensorFlow reads the files. Both kinds of variables.
 */
final class StockCheckpointTest {
  @TempDir private Path folder;

  private void assertEveryCasePasses(String server, String variables, String... more)
      throws InterruptedException {
    List<String> arguments =
        new ArrayList<>(List.of("grpc://" + server, variables, folder.toString()));
    arguments.addAll(List.of(more));
    var command = StockTensorFlow.command("checkpoints.py", arguments.toArray(String[]::new));
    try (var client = ManagedProcess.start("checkpoints", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ref", "resource"})
  void everyCase_passes_andTrainingGoesOnAfterARestart(String variables)
      throws InterruptedException {
    try (Servers servers = new Servers()) {
      assertEveryCasePasses(servers.startHeadraceServer(), variables);
      servers.killLast();
      assertEveryCasePasses(servers.startHeadraceServer(), variables, "restarted");
    }
  }

  @Test
  void shardsOfTwoTasks_areThoseOfStock() throws InterruptedException {
    var command =
        StockTensorFlow.command(
            "checkpoints_of_two_tasks.py", HeadraceLauncher.launcher(), folder.toString());
    try (var client = ManagedProcess.start("shards", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(600)).as(client.tailOfLog()).isZero();
    }
  }
}
