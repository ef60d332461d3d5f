package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Map functions with parts pinned to another task of the worker's cluster, stock or ours. */
final class PinnedMapsTest {
  private static final String JOB = "other";

  @ParameterizedTest(name = "other task stock: {0}")
  @ValueSource(booleans = {true, false})
  void mapsOfStockAndJavaClients_runWhereTheyArePinned(boolean isStock)
      throws InterruptedException {
    String cluster =
        "{\"data\": [\"%s\"], \"%s\": [\"%s\"]}"
            .formatted(Servers.freeAddress(), JOB, Servers.freeAddress());
    try (Servers servers = new Servers()) {
      if (isStock) {
        servers.startStockTask(cluster, JOB);
      } else {
        servers.startHeadraceTask(cluster, JOB);
      }
      String pid = Long.toString(servers.lastPid());
      String dispatcher = servers.startHeadraceDispatcher();
      servers.startHeadraceWorker(
          dispatcher, "--cluster=" + cluster, "--job-name=data", "--task-index=0");
      assertStockClientSees(dispatcher, pid);
      assertJavaClientSees(dispatcher, pid);
    }
  }

  private static void assertStockClientSees(String dispatcher, String pid)
      throws InterruptedException {
    var command = StockTensorFlow.command("pins.py", "grpc://" + dispatcher, JOB, pid);
    try (var client = ManagedProcess.start("pins", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }

  private static void assertJavaClientSees(String dispatcher, String pid) {
    Dataset dataset =
        Dataset.range(200)
            .map(x -> {
              Output twice;
              Output there;
              try (var _ = Ops.device("/job:" + JOB + "/task:0")) {
                twice = x.mul(2);
                there = threadsNamed(pid);
              }
              return List.of(twice.add(1), there, threadsNamed(pid));
            });
    long next = 0;
    for (Element element :
        dataset.apply(
            DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, "grpc://" + dispatcher))) {
      assertThat(element.components().getFirst().integer(0)).isEqualTo(2 * next + 1);
      assertThat(element.components().get(1).elements()).isOne();
      assertThat(element.components().get(2).elements()).isZero();
      next++;
    }
    assertThat(next).isEqualTo(200);
  }

  /** The main thread of the process {@code pid}; empty unless the op runs in that process. */
  private static Output threadsNamed(String pid) {
    return GraphBuilder.current()
        .op("MatchingFiles")
        .input(Ops.constant("/proc/self/task/" + pid))
        .build();
  }
}
