package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.client.TargetWorkers;
import io.headrace.dataset.Dataset;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainers that read the worker in their own process, beside a worker of another process. */
final class OwnWorkerTest {
  private static final int SECONDS = 300;
  private static final long N = 500;

  private final Servers servers = new Servers();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  private String startDispatcher(String kind, String tag) throws InterruptedException {
    String dispatcher =
        kind.equals("stock") ? servers.startStockDispatcher() : servers.startHeadraceDispatcher();
    var _ =
        tag.isEmpty()
            ? servers.startHeadraceWorker(dispatcher)
            : servers.startHeadraceWorker(dispatcher, "--worker-tags=" + tag);
    return dispatcher;
  }

  @ParameterizedTest
  @CsvSource({"headrace, ''", "stock, ''", "headrace, COLOCATED", "stock, COLOCATED"})
  void stockTrainer_readsItsOwn(String dispatcher, String tag) throws InterruptedException {
    ManagedProcess trainer = servers.startTrainerWithWorker(startDispatcher(dispatcher, tag), tag);

    assertThat(trainer.awaitLine("right", SECONDS)).isEmpty();
    assertThat(trainer.awaitEnd(SECONDS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"headrace", "stock"})
  void stockTrainer_ofAColocatedDeployment_readsItsOwnShard(String kind)
      throws InterruptedException {
    String dispatcher =
        kind.equals("stock")
            ? servers.startStockDispatcher("0", "localhost", "", "COLOCATED")
            : servers.startHeadraceDispatcher(
                "--worker-addresses=localhost", "--deployment-mode=COLOCATED");
    ManagedProcess trainer = servers.startTrainerWithWorker(dispatcher, "shards");

    assertThat(trainer.awaitLine("right", SECONDS)).isEmpty();
    assertThat(trainer.awaitEnd(SECONDS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"headrace", "stock"})
  void javaTrainer_readsItsOwn(String kind) throws InterruptedException {
    String dispatcher = startDispatcher(kind, "");

    try (WorkerServer _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher))) {
      assertThat(read(dispatcher, TargetWorkers.LOCAL)).containsExactlyElementsOf(numbers(1));
      assertThat(read(dispatcher, TargetWorkers.ANY))
          .containsExactlyInAnyOrderElementsOf(numbers(2));
    }
  }

  private static List<Long> read(String dispatcher, TargetWorkers workers) {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withTargetWorkers(workers);
    return Dataset.range(N).apply(DataService.distribute(options, "grpc://" + dispatcher)).stream()
        .map(element -> element.tensor().integer(0))
        .toList();
  }

  private static List<Long> numbers(int copies) {
    return LongStream.range(0, copies * N).map(i -> i % N).boxed().toList();
  }
}
