package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headrace.examples.ReplicatedTraining;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The training example with a parameter server and two workers: a stock script on stock servers;
 * the same script, with other addresses, on Headrace's; and Headrace's trainers on these.
 *
 * <p>After a few steps all three have learnt, to different degrees. Compare final accuracies with
 * {@code -Dtraining.runs=3 -Dtraining.steps=1000 -Dtraining.points=2}.
 */
final class TwoTrainersTest {
  private static final Logger LOGGER = System.getLogger(TwoTrainersTest.class.getName());
  private static final Path SCRIPT =
      TestPaths.root().resolve("examples/src/main/python/fashion_mnist_ps.py");
  private static final int RUNS = Integer.getInteger("training.runs", 1);
  private static final int STEPS = Integer.getInteger("training.steps", 40);
  private static final double POINTS = Integer.getInteger("training.points", 40);
  private static final double BY_CHANCE = 10;

  private final List<String> workers = List.of(Servers.freeAddress(), Servers.freeAddress());
  private final List<String> targets =
      workers.stream().map(address -> "grpc://" + address).toList();
  private final String cluster =
      "{\"ps\": [\"%s\"], \"worker\": [\"%s\", \"%s\"]}"
          .formatted(Servers.freeAddress(), workers.get(0), workers.get(1));

  @TempDir private Path folder;

  /** A training run; returns the accuracy on unseen images, in percent. */
  private interface Training {
    double run(int number) throws IOException, InterruptedException;
  }

  private static double meanAccuracy(String name, Training training)
      throws IOException, InterruptedException {
    List<Double> accuracies = new ArrayList<>();
    for (int run = 0; run < RUNS; run++) {
      accuracies.add(training.run(run));
    }
    LOGGER.log(Level.INFO, "{0}: accuracies in percent {1}", name, accuracies);
    return accuracies.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  @Test
  void twoTrainers_learnAsWellAsStockOnes() throws IOException, InterruptedException {
    try (Servers feeders = new Servers()) {
      String dispatcher = "grpc://" + startFeeders(feeders);
      double stock;
      try (Servers servers = new Servers()) {
        servers.startStockCluster(cluster);
        stock = meanAccuracy("stock script on stock", _ -> runScript(dispatcher));
      }
      try (Servers servers = new Servers()) {
        servers.startHeadraceTask(cluster, "ps", 0);
        servers.startHeadraceTask(cluster, "worker", 0);
        servers.startHeadraceTask(cluster, "worker", 1);
        double script = meanAccuracy("stock script on Headrace", _ -> runScript(dispatcher));
        double ours = meanAccuracy("Headrace", run -> train(dispatcher, run));

        assertThat(stock).isGreaterThan(2 * BY_CHANCE);
        assertThat(script).isGreaterThan(2 * BY_CHANCE).isCloseTo(stock, within(POINTS));
        assertThat(ours).isGreaterThan(2 * BY_CHANCE).isCloseTo(stock, within(POINTS));
      }
    }
  }

  private static String startFeeders(Servers servers) throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    return dispatcher;
  }

  private double runScript(String dispatcher) throws InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(TestPaths.python().toString(), "-B", SCRIPT.toString(), dispatcher));
    command.addAll(targets);
    command.add("--steps=" + STEPS);
    try (var script = ManagedProcess.start("training", command, StockTensorFlow.ENVIRONMENT)) {
      String accuracy = script.awaitLine("accuracy on images that training never saw: ", 900);
      assertThat(script.awaitEnd(60)).isZero();
      return Double.parseDouble(accuracy.replace(" %", ""));
    }
  }

  private double train(String dispatcher, int run) throws IOException {
    Path images = Files.createDirectory(folder.resolve("run-" + run));
    PrintWriter out = new PrintWriter(Writer.nullWriter());
    return 100 * ReplicatedTraining.on(targets, dispatcher, images, STEPS, out).accuracy();
  }
}
