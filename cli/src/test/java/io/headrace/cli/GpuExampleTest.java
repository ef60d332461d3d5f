package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.dataset.Element;
import io.headrace.examples.ClassifierGraph;
import io.headrace.examples.FashionMnist;
import io.headrace.examples.PinnedOperations;
import io.headrace.examples.Trainer;
import io.headrace.examples.WorkerGpus;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.gpu.kernels.GpuSelection;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.execute.Accelerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The examples on servers of this process with GPUs, which the fake driver stands for. */
@Timeout(300)
@ResourceLock("FakeCuda")
final class GpuExampleTest {
  private static final String LAUNCH = "cuLaunchKernel";
  private static final float LEARNING_RATE = 0.05f;

  /** Few and small batches: an interpreter runs the kernels. */
  private static final int BATCHES = 2;

  private static final int BATCH = 4;

  /**
   * Sums of up to 784 terms have another order on a GPU: losses differ by few units in the last
   * place, of 2.4e-7 each. Without the learning of a step they would differ by more than 1e-2.
   */
  private static final float LOSS_BOUND = 1e-5f;

  private final FakeCuda fake =
      FakeCuda.start(FakeCudaConfig.DEFAULT.withDevices(2).withMemoryBytes(16 << 20));
  private final CudaSearch search =
      CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()));
  private final List<String> opened = new ArrayList<>();
  private final StringWriter out = new StringWriter();

  @AfterEach
  void stop() {
    try {
      assertThat(fake.faults()).isEmpty();
    } finally {
      fake.close();
    }
  }

  private List<Accelerator> open(String name, ConfigProto sessions) {
    opened.add(name);
    return GpuAccelerators.open(
        search, sessions, Map.of(), GpuSelection.parse(name).numbers(), CublasLibraries.NONE);
  }

  private float pins(String devices) {
    List<String> names = GpuSelection.parse(devices).names(search);
    return PinnedOperations.runHere(new WorkerGpus(names, this::open), new PrintWriter(out));
  }

  @Test
  void pins_areComputedOnTheGpuOfTheirWorker() {
    float c = pins("gpu:1");

    assertThat(c).isEqualTo(3f);
    assertThat(out.toString())
        .contains("device /job:worker/replica:0/task:1/device:GPU:0")
        .contains("a = 1.0 on /job:ps/task:0/cpu:0")
        .contains("b = a + 2 = 3.0 on /job:worker/task:0/device:GPU:0");
    assertThat(fake.calls(LAUNCH)).isEqualTo(1);
    assertThat(opened).containsExactly("gpu:1", "gpu:1");
  }

  @Test
  void workers_takeAllGpusInTurn() {
    assertThat(pins("gpu")).isEqualTo(3f);

    assertThat(opened).containsExactly("gpu:0", "gpu:1");
  }

  @Test
  void training_hasTheLossesOfTheCpu(@TempDir Path folder) throws IOException {
    List<Element> batches = new ArrayList<>();
    FashionMnist.find(folder).test(BATCH).take(BATCHES).forEach(batches::add);
    try (Servers servers = new Servers()) {
      List<Trainer.Step> expected = servers.learn(new ClassifierGraph(0, LEARNING_RATE), batches);
      assertThat(fake.calls(LAUNCH)).isZero();

      List<Trainer.Step> actual =
          servers.learn(
              new ClassifierGraph("/job:worker/task:0/device:GPU:0", LEARNING_RATE), batches);

      // Two products of matrices forwards, and three backwards. The rest depends on what is fused.
      assertThat(fake.calls(LAUNCH)).isGreaterThanOrEqualTo(5 * BATCHES);
      assertThat(actual).hasSize(BATCHES);
      for (int i = 0; i < BATCHES; i++) {
        assertThat(actual.get(i).globalStep()).isEqualTo(expected.get(i).globalStep());
        assertThat(actual.get(i).loss()).isCloseTo(expected.get(i).loss(), within(LOSS_BOUND));
      }
    }
  }

  /** A parameter server, and a worker with a GPU. */
  private final class Servers implements AutoCloseable {
    private final Server ps;
    private final Server worker;

    Servers() {
      SplittableRandom random = new SplittableRandom();
      ClusterSpec cluster =
          ClusterSpec.of(
              Map.of(
                  "ps", List.of("localhost:" + FreePort.find(random)),
                  "worker", List.of("localhost:" + FreePort.find(random))));
      ps = Server.start(cluster, "ps", 0);
      GPUOptions growing = GPUOptions.newBuilder().setAllowGrowth(true).build();
      worker =
          new Server(
              ServerDefs.of(
                  cluster,
                  Overrides.task("worker", 0)
                      .withConfig(ConfigProto.newBuilder().setGpuOptions(growing).build())),
              ServerHost.ofProcess().withAccelerators(sessions -> open("gpu:0", sessions)));
      worker.start();
    }

    List<Trainer.Step> learn(ClassifierGraph graph, List<Element> batches) {
      try (Trainer trainer = new Trainer(worker.target(), graph)) {
        trainer.initialize();
        return batches.stream()
            .map(batch -> trainer.learn(batch.component(0), batch.component(1)))
            .toList();
      }
    }

    @Override
    public void close() {
      worker.close();
      ps.close();
    }
  }
}
