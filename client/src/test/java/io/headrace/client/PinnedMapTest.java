package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Map functions with nodes pinned to other devices than their worker's first one. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class PinnedMapTest {
  private static final String OTHER = "/job:gpu/replica:0/task:0/device:CPU:0";
  private static final String FIRST = "/job:data/replica:0/task:0/device:CPU:0";
  private static final String SECOND = "/job:data/replica:0/task:0/device:CPU:1";

  private final Server other =
      Server.start(ClusterSpec.of(Map.of("gpu", List.of("localhost:0"))), "gpu", 0);
  private final Server server =
      Server.start(
          ServerDefs.of(
              ClusterSpec.of(
                  Map.of(
                      "data", List.of("localhost:0"), "gpu", List.of("localhost:" + other.port()))),
              Overrides.task("data", 0)
                  .withConfig(ConfigProto.newBuilder().putDeviceCount("CPU", 2).build())));
  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()), server);

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
    server.close();
    other.close();
  }

  private static Output place(Output x) {
    return GraphBuilder.current().op("HeadraceTestPlace").input(x).build();
  }

  private Dataset distributed(Dataset dataset) {
    return dataset.apply(
        DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
  }

  private static String text(Element element, int component) {
    return new String(element.components().get(component).string(0), StandardCharsets.UTF_8);
  }

  @Test
  void partsOfAMap_runWhereTheyArePinned() {
    Dataset dataset =
        Dataset.range(3_000)
            .map(x -> {
              Output there;
              Output where;
              try (var _ = Ops.device("/job:gpu/task:0")) {
                there = x.mul(2);
                where = place(there);
              }
              Output here = there.add(1);
              Output beside;
              try (var _ = Ops.device("/device:CPU:1")) {
                beside = place(here);
              }
              return List.of(here, where, place(x), beside);
            });
    long next = 0;
    for (Element element : distributed(dataset)) {
      assertThat(element.components().getFirst().integer(0)).isEqualTo(2 * next + 1);
      assertThat(text(element, 1)).isEqualTo(OTHER);
      assertThat(text(element, 2)).isEqualTo(FIRST);
      assertThat(text(element, 3)).isEqualTo(SECOND);
      next++;
    }
    assertThat(next).isEqualTo(3_000);
  }

  @Test
  void rowsOfDifferentShapes_areMadeOneByOne() {
    Dataset dataset =
        Dataset.range(20)
            .map(x -> {
              try (var _ = Ops.device("/job:gpu")) {
                return GraphBuilder.current()
                    .op("Range")
                    .input(Ops.constant(0L))
                    .input(x)
                    .input(Ops.constant(1L))
                    .build();
              }
            });
    List<Integer> sizes = new ArrayList<>();
    for (Element element : distributed(dataset)) {
      sizes.add(element.tensor().elements());
    }
    assertThat(sizes).hasSize(20).startsWith(0, 1, 2, 3).endsWith(18, 19);
  }

  @Test
  void failure_isItsRows() {
    Dataset dataset =
        Dataset.range(6)
            .map(x -> {
              try (var _ = Ops.device("/job:gpu")) {
                return GraphBuilder.current()
                    .op("FloorDiv")
                    .input(Ops.constant(12L))
                    .input(x.sub(3))
                    .build();
              }
            });
    List<Long> found = new ArrayList<>();
    try (ElementIterator elements = distributed(dataset).iterator()) {
      for (int i = 0; i < 3; i++) {
        found.add(elements.next().tensor().integer(0));
      }
      assertThatThrownBy(elements::next)
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      elements.forEachRemaining(element -> found.add(element.tensor().integer(0)));
    }
    assertThat(found).containsExactly(-4L, -6L, -12L, 12L, 6L);
  }

  @Test
  void pinToAJobThatTheClusterLacks_isRefusedBeforeTheFirstElement() {
    for (String pin : List.of("/job:tpu/task:0", "/job:gpu/task:7", "/job:gpu/device:GPU:0")) {
      Dataset dataset =
          Dataset.range(10)
              .map(x -> {
                try (var _ = Ops.device(pin)) {
                  return x.cast(DataType.FLOAT32);
                }
              });
      try (ElementIterator elements = distributed(dataset).iterator()) {
        assertThatThrownBy(elements::next)
            .hasMessageContaining(pin.substring(0, 8))
            .extracting(StatusException::codeOf)
            .isEqualTo(StatusCode.INVALID_ARGUMENT);
      }
    }
  }

  @Test
  void otherThatIsGone_isNamed() {
    Dataset endless =
        Dataset.range(10)
            .repeat(-1)
            .map(x -> {
              try (var _ = Ops.device("/job:gpu")) {
                return x.mul(2);
              }
            });
    try (ElementIterator elements = distributed(endless).iterator()) {
      assertThat(elements.next().tensor().integer(0)).isZero();
      other.stop();
      assertThatThrownBy(() -> elements.forEachRemaining(_ -> {}))
          .hasMessageContaining("/job:gpu/replica:0/task:0")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.UNAVAILABLE);
    }
  }

  @Test
  void otherThatWasNeverUp_isNamedWithinThePeersTime_andIsUsedWhenItIs() throws IOException {
    int port = FreePort.find(new Random());
    ClusterSpec cluster =
        ClusterSpec.of(
            Map.of("data", List.of("localhost:0"), "late", List.of("localhost:" + port)));
    Timeouts timeouts = Timeouts.DEFAULT.withPeer(Duration.ofSeconds(3)).withStop(Duration.ZERO);
    Dataset dataset =
        Dataset.range(1_000)
            .map(x -> {
              try (var _ = Ops.device("/job:late")) {
                return x.mul(2);
              }
            });
    Server early =
        new Server(
            ServerDefs.of(cluster, Overrides.task("data", 0)),
            ServerHost.ofProcess().withTimeouts(timeouts));
    DispatchServer ownDispatcher = DispatchServer.start(DispatcherConfig.defaults());
    try (early;
        ownDispatcher;
        WorkerServer _ =
            WorkerServer.start(WorkerConfig.forDispatcher(ownDispatcher.address()), early);
        ElementIterator elements =
            dataset
                .apply(
                    DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, ownDispatcher.target()))
                .iterator()) {
      assertThatThrownBy(elements::next)
          .hasMessageContaining("localhost:" + port)
          .hasMessageContaining("3000 ms")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.UNAVAILABLE);
      try (Server _ = startLate(port)) {
        assertThat(firstThatComes(elements).tensor().integer(0) % 2).isZero();
      }
    }
  }

  /** Skips the rows that fail because they were requested while the other task was down. */
  private static Element firstThatComes(ElementIterator elements) {
    while (true) {
      try {
        return elements.next();
      } catch (StatusException e) {
        assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
      }
    }
  }

  private static Server startLate(int port) {
    ClusterSpec alone = ClusterSpec.of(Map.of("late", List.of("localhost:" + port)));
    Server late =
        new Server(
            ServerDefs.of(alone, Overrides.task("late", 0)).toBuilder().setPort(port).build(),
            ServerHost.ofProcess());
    late.start();
    return late;
  }

  @Test
  void processOfNoCluster_runsNothingThatIsPinned() {
    Dataset dataset =
        Dataset.range(3)
            .map(x -> {
              try (var _ = Ops.device("/job:gpu")) {
                return x.mul(2);
              }
            });
    assertThatThrownBy(() -> dataset.iterator().next())
        .hasMessageContaining("this process is a task of no cluster");
  }
}
