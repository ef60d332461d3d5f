package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.cluster.Server;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.examples.ClassifierGraph;
import io.headrace.examples.FashionMnist;
import io.headrace.examples.Trainer;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The training example on a parameter server and a worker, compared with stock TensorFlow on the
 * same graph, initial values and batches.
 */
final class TrainingLossesTest {
  private static final int STEPS = 100;
  private static final int BATCH = 64;
  private static final double TOLERANCE = 1e-3;

  private final ClassifierGraph classifier = new ClassifierGraph(0, 0.1f);

  @TempDir private Path folder;

  @Test
  void losses_areStockTensorFlows() throws IOException, InterruptedException {
    Path batches = folder.resolve("batches");
    List<Float> ours = train(batches);
    List<Float> stock = stockLosses(batches);

    assertThat(ours).hasSize(STEPS);
    assertThat(stock).hasSize(STEPS);
    for (int i = 0; i < STEPS; i++) {
      assertThat(ours.get(i))
          .as("loss %d", i)
          .isCloseTo(stock.get(i), within((float) (TOLERANCE * stock.get(i))));
    }
    assertThat(mean(ours.subList(STEPS - 10, STEPS))).isLessThan(mean(ours.subList(0, 10)));
  }

  private static double mean(List<Float> values) {
    return values.stream().mapToDouble(Float::doubleValue).average().orElseThrow();
  }

  /** Trains on our servers, and stores the batches. */
  private List<Float> train(Path kept) throws IOException {
    ClusterSpec cluster = cluster();
    List<Float> losses = new ArrayList<>();
    try (DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        var _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
        var _ = Server.start(cluster, "ps", 0);
        Server worker = Server.start(cluster, "worker", 0);
        Trainer trainer = new Trainer(worker.target(), classifier);
        OutputStream batches = Files.newOutputStream(kept)) {
      Dataset served =
          FashionMnist.find(folder)
              .train(BATCH)
              .take(STEPS)
              .apply(DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
      trainer.initialize();
      for (Element batch : served) {
        Tensor images = batch.component(0);
        Tensor labels = batch.component(1);
        batches.write(bytes(images, labels));
        losses.add(trainer.learn(images, labels).loss());
      }
    }
    return losses;
  }

  private static byte[] bytes(Tensor images, Tensor labels) {
    ByteBuffer bytes =
        ByteBuffer.allocate((images.elements() + labels.elements()) * Float.BYTES)
            .order(ByteOrder.nativeOrder());
    bytes.asFloatBuffer().put(images.floats(), 0, images.elements());
    bytes.position(images.elements() * Float.BYTES);
    bytes.asIntBuffer().put(labels.ints(), 0, labels.elements());
    return bytes.array();
  }

  private static ClusterSpec cluster() {
    return ClusterSpec.of(
        Map.of("ps", List.of(Servers.freeAddress()), "worker", List.of(Servers.freeAddress())));
  }

  private List<Float> stockLosses(Path batches) throws IOException, InterruptedException {
    Path graph = folder.resolve("graph");
    Files.write(graph, classifier.graph().toGraphDef().toByteArray());
    List<String> command =
        StockTensorFlow.command(
            "training_losses.py",
            "{\"ps\": [\"%s\"], \"worker\": [\"%s\"]}"
                .formatted(Servers.freeAddress(), Servers.freeAddress()),
            graph.toString(),
            batches.toString(),
            Integer.toString(BATCH),
            classifier.images().name(),
            classifier.labels().name(),
            classifier.loss().name(),
            classifier.step().name(),
            classifier.initializer().name());
    try (var stock = ManagedProcess.start("losses", command, StockTensorFlow.ENVIRONMENT)) {
      String losses = stock.awaitLine("losses ", 240);
      assertThat(stock.awaitEnd(60)).isZero();
      return Arrays.stream(losses.split(" ")).map(Float::valueOf).toList();
    }
  }
}
