package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The stock script that trains on a parameter server and two workers: the same on Headrace's
 * servers and on stock's, but for the address.
 */
final class StockTrainingScriptTest {
  private static final Path SCRIPT =
      Place.root().resolve("examples/src/main/python/fashion_mnist_ps.py");
  private static final Servers FEEDERS = new Servers();
  private static String dispatcher = "";

  private final List<String> workers = List.of(Servers.freeAddress(), Servers.freeAddress());
  private final String cluster =
      "{\"ps\": [\"%s\"], \"worker\": [\"%s\", \"%s\"]}"
          .formatted(Servers.freeAddress(), workers.get(0), workers.get(1));

  @BeforeAll
  static void startFeeders() throws InterruptedException {
    dispatcher = FEEDERS.startHeadraceDispatcher();
    FEEDERS.startHeadraceWorker(dispatcher);
  }

  @AfterAll
  static void stop() {
    FEEDERS.close();
  }

  /** The accuracy in percent after a few steps, of which both trainers take some. */
  private double train() throws InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Place.python().toString(), "-B", SCRIPT.toString()));
    command.add("grpc://" + dispatcher);
    workers.forEach(worker -> command.add("grpc://" + worker));
    command.add("--steps=40");
    try (var script = ManagedProcess.start("training", command, StockTensorFlow.ENVIRONMENT)) {
      String accuracy = script.awaitLine("accuracy on images that training never saw: ", 300);
      assertThat(script.awaitEnd(60)).isZero();
      return Double.parseDouble(accuracy.replace(" %", ""));
    }
  }

  @Test
  void script_onHeadrace_learns() throws InterruptedException {
    try (Servers servers = new Servers()) {
      servers.startHeadraceTask(cluster, "ps", 0);
      servers.startHeadraceTask(cluster, "worker", 0);
      servers.startHeadraceTask(cluster, "worker", 1);
      assertThat(train()).isBetween(40.0, 100.0);
    }
  }

  @Test
  void script_onStock_learns() throws InterruptedException {
    try (Servers servers = new Servers()) {
      servers.startStockCluster(cluster);
      assertThat(train()).isBetween(40.0, 100.0);
    }
  }
}
