package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.cluster.Runner;
import io.headrace.cluster.Server;
import io.headrace.cluster.Session;
import io.headrace.cluster.Variable;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.examples.ClassifierGraph;
import io.headrace.examples.FashionMnist;
import io.headrace.examples.Trainer;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The training example on a parameter server and a worker, compared with stock TensorFlow on the
 * same graph and batches, step by step.
 *
 * <p>Stock takes each step from the parameters that ours had before it. Two trainings that go on
 * from their own parameters may part: the gradient of a rectified linear unit jumps where its input
 * is 0, and sums in another order may put an input that is nearly 0 on the other side. In one of 20
 * trainings that happens within 100 steps.
 */
final class TrainingLossesTest {
  private static final int STEPS = 100;
  private static final int BATCH = 64;
  private static final float LEARNING_RATE = 0.1f;

  /** The largest difference of losses, as a share of the loss. */
  private static final float LOSS_TOLERANCE = 1e-5f;

  /** The largest difference of parameters after one step. */
  private static final float PARAMETER_TOLERANCE = 1e-5f;

  private final ClassifierGraph classifier = new ClassifierGraph(0, LEARNING_RATE);

  @TempDir private Path folder;

  @Test
  void steps_areStockTensorFlows() throws IOException, InterruptedException {
    Path training = folder.resolve("training");
    List<Float> ours = train(training);
    StockSteps stock = stockSteps(training);

    assertThat(ours).hasSize(STEPS);
    assertThat(stock.losses()).hasSize(STEPS);
    for (int i = 0; i < STEPS; i++) {
      float loss = stock.losses().get(i);
      assertThat(ours.get(i)).as("loss %d", i).isCloseTo(loss, within(LOSS_TOLERANCE * loss));
    }
    stock
        .differences()
        .forEach((parameter, differences) -> {
          assertThat(differences).hasSize(STEPS + 1);
          for (int i = 0; i <= STEPS; i++) {
            assertThat(differences.get(i))
                .as("difference of %s after %d steps", parameter, i)
                .isLessThan(PARAMETER_TOLERANCE);
          }
        });
    assertThat(mean(ours.subList(STEPS - 10, STEPS))).isLessThan(mean(ours.subList(0, 10)));
  }

  /**
   * Stock TensorFlow's steps.
   *
   * @param losses the losses
   * @param differences for each parameter, by how much it differs from ours at first and after each
   *     step, beyond what units near 0 explain
   */
  private record StockSteps(List<Float> losses, Map<String, List<Float>> differences) {}

  private static double mean(List<Float> values) {
    return values.stream().mapToDouble(Float::doubleValue).average().orElseThrow();
  }

  /** Trains on our servers, and stores the batches and the parameters before and after each. */
  private List<Float> train(Path kept) throws IOException {
    ClusterSpec cluster = cluster();
    List<Float> losses = new ArrayList<>();
    try (DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        var _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
        var _ = Server.start(cluster, "ps", 0);
        Server worker = Server.start(cluster, "worker", 0);
        Trainer trainer = new Trainer(worker.target(), classifier);
        Session observer = Session.open(worker.target(), classifier.graph());
        OutputStream training = new BufferedOutputStream(Files.newOutputStream(kept))) {
      Dataset served =
          FashionMnist.find(folder)
              .train(BATCH)
              .take(STEPS)
              .apply(DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
      trainer.initialize();
      writeParameters(observer, training);
      for (Element batch : served) {
        Tensor images = batch.component(0);
        Tensor labels = batch.component(1);
        training.write(bytes(images));
        training.write(bytes(labels));
        losses.add(trainer.learn(images, labels).loss());
        writeParameters(observer, training);
      }
    }
    return losses;
  }

  private void writeParameters(Session observer, OutputStream to) throws IOException {
    Runner runner = observer.runner();
    classifier.parameters().forEach(parameter -> runner.fetch(parameter.value()));
    for (Tensor value : runner.run()) {
      to.write(bytes(value));
    }
  }

  private static byte[] bytes(Tensor tensor) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.toIntExact(tensor.byteSize())).order(ByteOrder.nativeOrder());
    if (tensor.dtype() == DataType.FLOAT32) {
      bytes.asFloatBuffer().put(tensor.floats(), 0, tensor.elements());
    } else {
      bytes.asIntBuffer().put(tensor.ints(), 0, tensor.elements());
    }
    return bytes.array();
  }

  private static ClusterSpec cluster() {
    return ClusterSpec.of(
        Map.of("ps", List.of(Servers.freeAddress()), "worker", List.of(Servers.freeAddress())));
  }

  private StockSteps stockSteps(Path training) throws IOException, InterruptedException {
    Path graph = folder.resolve("graph");
    Files.write(graph, classifier.graph().toGraphDef().toByteArray());
    List<String> command =
        new ArrayList<>(
            StockTensorFlow.command(
                "training_losses.py",
                "{\"ps\": [\"%s\"], \"worker\": [\"%s\"]}"
                    .formatted(Servers.freeAddress(), Servers.freeAddress()),
                graph.toString(),
                training.toString(),
                Integer.toString(BATCH),
                Float.toString(LEARNING_RATE),
                classifier.images().name(),
                classifier.labels().name(),
                classifier.loss().name(),
                classifier.step().name(),
                classifier.initializer().name()));
    List<String> parameters = classifier.parameters().stream().map(Variable::name).toList();
    command.addAll(parameters);
    try (var stock = ManagedProcess.start("losses", command, StockTensorFlow.ENVIRONMENT)) {
      List<Float> losses = numbers(stock.awaitLine("losses ", 240));
      Map<String, List<Float>> differences = new LinkedHashMap<>();
      for (String parameter : parameters) {
        differences.put(parameter, numbers(stock.awaitLine(parameter + " ", 60)));
      }
      assertThat(stock.awaitEnd(60)).isZero();
      return new StockSteps(losses, differences);
    }
  }

  private static List<Float> numbers(String line) {
    return Arrays.stream(line.split(" ")).map(Float::valueOf).toList();
  }
}
